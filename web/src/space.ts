// The measurement space: what was found, the mixture's way, the target, and what separates them, call by call.
import * as Plot from "@observablehq/plot";
import { chartElement, tick, type Chart, type Row } from "./chart";
import { Choice } from "./choices";
import type { Box, FoundPolicy, PairView, RunData } from "./data";
import { num } from "./data";
import { count, format, h, shorten } from "./dom";

type Point = [number, number];

function hull(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const cross = (o: Point, a: Point, b: Point): number => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (from: Point[]): Point[] => {
    const chain: Point[] = [];
    for (const p of from) {
      while (chain.length >= 2 && cross(chain[chain.length - 2]!, chain[chain.length - 1]!, p) <= 0) chain.pop();
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  if (sorted.length < 3) return sorted;
  return [...half(sorted), ...half(sorted.reverse())];
}

/** Where a line through a point leaves the picture. */
function lineThrough(at: Point, normal: Point, view: Box): Point[] {
  const reach = 2 * ((view[2] - view[0]) + (view[3] - view[1]) + 1);
  const length = Math.hypot(...normal);
  const along: Point = [-normal[1] / length, normal[0] / length];
  return [[at[0] - reach * along[0], at[1] - reach * along[1]], [at[0] + reach * along[0], at[1] + reach * along[1]]];
}

function marksOf(run: RunData, view: PairView, box: Box, frame: number): Plot.Markish[] {
  const [i, j] = view.pair;
  const history = run.history;
  const on = (point: number[]): Point => [point[i]!, point[j]!];
  const call = history.call[frame]!;
  const members = new Map(history.weights[frame]!);
  const found = policiesAt(run, frame).filter((policy) => policy.call <= call);
  const mixture = on(history.point[frame]!), nearest = on(history.nearest[frame]!);
  const gap = history.point[frame]!.map((value, k) => value - history.nearest[frame]![k]!);
  const size = Math.hypot(...gap);
  // The plane that separates is a line in the picture only where it stands upright on it.
  const upright = size > 0 && Math.hypot(...gap.filter((_, k) => k !== i && k !== j)) <= 1e-6 * size;
  const separating = upright && history.distance[frame]! > 0 ? lineThrough(nearest, [gap[i]!, gap[j]!], box) : [];
  const path = history.point.slice(0, frame + 1).map(on);
  const label = (policy: { call: number; point: number[] }): string =>
    `call ${policy.call}\n${axis(run, i)} ${format(policy.point[i])}\n${axis(run, j)} ${format(policy.point[j])}` +
    (members.has(policy.call) ? `\nweight ${format(members.get(policy.call)!, 4)}` : "");
  const ellipses = found.filter((policy) => members.has(policy.call))
    .map((policy) => ellipse(on(policy.point), policy.standard_error[i]!, policy.standard_error[j]!))
    .filter((outline) => outline.length > 0);
  return [
    Plot.line(view.target.length > 0 ? [...view.target, view.target[0]!] : [],
      { z: null, fill: "var(--target)", fillOpacity: 0.25, stroke: "var(--target)", strokeWidth: 1.5 }),
    Plot.line(closed(hull(found.map((policy) => on(policy.point)))),
      { z: null, fill: "currentColor", fillOpacity: 0.05, stroke: "currentColor", strokeOpacity: 0.25, strokeDasharray: "3,3" }),
    Plot.line(closed(hull(found.filter((policy) => members.has(policy.call)).map((policy) => on(policy.point)))),
      { z: null, fill: "var(--policy)", fillOpacity: 0.12, stroke: "var(--policy)", strokeOpacity: 0.6 }),
    Plot.line(separating, { z: null, stroke: "var(--cut)", strokeWidth: 1.5, strokeDasharray: "6,4" }),
    Plot.line(path, { z: null, stroke: "var(--mixture)", strokeOpacity: 0.55, strokeWidth: 1.5 }),
    Plot.link(size > 0 ? [0] : [], { x1: mixture[0], y1: mixture[1], x2: nearest[0], y2: nearest[1], stroke: "var(--cut)" }),
    ...ellipses.map((outline) => Plot.line(outline, { z: null, stroke: "var(--policy)", strokeWidth: 1, fill: "var(--policy)", fillOpacity: 0.15 })),
    Plot.dot(found, {
      x: (policy) => policy.point[i], y: (policy) => policy.point[j], r: (policy) => members.has(policy.call) ? 5 : 3,
      fill: (policy) => members.has(policy.call) ? "var(--policy)" : "var(--paper)", stroke: "var(--policy)",
      title: label, tip: true,
    }),
    Plot.dot(size > 0 ? [nearest] : [], { r: 4, stroke: "var(--cut)", fill: "var(--paper)", symbol: "square" }),
    Plot.dot([mixture], { r: 6, symbol: "diamond", fill: "var(--mixture)", stroke: "var(--paper)" }),
  ];
}

/** What was known of each policy then: at the end, with all fresh episodes. */
function policiesAt(run: RunData, frame: number): FoundPolicy[] {
  if (!run.history.ended || frame < run.history.call.length - 1) return run.policies;
  const known = new Map(run.result.policies.map((policy) => [policy.id, policy]));
  return run.policies.map((policy) => {
    const end = known.get(`call-${policy.call}`);
    return end ? { call: policy.call, point: end.measurement.map(num), standard_error: end.standard_error.map(num) } : policy;
  });
}

function closed(points: Point[]): Point[] {
  return points.length > 1 ? [...points, points[0]!] : [];
}

/** Two standard errors each way. */
function ellipse(at: Point, errorX: number, errorY: number): Point[] {
  if (!(errorX > 0) && !(errorY > 0)) return [];
  return Array.from({ length: 41 }, (_, k): Point => {
    const angle = (2 * Math.PI * k) / 40;
    return [at[0] + 2 * errorX * Math.cos(angle), at[1] + 2 * errorY * Math.sin(angle)];
  });
}

function axis(run: RunData, i: number): string {
  return shorten(run.result.measurements[i]!, 30);
}

function rowsOf(run: RunData): Row[] {
  const names = run.result.measurements;
  return run.history.call.map((call, frame) => Object.fromEntries([
    ["call", call],
    ...names.map((name, k) => [name, run.history.point[frame]![k]!]),
    ...names.map((name, k) => [`${name} (nearest in target)`, run.history.nearest[frame]![k]!]),
    ["distance", run.history.distance[frame]!],
  ]) as Row);
}

function spoken(run: RunData, frame: number): string {
  const history = run.history;
  const where = run.result.measurements.map((name, k) => `${shorten(name)} ${format(history.point[frame]![k])}`).join(", ");
  const last = history.ended && frame === history.call.length - 1;
  return `${last ? "At the end, with all episodes" : `After call ${history.call[frame]}`}: the mixture of ${history.policies[frame] === 1 ? "1 policy" : `${history.policies[frame]} policies`} is at ${where}, ` +
    `${format(history.distance[frame])} away from the target.`;
}

export function spaceSection(run: RunData, key: string): HTMLElement | null {
  const frames = run.history.call.length;
  if (frames === 0 || run.space.length === 0) return null;
  const pair = new Choice<number>(`${key}/pair`, 0);
  // At the end until the reader goes somewhere else: a live page follows the run.
  const at = new Choice<number | null>(`${key}/call`, null);
  const near = new Choice<boolean | null>(`${key}/near`, null);
  const viewed = (): PairView => run.space[Math.min(pair.value, run.space.length - 1)]!;
  const frame = (): number => Math.min(at.value ?? frames - 1, frames - 1);
  const status = h("p", { class: "status", "aria-live": "polite" });
  const slider = h("input", { type: "range", min: "0", max: String(frames - 1), step: "1", "aria-label": "oracle call" });
  const play = h("button", { type: "button", class: "play" }, "Play");
  const chart: Chart = {
    title: "Measurement space",
    description: `${spoken(run, frames - 1)} ${run.found} policies were found.`,
    draw: (width) => {
      const view = viewed();
      const box = near.value ?? isSmall(view) ? view.near : view.all;
      return Plot.plot({
        width, height: Math.round(Math.min(460, Math.max(280, width * 0.7))),
        marginLeft: 56, marginBottom: 40, clip: true,
        style: { background: "transparent", fontSize: "12px" },
        x: { label: axis(run, view.pair[0]), domain: [box[0], box[2]], grid: true, tickFormat: tick },
        y: { label: axis(run, view.pair[1]), domain: [box[1], box[3]], grid: true, tickFormat: tick },
        r: { type: "identity" },
        marks: marksOf(run, view, box, frame()),
      });
    },
    rows: () => rowsOf(run),
    note: run.found > run.policies.length ? `${count(run.policies.length)} of ${count(run.found)} policies are drawn.` : "",
  };
  const { element, redraw } = chartElement(chart);
  const update = (): void => {
    slider.value = String(frame());
    slider.setAttribute("aria-valuetext", `call ${run.history.call[frame()]}`);
    status.textContent = spoken(run, frame());
    redraw();
  };
  slider.addEventListener("input", () => { at.value = Number(slider.value) === frames - 1 ? null : Number(slider.value); });
  at.onChange(update);
  pair.onChange(update);
  near.onChange(update);
  player(play, frames, frame, (value) => { at.value = value >= frames - 1 ? null : value; });
  update();
  const controls = h("div", { class: "controls" }, play, slider);
  const closer = h("input", { type: "checkbox" });
  closer.checked = near.value ?? isSmall(viewed());
  closer.addEventListener("change", () => { near.value = closer.checked; });
  controls.append(h("label", {}, closer, " near the target"));
  if (run.space.length > 1) controls.append(pairSelect(run, pair));
  element.append(controls, status, legend(run));
  return h("section", { class: "wide" }, element);
}

/** Whether what matters at the end is a small part of all that was found. */
function isSmall({ all, near }: PairView): boolean {
  const part = (i: 0 | 1): number => (near[i + 2]! - near[i]!) / (all[i + 2]! - all[i]!);
  return Math.min(part(0), part(1)) < 0.25;
}

let playing: number | undefined;

function player(button: HTMLButtonElement, frames: number, frame: () => number, show: (value: number) => void): void {
  const stop = (): void => {
    window.clearInterval(playing);
    playing = undefined;
    button.textContent = "Play";
  };
  button.addEventListener("click", () => {
    if (playing !== undefined) return stop();
    button.textContent = "Pause";
    if (frame() >= frames - 1) show(0);
    // A whole run takes some ten seconds, a short one a second a call.
    playing = window.setInterval(() => {
      if (!button.isConnected) return stop();
      show(frame() + 1);
      if (frame() >= frames - 1) stop();
    }, Math.max(40, Math.min(1000, 10000 / frames)));
  });
}

function pairSelect(run: RunData, pair: Choice<number>): HTMLElement {
  const select = h("select", { "aria-label": "measurements that are drawn" }, ...run.space.map((view, index) =>
    h("option", { value: String(index), selected: index === pair.value },
      `${axis(run, view.pair[0])} and ${axis(run, view.pair[1])}`)));
  select.addEventListener("change", () => { pair.value = Number(select.value); });
  return select;
}

function legend(run: RunData): HTMLElement {
  const entry = (name: string, text: string): HTMLElement => h("li", {}, h("span", { class: `key ${name}`, "aria-hidden": "true" }), text);
  const noisy = run.policies.some((policy) => policy.standard_error.some((error) => error > 0));
  return h("ul", { class: "legend" },
    entry("target", run.result.measurements.length > 2 ? "target (its shadow)" : "target"),
    entry("policy", "policy of the mixture"), entry("other", "policy found"), entry("mixture", "mixture and its way"),
    entry("cut", "nearest point of the target, separating line"),
    noisy ? entry("ellipse", "two standard errors") : null);
}
