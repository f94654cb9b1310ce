// Elements, and numbers as people read them. Texts become text nodes: nothing that a file says is read as markup.
import { num, type Num } from "./data";

type Child = Node | string | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | EventListener> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Up to six significant digits, no trailing zeros: as the command prints them. */
export function format(value: Num | null | undefined, digits = 6): string {
  if (value === null || value === undefined) return "";
  const x = num(value);
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 10 ** digits || size < 1e-4) {
    return x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace(/e([+-])(\d)$/, "e$10$2");
  }
  return String(Number(x.toPrecision(digits)));
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function seconds(value: number): string {
  if (value < 0.001) return `${(value * 1e6).toFixed(0)} µs`;
  if (value < 1) return `${(value * 1e3).toPrecision(3)} ms`;
  return value < 120 ? `${value.toPrecision(3)} s` : `${(value / 60).toPrecision(3)} min`;
}

/** A cell whose value programs can read to the last digit. */
export function numberCell(value: Num, text = format(value)): HTMLElement {
  return h("td", { class: "number", "data-value": String(value) }, text);
}

export function table(head: string[], rows: (Node | string)[][], caption: string): HTMLElement {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col", class: lengthClass(text) }, h("span", {}, text))))),
      h(
        "tbody",
        {},
        ...rows.map((row) =>
          h("tr", {}, ...row.map((cell, i) =>
            cell instanceof HTMLTableCellElement ? cell
              : i === 0 ? h("th", { scope: "row", class: lengthClass(cell) }, cell) : h("td", { class: isNumber(cell) ? "number" : lengthClass(cell) }, cell))),
        ),
      ),
    ),
  );
}

/** Also "> 100", of what was not reached. */
function isNumber(cell: Node | string): boolean {
  return typeof cell === "string" && /^(> )?-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(cell);
}

/** Long texts may break anywhere, so that they leave room for the others. */
function lengthClass(cell: Node | string): string {
  const most = 30;
  return typeof cell === "string" && cell.length > most ? "long" : "";
}

/** A name that may be of any length, in a place that has only so much room. */
export function shorten(text: string, most = 40): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

let ids = 0;
export function freshId(): string {
  return `id${++ids}`;
}
