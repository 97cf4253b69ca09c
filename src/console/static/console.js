// Keys, exact times in the reader's zone, copying: what pages do without, where scripts do not run.

const typing = (target) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]");
const GO_MS = 1000;
let going = 0;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape") {
    for (const open of document.querySelectorAll("details.menu[open], details.confirm[open]")) open.open = false;
    return;
  }
  if (typing(event.target)) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("search")?.focus();
  } else if (event.key === "?") {
    document.getElementById("keys")?.showModal();
  } else if (event.key === "g") {
    going = Date.now();
  } else if (Date.now() - going < GO_MS) {
    going = 0;
    const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (link) window.location.assign(link.href);
  }
});

// A menu closes when something else is clicked, or another one opened.
document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.menu[open], details.confirm[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
  const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
  if (button) {
    navigator.clipboard.writeText(button.dataset.copy).then(() => {
      button.textContent = "Copied";
    });
  }
});

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
function enhance(root) {
  for (const time of root.querySelectorAll("time[datetime*='T']")) time.title = zoned.format(new Date(time.dateTime));
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
}
enhance(document);
document.addEventListener("htmx:after:swap", () => enhance(document));

// A form is sent once: the server holds to that too.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "true";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// Hours of a week: what is typed is drawn, and what is drawn is typed, half an hour at a time.
const DAY = 1440;
const PEN = 30;
const clock = (minutes) =>
  [minutes / 60, minutes % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
function minutesOf(text) {
  const open = new Array(DAY).fill(false);
  for (const [, fromHour, fromMinute = "0", toHour, toMinute = "0"] of text.matchAll(
    /(\d{1,2})(?::(\d{2}))?\s*(?:-|–|—|to)\s*(\d{1,2})(?::(\d{2}))?/g,
  )) {
    open.fill(true, fromHour * 60 + Number(fromMinute), toHour * 60 + Number(toMinute));
  }
  return open;
}
function spansOf(open) {
  const spans = [];
  for (let at = 0; at < DAY; at++) {
    if (!open[at]) continue;
    const from = at;
    while (at < DAY && open[at]) at++;
    spans.push([from, at]);
  }
  return spans;
}
function drawDay(strip, spans) {
  for (const old of strip.querySelectorAll("rect")) old.remove();
  for (const [from, to] of spans) {
    const rect = document.createElementNS(strip.namespaceURI, "rect");
    for (const [name, value] of Object.entries({ x: from, width: to - from, height: 24 }))
      rect.setAttribute(name, value);
    strip.append(rect);
  }
}
for (const strip of document.querySelectorAll(".week .strip svg")) {
  const field = strip.closest("tr").querySelector("input");
  if (!field) continue;
  strip.dataset.paint = "";
  let stroke;
  const paint = (event) => {
    const { left, width } = strip.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    const cell = Math.min(DAY - PEN, Math.floor((share * DAY) / PEN) * PEN);
    stroke ??= { open: minutesOf(field.value), on: !minutesOf(field.value)[cell], last: cell };
    stroke.open.fill(stroke.on, Math.min(cell, stroke.last), Math.max(cell, stroke.last) + PEN);
    stroke.last = cell;
    const spans = spansOf(stroke.open);
    drawDay(strip, spans);
    field.value = spans.map(([from, to]) => `${clock(from)}-${clock(to)}`).join(", ");
  };
  strip.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    strip.setPointerCapture(event.pointerId);
    paint(event);
  });
  strip.addEventListener("pointermove", (event) => stroke && paint(event));
  for (const end of ["pointerup", "pointercancel"]) {
    strip.addEventListener(end, () => {
      stroke = undefined;
    });
  }
  field.addEventListener("input", () => drawDay(strip, spansOf(minutesOf(field.value))));
}
