// A chart with what belongs to it: a title, words for those who cannot see it, and its data and picture to take away.
import * as Plot from "@observablehq/plot";
import { format, freshId, h } from "./dom";

export type Row = Record<string, number | string | null>;

export interface Chart {
  title: string;
  /** What a reader who cannot see it should know. */
  description: string;
  /** Draws it, this wide. */
  draw: (width: number) => Element;
  /** Its data, for a table. */
  rows: () => Row[];
  note?: string;
}

/** Colours that can be told apart by nearly everybody (Okabe and Ito), on light and dark. */
export const colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f"];

export function colorOf(index: number): string {
  return colors[index % colors.length]!;
}

function save(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function csv(rows: Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const field = (value: unknown): string => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((line) => line.map(field).join(",")).join("\n") + "\n";
}

/** The picture by itself: with a size and the colours that the page gives it. */
export function svgText(figure: Element): string {
  const svgs = figure instanceof SVGSVGElement ? [figure] : [...figure.querySelectorAll("svg")];
  const svg = svgs.sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)[0];
  if (!svg) return "";
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const style = getComputedStyle(svg);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("color", style.color);
  copy.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

function fileName(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "chart";
}

const observer = typeof ResizeObserver === "undefined" ? null
  : new ResizeObserver((entries) => {
    for (const entry of entries) redraws.get(entry.target)?.(entry.contentRect.width);
  });
const redraws = new WeakMap<Element, (width: number) => void>();

/** Draws itself again when its width changes, and when `redraw` is called. */
export function chartElement(chart: Chart): { element: HTMLElement; redraw: () => void } {
  const id = freshId();
  const place = h("div", { class: "plot" });
  let drawn = 0;
  const draw = (width: number): void => {
    drawn = width;
    const figure = chart.draw(width);
    const svgs = figure instanceof SVGSVGElement ? [figure] : [...figure.querySelectorAll("svg")];
    const svg = svgs[svgs.length - 1]; // legends stand above
    svg?.setAttribute("role", "img");
    svg?.setAttribute("aria-label", chart.title);
    svg?.setAttribute("aria-describedby", id);
    // To those who listen, the picture is one thing: what its groups are called is for programs.
    for (const part of svgs) {
      if (part !== svg) part.setAttribute("aria-hidden", "true");
      for (const group of part.querySelectorAll("g[aria-label]")) {
        group.setAttribute("data-mark", group.getAttribute("aria-label")!);
        group.removeAttribute("aria-label");
        group.removeAttribute("aria-description");
      }
    }
    place.replaceChildren(figure);
  };
  redraws.set(place, (width) => {
    const rounded = Math.floor(width);
    if (rounded > 0 && rounded !== drawn) draw(rounded);
  });
  observer?.observe(place);
  const name = fileName(chart.title);
  const element = h(
    "figure",
    {},
    h("figcaption", {}, h("h3", {}, chart.title),
      h("span", { class: "tools" },
        h("button", { type: "button", "aria-label": `SVG of ${chart.title}`,
          click: () => save(`${name}.svg`, "image/svg+xml", svgText(place)) }, "SVG"),
        h("button", { type: "button", "aria-label": `CSV of ${chart.title}`,
          click: () => save(`${name}.csv`, "text/csv", csv(chart.rows())) }, "CSV"))),
    place,
    h("p", { class: "note", id }, chart.note ?? "", h("span", { class: "spoken" }, chart.description)),
  );
  return { element, redraw: () => drawn > 0 && draw(drawn) };
}

/** What all charts have in common. */
export function plot(width: number, options: Plot.PlotOptions): SVGSVGElement | HTMLElement {
  return Plot.plot({
    width,
    height: Math.round(Math.min(340, Math.max(220, width * 0.55))),
    marginLeft: 60,
    marginRight: 24,
    marginTop: 28,
    marginBottom: 40,
    style: { background: "transparent", fontSize: "12px", overflow: "visible" },
    ...options,
  });
}

/** Powers of ten between two numbers, no more than so many; where they are few, also twice and five times them. */
export function logTicks(low: number, high: number, most = 7): number[] {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  const every = Math.max(1, Math.ceil((to - from) / most));
  const digits = to - from <= 2 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = Math.ceil(from / every) * every; power <= to; power += every)
    for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
}

/** A logarithmic axis over the positive ones of the values. */
export function logAxis(label: string, values: number[], most?: number): Plot.ScaleOptions & { domain: [number, number] } {
  const positive = values.filter((value) => value > 0);
  let low = positive.reduce((a, b) => Math.min(a, b), Infinity), high = positive.reduce((a, b) => Math.max(a, b), 0);
  if (positive.length === 0) [low, high] = [0.1, 1];
  if (high / low < 4) [low, high] = [low / 2, high * 2];
  return { type: "log", label, domain: [low, high], ticks: logTicks(low, high, most), tickFormat: tick };
}

export function tick(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return size >= 1e4 ? `${format(value / 1000, 4)}k` : format(value, 4);
}
