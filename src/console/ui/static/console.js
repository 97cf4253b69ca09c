// Shortcuts, exact times in the reader's time zone, and copying. Pages also work without scripts.

const typing = (target) =>
  target instanceof HTMLElement &&
  target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
const FIELD = "textarea, select, input:not([type=hidden])";
/** Shortcuts are ignored for this long after a page has loaded: a double press was meant for the previous page. */
const SETTLE_MS = 500;
const KEYS = "rostrum-keys";
/**
 * Set while `g` was pressed last: the next key names a section, however late it comes and even on the next page, and is
 * never a shortcut of the page.
 */
const GOING = "rostrum-going";
document.addEventListener("pointerdown", () => sessionStorage.removeItem(GOING));

// On a phone, tabs and filters scroll sideways: the current one is visible.
for (const current of document.querySelectorAll(":is(.tabs, .filters) > [aria-current]")) {
  const row = current.parentElement;
  row.scrollLeft = current.offsetLeft - row.offsetLeft - 16;
}

setTimeout(() => {
  document.documentElement.dataset.settled = "";
}, SETTLE_MS);

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return openPalette();
  }
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.repeat && typing(event.target)) {
    const { form } = event.target;
    if (form?.method !== "post") return;
    event.preventDefault();
    return form.requestSubmit(form.querySelector("button.primary") ?? undefined);
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape") return closeAll();
  // A key that is held down counts once.
  if (event.repeat || typing(event.target) || document.querySelector("dialog[open]")) return;
  if (localStorage.getItem(KEYS) === "off") return;
  if (event.key === "Shift") return;
  const goes = sessionStorage.getItem(GOING) !== null;
  sessionStorage.removeItem(GOING);
  if (event.key === "/") {
    event.preventDefault();
    openPalette();
  } else if (event.key === "?") {
    showKeys();
  } else if (event.key === "g") {
    sessionStorage.setItem(GOING, "");
  } else if (goes) {
    const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (link) window.location.assign(link.href);
  } else {
    const meant = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!meant || document.documentElement.dataset.settled === undefined) return;
    event.preventDefault();
    if (meant.matches("input, textarea, select")) return meant.focus();
    meant.click();
    meant.closest("details[open]")?.querySelector(`${FIELD}, button`)?.focus();
  }
});

// The palette searches while the member types. The server renders its options; the focus stays in the field.
const palette = document.getElementById("palette");
const paletteField = palette?.querySelector("input");
const paletteFound = document.getElementById("palette-found");
const FIND_MS = 80;
let findTimer;
let findTurn = 0;
/** The options are of an earlier text. Enter then waits for those of the present one. */
let isFinding = false;
let opensFound = false;
function openPalette(text) {
  if (!palette || document.querySelector("dialog[open]")) return;
  if (text !== undefined) paletteField.value = text;
  palette.showModal();
  paletteField.select();
  find();
}
async function find() {
  findTurn += 1;
  isFinding = true;
  const turn = findTurn;
  const address = new URL(palette.dataset.find, window.location.href);
  address.searchParams.set("q", paletteField.value);
  const answer = await fetch(address, { headers: { "hx-request": "true" } }).catch(() => undefined);
  const html = answer?.ok ? await answer.text() : "";
  // Of two answers, the one that was asked for last counts.
  if (turn !== findTurn) return;
  const { body } = new DOMParser().parseFromString(html, "text/html");
  const status = body.querySelector("[role=status]");
  status?.remove();
  paletteFound.replaceChildren(...body.childNodes);
  const said = palette.querySelector("[data-palette-status]");
  said.textContent = answer?.ok ? status?.textContent : "Search isn't available. Reload the page.";
  const options = paletteOptions();
  said.classList.toggle("hidden", answer?.ok === true && options.length > 0);
  paletteField.setAttribute("aria-expanded", String(options.length > 0));
  choose(options[0]);
  isFinding = false;
  if (opensFound) chosenOption()?.click();
  opensFound = false;
}
const paletteOptions = () => [...paletteFound.querySelectorAll("[role=option]")];
const chosenOption = () => paletteFound.querySelector("[aria-selected=true]");
function choose(option) {
  chosenOption()?.setAttribute("aria-selected", "false");
  if (!option) return paletteField.removeAttribute("aria-activedescendant");
  option.setAttribute("aria-selected", "true");
  paletteField.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}
paletteField?.addEventListener("input", () => {
  isFinding = true;
  clearTimeout(findTimer);
  findTimer = setTimeout(find, FIND_MS);
});
paletteField?.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const options = paletteOptions();
  if (step !== undefined && options.length > 0) {
    event.preventDefault();
    choose(options.at((options.indexOf(chosenOption()) + step) % options.length));
  } else if (event.key === "Enter" && (isFinding || chosenOption())) {
    event.preventDefault();
    opensFound = isFinding;
    if (!isFinding) chosenOption().click();
  }
});
palette?.addEventListener("click", (event) => {
  const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
  // A click beside the palette meets the dialog itself.
  if (option || event.target === palette || event.target.closest("[data-close-palette]")) palette.close();
  const pressed = option?.dataset.press && document.querySelector(option.dataset.press);
  if (!pressed) return;
  event.preventDefault();
  pressed.click();
});
palette?.addEventListener("close", () => {
  clearTimeout(findTimer);
  findTurn += 1;
  opensFound = false;
});
document.getElementById("search")?.addEventListener("click", ({ target }) => openPalette(target.value));

