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

// What a form of many boxes offers to tick at once.
document.addEventListener("click", (event) => {
  const tick = event.target instanceof Element ? event.target.closest("[data-tick]") : null;
  for (const box of tick?.closest("form")?.querySelectorAll("input[type=checkbox]") ?? []) box.checked = true;
});

// A deal is dragged to another column: its own form moves it.
let dragged = null;
const columnOf = (event) => (event.target instanceof Element ? event.target.closest("[data-stage]") : null);
document.addEventListener("dragstart", (event) => {
  dragged = event.target instanceof Element ? event.target.closest(".deal") : null;
  dragged?.classList.add("dragged");
});
document.addEventListener("dragover", (event) => {
  if (dragged && columnOf(event)) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const column = columnOf(event);
  const form = dragged?.querySelector("form.move");
  if (!column || !form || column.contains(dragged)) return;
  event.preventDefault();
  form.elements.stage.value = column.dataset.stage;
  form.requestSubmit();
});
document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
});

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
function enhance(root) {
  for (const time of root.querySelectorAll("time[datetime*='T']")) time.title = zoned.format(new Date(time.dateTime));
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  for (const button of root.querySelectorAll("[data-tick]")) button.hidden = false;
  for (const deal of root.querySelectorAll(".deal:has(form.move)")) deal.draggable = true;
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
