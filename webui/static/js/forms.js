// Forms marked data-send are sent in place; what was refused is said in one sentence.
const csrf = document.querySelector("meta[name=csrf-token]")?.content ?? "";
const dialog = document.getElementById("dialog");
const toast = document.getElementById("toast");
let fading = 0;

function say(sentence) {
  dialog.close();
  toast.textContent = sentence;
  toast.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => { toast.hidden = true; }, 8000);
}

export function sendForms() {
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("[data-send]") || event.defaultPrevented) {
      return;
    }
    event.preventDefault();
    const buttons = form.querySelectorAll("button");
    buttons.forEach((button) => { button.disabled = true; });
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        headers: { Accept: "application/json", "X-CSRFToken": csrf },
      });
      if (!answer.ok) {
        say((await answer.json()).error);
      } else if (document.querySelector("[data-part]")) {
        dialog.close();
        form.closest("details")?.removeAttribute("open");
      } else {
        location.reload();
      }
    } catch {
      say(document.getElementById("link")?.textContent ?? "…");
    } finally {
      buttons.forEach((button) => { button.disabled = false; });
    }
  });
}

export function openDialogs() {
  document.addEventListener("click", async (event) => {
    const close = event.target.closest("[data-close]");
    if (close && dialog.open) {
      event.preventDefault();
      dialog.close();
      return;
    }
    const link = event.target.closest("a[data-dialog]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    event.preventDefault();
    try {
      const answer = await fetch(link.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const body = page.querySelector("[data-dialog-body]");
      if (!body) {
        say(page.querySelector("[data-sentence]").textContent);
        return;
      }
      dialog.replaceChildren(document.adoptNode(body));
      dialog.showModal();
    } catch {
      location.assign(link.href);
    }
  });
}
