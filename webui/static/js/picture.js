// The live picture: pulled, never pushed, so that a slow page costs the referee nothing; outlines drawn over it.
const PULL_MS = 125;
const REST_MS = 1000;
const OLD_MS = 2000;
const SVG = "http://www.w3.org/2000/svg";

export function showPicture() {
  const figure = document.querySelector("[data-picture]");
  if (!figure) {
    return { hear() {}, pause() {} };
  }
  const image = figure.querySelector("[data-frame]");
  const marks = figure.querySelector("[data-marks]");
  const gate = figure.querySelector("[data-gate]");
  const age = figure.querySelector("[data-age]");
  const sides = figure.dataset.sides.split(",").filter(Boolean);
  let sight = null;
  let heardAt = 0;
  let shown = null;
  let paused = true;
  let pulling = false;

  async function pull() {
    if (pulling) {
      return;
    }
    pulling = true;
    while (!paused) {
      const start = performance.now();
      const rest = sight && sight.frame !== shown ? await fetchOne() : 0;
      await new Promise((done) => { setTimeout(done, Math.max(20, PULL_MS - (performance.now() - start), rest)); });
    }
    pulling = false;
  }

  async function fetchOne() {
    try {
      const answer = await fetch("/frame.jpg", { cache: "no-store" });
      if (!answer.ok) {
        return REST_MS;
      }
      const address = URL.createObjectURL(await answer.blob());
      if (!sight) {
        URL.revokeObjectURL(address);
        return 0;
      }
      const old = image.src;
      image.src = address;
      await image.decode().catch(() => {});
      if (old) {
        URL.revokeObjectURL(old);
      }
      image.hidden = false;
      figure.classList.remove("blind");
      shown = Number(answer.headers.get("X-Frame"));
      draw(marks, image, sight.marks, sides);
      return 0;
    } catch {
      return REST_MS;
    }
  }

  setInterval(() => {
    if (!sight) {
      return;
    }
    const old = sight.age_ms + performance.now() - heardAt;
    age.hidden = old < OLD_MS;
    age.textContent = age.dataset.text.replace("{n}", Math.floor(old / 1000));
    figure.classList.toggle("stale", old >= OLD_MS);
  }, 500);

  return {
    hear(news) {
      if (!news) {
        sight = shown = null;
        image.hidden = gate.hidden = age.hidden = true;
        marks.replaceChildren();
        figure.classList.add("blind");
        return;
      }
      sight = news;
      heardAt = performance.now();
      gate.hidden = false;
      gate.dataset.is = news.gate;
      gate.textContent = gate.dataset[news.gate];
    },
    pause(hidden) {
      paused = hidden;
      pull();
    },
  };
}

function draw(svg, image, marks, sides) {
  const width = 1000;
  const height = (width * image.naturalHeight) / image.naturalWidth;
  const pixel = width / Math.max(1, svg.clientWidth);
  const shapes = marks.map((mark) => ({ mark, points: mark.outline.map(([x, y]) => [x * width, y * height]) }));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(...shapes.flatMap((shape) => outline(shape, sides)), ...names(shapes, pixel));
}

function outline({ mark, points }, sides) {
  const side = sides.find((name) => mark.label.startsWith(name));
  const line = points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" ");
  return [
    element("polygon", { points: line, class: "under" }),
    element("polygon", { points: line, class: `${side ? `mark-${side}` : ""} ${mark.sure ? "sure" : "unsure"}` }),
  ];
}

// Each name stands below its piece; in a pile, where that place is taken, above it or in its middle.
function names(shapes, pixel) {
  const size = 13 * pixel;
  const taken = [];
  return shapes.map(({ mark, points }) => {
    const ys = points.map((p) => p[1]);
    const x = points.reduce((sum, p) => sum + p[0], 0) / points.length;
    const half = mark.label.length * size * 0.3;
    const [below, above, middle] = [Math.max(...ys) + size, Math.min(...ys) - 0.4 * size, (Math.max(...ys) + Math.min(...ys)) / 2];
    const y = [below, above, middle].find((place) => taken.every((t) => Math.abs(t.y - place) > size || Math.abs(t.x - x) > t.half + half)) ?? below;
    taken.push({ x, y, half });
    const text = element("text", { x, y, "font-size": size });
    text.textContent = mark.label;
    return text;
  });
}

function element(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    node.setAttribute(key, value);
  }
  return node;
}