// Closing a menu returns the focus to the button that opened it.
function closeAll() {
  for (const open of document.querySelectorAll("details.menu[open], details.confirm[open]")) {
    if (open.contains(document.activeElement)) open.querySelector("summary").focus();
    open.open = false;
  }
}

// A page declares its shortcuts in its own HTML. They are listed before those of the sections.
function showKeys() {
  const dialog = document.getElementById("keys");
  const here = dialog?.querySelector("[data-page-keys]");
  if (!here) return;
  const list = here.querySelector("dl");
  const found = [...document.querySelectorAll("main [data-key]")];
  list.replaceChildren(
    ...found.flatMap((act) => {
      const key = document.createElement("dt");
      key.append(Object.assign(document.createElement("kbd"), { textContent: act.dataset.key }));
      return [key, Object.assign(document.createElement("dd"), { textContent: act.dataset.keyLabel })];
    }),
  );
  here.hidden = found.length === 0;
  dialog.querySelector("[data-keys-switch]").checked = localStorage.getItem(KEYS) !== "off";
  dialog.showModal();
}
document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLInputElement && target.matches("[data-keys-switch]"))
    localStorage.setItem(KEYS, target.checked ? "on" : "off");
});
document.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("[data-show-keys]")) showKeys();
});

// Temporary messages disappear when their time is over.
for (const moment of document.querySelectorAll("[data-gone-after]")) {
  setTimeout(() => moment.remove(), Number(moment.dataset.goneAfter));
}

// An opened form scrolls into view and takes the focus. A form with errors is already open, with the focus on its first
// error.
document.addEventListener(
  "toggle",
  ({ target: opened }) => {
    if (!(opened instanceof HTMLDetailsElement) || !opened.matches(".confirm")) return;
    opened.classList.remove("up", "back");
    const sheet = opened.querySelector(".sheet");
    if (!opened.open || !sheet) return;
    sheet.style.removeProperty("--max-height");
    const { top, bottom } = opened.firstElementChild.getBoundingClientRect();
    const below = window.innerHeight - bottom - 16;
    const above = top - Math.max(0, document.querySelector(".top")?.getBoundingClientRect().bottom ?? 0) - 16;
    opened.classList.toggle("back", sheet.getBoundingClientRect().right > document.documentElement.clientWidth);
    const up = sheet.offsetHeight > below && above > below;
    opened.classList.toggle("up", up);
    sheet.style.setProperty("--max-height", `${Math.max(up ? above : below, 160)}px`);
    if (!sheet.contains(document.activeElement) && !sheet.querySelector(".fault")) sheet.querySelector(FIELD)?.focus();
  },
  true,
);

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

// Selects a group of a form with many checkboxes, or clears it where all are selected.
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-tick]") : null;
  if (!button) return;
  const group = CSS.escape(button.dataset.tick);
  const boxes = [...button.form.querySelectorAll(`input[data-group="${group}"]:enabled`)];
  const isAll = boxes.every((box) => box.checked);
  for (const box of boxes) box.checked = !isAll;
  button.form.dispatchEvent(new Event("change", { bubbles: true }));
});

// A button that needs a selection is disabled without one.
const needChecked = (root) => {
  for (const button of root.querySelectorAll("[data-needs-checked]")) {
    button.disabled = !button.form.querySelector("input[type=checkbox]:checked");
  }
};
document.addEventListener("change", () => needChecked(document));
addEventListener("pageshow", () => needChecked(document));

