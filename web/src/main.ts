// Draws the page: from the data that stand in it and, where it is live, from those that its server sends.
import "./style.css";
import type { Item, ReportData } from "./data";
import { Choice } from "./choices";
import { experimentPage } from "./experiment_page";
import { h, shorten } from "./dom";
import { listen } from "./live";
import { runPage } from "./run_page";

const place = document.getElementById("page")!;
const live = document.documentElement.hasAttribute("data-live");
const selected = new Choice<string>("item", "");
let current: ReportData | null = null;

function keyOf(item: Item, index: number): string {
  return `${index}/${item.kind}/${item.directory}`;
}

function itemPage(item: Item, key: string): HTMLElement {
  return item.kind === "run" ? runPage(item, key) : experimentPage(item, key);
}

function tabs(items: Item[]): HTMLElement {
  const choices = [["", "all"], ...items.map((item, i) => [keyOf(item, i), item.name])] as [string, string][];
  return h("nav", { "aria-label": "runs and experiments" }, ...choices.map(([key, name]) =>
    h("button", { type: "button", "aria-pressed": String(selected.value === key), click: () => { selected.value = key; } }, shorten(name))));
}

/** What a control is known by, so that the one in its place can be found after drawing anew. */
function nameOf(element: Element): string {
  return `${element.tagName}|${element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? element.textContent}`;
}

/** Draws data, or draws newer data: what the reader has chosen, the focus and where the page is scrolled to stay. */
export function render(data: ReportData): void {
  current = data;
  const focused = document.activeElement && place.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  const scroll = window.scrollY;
  const items = data.items.filter((item, i) => data.items.length === 1 || selected.value === "" || selected.value === keyOf(item, i));
  const side = items.length > 1 && items.every((item) => item.kind === "experiment");
  place.replaceChildren(
    ...(data.items.length > 1 ? [tabs(data.items)] : []),
    h("main", { class: side ? "side" : "" }, ...items.map((item) => itemPage(item, keyOf(item, data.items.indexOf(item))))),
    h("footer", {}, live ? "Shown by c2rl, from this machine only." : "Written by c2rl. Everything is in this page; nothing was fetched."),
  );
  window.scrollTo({ top: scroll });
  if (focused === null) return;
  const same = [...place.querySelectorAll<HTMLElement>("button, input, select, [tabindex]")].find((element) => nameOf(element) === focused);
  same?.focus({ preventScroll: true });
}

/** While something is held with the mouse or a finger, newer data wait. */
let held = false, waiting: ReportData | null = null;
function renderWhenFree(data: ReportData): void {
  if (held) waiting = data;
  else render(data);
}
addEventListener("pointerdown", () => { held = true; });
for (const event of ["pointerup", "pointercancel"]) {
  addEventListener(event, () => {
    held = false;
    const data = waiting;
    waiting = null;
    if (data) setTimeout(() => render(data));
  });
}

selected.onChange(() => { if (current) render(current); });

const embedded = JSON.parse(document.getElementById("data")?.textContent ?? "null") as ReportData | null;
if (embedded) render(embedded);
if (live) listen(renderWhenFree);
// For those who draw it from elsewhere.
(window as unknown as { c2rl: { render: typeof render } }).c2rl = { render };
