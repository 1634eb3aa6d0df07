// Keeps a page up to date: by the stream while the tab is visible, by asking each second where no stream comes.
import { showPicture } from "./picture.js";
import { announcer } from "./speech.js";

const STREAM_TRIES = 3; // of a stream that has worked; one that never did is given up at once
const STREAM_AGAIN = 30; // after so many questions the stream is tried anew
const ASK_MS = 1000;
const QUIET_MS = 4000;

export function follow(page, dress) {
  const announce = announcer();
  const picture = showPicture();
  const lost = document.getElementById("link");
  let source = null;
  let asking = 0;
  let tries = 1;
  let heard = performance.now();
  const had = new Map();

  function hear(message) {
    alive();
    if (message.boot !== document.body.dataset.boot) {
      location.reload();
      return;
    }
    for (const [name, html] of Object.entries(message.parts)) {
      if (had.get(name) !== html) {
        swap(document.querySelector(`[data-part="${name}"]`), html, dress, had.has(name));
        had.set(name, html);
      }
    }
    announce(message);
    picture.hear(message.sight);
  }

  function alive() {
    heard = performance.now();
    if (lost) {
      lost.hidden = true;
    }
  }

  function stream() {
    source = new EventSource(`/events?page=${page}`);
    source.onmessage = (event) => { tries = STREAM_TRIES; hear(JSON.parse(event.data)); };
    source.addEventListener("beat", alive);
    source.onerror = () => {
      tries -= 1;
      if (tries <= 0 || source.readyState === EventSource.CLOSED) {
        stop();
        ask();
      }
    };
  }

  async function ask() {
    const mine = ++asking;
    for (let asked = 0; mine === asking; asked += 1) {
      if (asked === STREAM_AGAIN) {
        show();
        return;
      }
      try {
        const answer = await fetch(`/api/live?page=${page}`, { cache: "no-store" });
        if (answer.ok && mine === asking) {
          hear(await answer.json());
        }
      } catch {
        // Said by the watch below; the next try is a second away.
      }
      await new Promise((done) => { setTimeout(done, ASK_MS); });
    }
  }

  function stop() {
    source?.close();
    source = null;
    asking += 1;
  }

  function show() {
    stop();
    picture.pause(document.hidden);
    if (!document.hidden) {
      tries = 1;
      heard = performance.now();
      stream();
    }
  }

  setInterval(() => {
    if (document.hidden || performance.now() - heard < QUIET_MS) {
      return;
    }
    if (lost) {
      lost.hidden = false;
    }
    if (source) { // blocked or stalled on the way: ask instead
      stop();
      ask();
    }
  }, 500);
  document.addEventListener("visibilitychange", show);
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => { if (event.persisted) { show(); } });
  show();
}

function swap(part, html, dress, news) {
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const address = focused?.getAttribute("href") ?? focused?.closest("form")?.outerHTML;
  part.innerHTML = html;
  part.firstElementChild?.classList.toggle("fresh", news);
  dress(part);
  if (address) {
    [...part.querySelectorAll("a, button")]
      .find((e) => (e.getAttribute("href") ?? e.closest("form")?.outerHTML) === address)?.focus();
  }
}