// The button of the editor of a sequence says what an edit of a step costs.
document.addEventListener("input", ({ target }) => {
  const button = target.form?.querySelector("[data-when-edited]");
  if (!button) return;
  button.dataset.label ??= button.textContent;
  const isEdited = [...target.form.elements].some(
    ({ name, value, defaultValue }) => name.startsWith("steps.") && value !== defaultValue,
  );
  button.textContent = isEdited ? button.dataset.whenEdited : button.dataset.label;
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

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const short = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit", hourCycle: "h23" };
const shortZoned = new Intl.DateTimeFormat(undefined, short);
const shortYear = new Intl.DateTimeFormat(undefined, { year: "numeric", ...short });
function enhance(root) {
  for (const time of root.querySelectorAll("time[datetime*='T']")) time.title = zoned.format(new Date(time.dateTime));
  for (const time of root.querySelectorAll("time[data-zoned]")) {
    const format = /\b\d{4}\b/.test(time.textContent) ? shortYear : shortZoned;
    time.textContent = format.format(new Date(time.dateTime));
    delete time.dataset.zoned;
  }
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  for (const button of root.querySelectorAll("[data-tick], [data-show-keys]")) button.hidden = false;
  needChecked(root);
  for (const deal of root.querySelectorAll(".deal:has(form.move)")) deal.draggable = true;
}
enhance(document);
document.addEventListener("htmx:after:swap", () => enhance(document));

// A form is sent once; the server enforces that too.
const SENT_MS = 10_000;
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "true";
  // A form whose request was aborted can be sent again; the server recognizes it by its token.
  setTimeout(() => delete form.dataset.sent, SENT_MS);
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// Counts and the state of outreach stay current while the page is visible. A browser has few connections per server, so
// a hidden page holds none.
const live = document.querySelector("[data-live]")?.dataset.live;
const AGAIN_MS = 60_000;
let source;
function show({ counts, paused, reason }) {
  for (const mark of document.querySelectorAll("[data-count]")) {
    const count = counts[mark.dataset.count] ?? 0;
    mark.hidden = count === 0;
    mark.textContent = count > 99 ? "99+" : String(count);
  }
  const outreach = document.querySelector(".outreach");
  if (!outreach || outreach.querySelector(".paused").hidden === !paused) return;
  outreach.querySelector(".running").hidden = paused;
  outreach.querySelector(".paused").hidden = !paused;
  outreach.querySelector("[data-outreach-status]").textContent = paused ? "Outreach paused." : "Outreach resumed.";
  const why = outreach.querySelector("[data-pause-reason]");
  if (!why) return;
  why.textContent = reason ?? "";
  why.parentElement.hidden = !reason;
}
function stopListening() {
  source?.close();
  source = undefined;
}
function listen() {
  if (!live || source || document.hidden) return;
  source = new EventSource(live);
  source.addEventListener("state", (event) => show(JSON.parse(event.data)));
  source.addEventListener("changed", refresh);
  source.addEventListener("end", leave);
  source.addEventListener("error", () => {
    // Browsers do not retry a connection that the server refused.
    if (source?.readyState !== EventSource.CLOSED) return;
    source = undefined;
    setTimeout(listen, AGAIN_MS);
  });
}
// A member who was signed out elsewhere gets no more updates. Their text stays on the page, with a message.
function leave() {
  stopListening();
  const fields = [...document.querySelectorAll("main textarea, main input:not([type=hidden])")];
  if (!fields.some(wasTouched)) return window.location.reload();
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.role = "alert";
  notice.textContent = "You're signed out. Your text is still here. Sign in from another tab, then submit it.";
  document.querySelector("main").prepend(notice);
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return stopListening();
  listen();
  refresh();
});
window.addEventListener("pagehide", stopListening);
window.addEventListener("pageshow", listen);

// Live parts of a page are fetched again after a write, unless the member is working in them.
const FRESH_MS = 3000;
const REACHED = "a, button, summary, [tabindex]";
let fetchedAt = 0;
let due;
const wasTouched = (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked;
function isInUse(region) {
  const selected = document.getSelection();
  const fields = [...region.querySelectorAll("input:not([type=hidden]), textarea")];
  return (
    document.querySelector("form[data-sent]") !== null ||
    region.querySelector("details[open], .fault") !== null ||
    (region.contains(document.activeElement) && Boolean(typing(document.activeElement))) ||
    (!selected.isCollapsed && region.contains(selected.anchorNode)) ||
    fields.some(wasTouched)
  );
}
function refresh() {
  if (due || !document.querySelector("[data-refresh]")) return;
  due = setTimeout(refreshRegion, Math.max(0, fetchedAt + FRESH_MS - Date.now()));
}
async function refreshRegion() {
  due = undefined;
  fetchedAt = Date.now();
  const regions = [...document.querySelectorAll("[data-refresh]")];
  if (document.hidden || regions.every(isInUse)) return refresh();
  const answer = await fetch(window.location.href, { headers: { "rostrum-refresh": "1" } }).catch(() => undefined);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const region of regions) {
    const fresh = page.querySelector(`[data-refresh="${CSS.escape(region.dataset.refresh)}"]`);
    if (!fresh || fresh.textContent === region.textContent) continue;
    if (pinsOf(fresh) !== pinsOf(region)) {
      markStale(region);
      continue;
    }
    if (isInUse(region)) refresh();
    else replace(region, fresh);
  }
}
// A decision covers the version that was read, so a new version never replaces it under the pointer.
const pinsOf = (region) => [...region.querySelectorAll('input[name$="_hash"]')].map(({ value }) => value).join();
function markStale(region) {
  if (region.querySelector("[data-stale]")) return;
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.role = "status";
  notice.dataset.stale = "";
  notice.textContent = "This item changed after you opened the page. Reload the page to review the new version.";
  region.prepend(notice);
}
function replace(region, fresh) {
  const at = [...region.querySelectorAll(REACHED)].indexOf(document.activeElement);
  region.replaceWith(fresh);
  enhance(fresh);
  if (at !== -1) fresh.querySelectorAll(REACHED)[at]?.focus({ preventScroll: true });
}

// The week editor keeps typed and drawn hours in sync, in steps of half an hour.
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

// A dropped or chosen file is previewed at once.
for (const form of document.querySelectorAll("form[data-drop]")) {
  const field = form.querySelector("input[type=file]");
  field.addEventListener("change", () => field.files.length > 0 && form.requestSubmit());
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length === 0) return;
    field.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}
