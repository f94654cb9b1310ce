// The page of an experiment: the curves as the paper draws them, or by other statistics, the table and the claims.
import * as Plot from "@observablehq/plot";
import { chartElement, colorOf, logAxis, plot, tick, type Chart, type Row } from "./chart";
import { Choice } from "./choices";
import type { Course, ExperimentData, Series, Spreads } from "./data";
import { count, format, h, shorten, table } from "./dom";

interface View {
  clock: Choice<"calls" | "steps" | "seconds">;
  statistic: Choice<"mean" | "median" | "iqm">;
  logX: Choice<boolean>;
  logY: Choice<boolean>;
  hidden: Choice<string[]>;
}

const statistics = {
  mean: { text: "mean ± standard deviation", band: (of: Spreads, i: number) => [of.mean[i]! - of.sd[i]!, of.mean[i]! + of.sd[i]!] },
  median: { text: "median and quartiles", band: (of: Spreads, i: number) => [of.q1[i]!, of.q3[i]!] },
  iqm: { text: "interquartile mean, 95% bootstrap", band: (of: Spreads, i: number) => [of.iqm_low[i]!, of.iqm_high[i]!] },
} as const;
const clocks = { calls: "oracle calls", steps: "environment steps", seconds: "seconds" } as const;

interface CurveRow extends Row {
  method: string;
  at: number;
  value: number;
  low: number;
  high: number;
}

function rowsOf(series: Series[], quantity: "error" | "policies", view: View): CurveRow[] {
  return series.filter((entry) => !view.hidden.value.includes(entry.method)).flatMap((entry) => {
    const course: Course = entry[view.clock.value];
    const spreads = course[quantity];
    return course.at.map((at, i) => {
      const [low, high] = statistics[view.statistic.value].band(spreads, i);
      return { method: entry.method, at, value: spreads[view.statistic.value][i]!, low: low!, high: high! };
    });
  });
}

function curveChart(group: Group, quantity: "error" | "policies", methods: string[], view: View): Chart {
  const title = quantity === "error" ? "Approximation error" : "Policies stored";
  const name = group.name ? `${title}: ${group.name}` : title;
  const rows = (): CurveRow[] => rowsOf(group.series, quantity, view);
  const last = group.series.map((entry) => {
    const course = entry.calls;
    return `${shorten(entry.method)} ${format(course[quantity].mean[course.at.length - 1], 4)}`;
  });
  return {
    title: name,
    description: `Mean at the end: ${last.join(", ")}.`,
    rows,
    draw: (width) => {
      const drawn = rows();
      const log = view.logY.value;
      const positive = drawn.flatMap((row) => [row.value, row.low]).filter((value) => value > 0);
      const values = drawn.map((row) => row.value).filter((value) => value > 0);
      // A band that reaches below zero has no end on a logarithmic axis: the picture ends a little below the lines.
      const least = values.reduce((a, b) => Math.min(a, b), Infinity);
      // What is smaller than the largest by more than numbers can tell is zero.
      const most = values.reduce((a, b) => Math.max(a, b), 0);
      const floor = values.length === 0 ? 1e-12 : quantity === "error" ? Math.max(least / 3, most * 1e-16) : 0.9 * least;
      const top = drawn.reduce((most, row) => Math.max(most, row.high), positive.length > 0 ? floor * (quantity === "error" ? 10 : 2) : 1);
      const at = (value: number): number => (log ? Math.max(floor, value) : value);
      return plot(width, {
        x: view.logX.value ? logAxis(clocks[view.clock.value], drawn.map((row) => row.at), 5) : { label: clocks[view.clock.value], tickFormat: tick, ticks: 6 },
        y: log ? { ...logAxis(title.toLowerCase(), [floor, top * 1.2]), clamp: true, grid: true }
          : { label: title.toLowerCase(), grid: true, nice: true, tickFormat: tick },
        color: { domain: methods, range: methods.map((_, i) => colorOf(i)) },
        marks: [
          Plot.areaY(drawn, { x: "at", y1: (row: CurveRow) => at(row.low), y2: (row: CurveRow) => at(row.high), fill: "method", fillOpacity: 0.18, z: "method" }),
          Plot.line(drawn, { x: "at", y: (row: CurveRow) => at(row.value), stroke: "method", strokeWidth: 1.8, z: "method" }),
          Plot.tip(drawn, Plot.pointer({ x: "at", y: (row: CurveRow) => at(row.value),
            title: (row: CurveRow) => `${shorten(row.method, 60)}\n${clocks[view.clock.value]} ${format(row.at, 4)}\n${format(row.value, 4)} (${format(row.low, 3)} to ${format(row.high, 3)})` })),
        ],
      });
    },
  };
}

interface Group {
  name: string;
  series: Series[];
}

/** One pair of charts for each problem and variant of the axes. */
function groupsOf(experiment: ExperimentData): Group[] {
  const groups = new Map<string, Group>();
  const several = new Set(experiment.series.map((entry) => entry.problem)).size > 1;
  for (const entry of experiment.series) {
    const id = JSON.stringify([entry.problem, entry.variants]);
    const parts = [several ? entry.problem : "", ...entry.variants.map((variant, i) => `${experiment.axes[i]} ${variant}`)];
    const group = groups.get(id) ?? { name: parts.filter(Boolean).map((part) => shorten(part)).join(", "), series: [] };
    group.series.push(entry);
    groups.set(id, group);
  }
  return [...groups.values()];
}

function choose<T extends string>(label: string, options: Record<T, string>, choice: Choice<T>): HTMLElement {
  const select = h("select", {}, ...(Object.entries(options) as [T, string][]).map(([value, text]) =>
    h("option", { value, selected: value === choice.value }, text)));
  select.addEventListener("change", () => { choice.value = select.value as T; });
  return h("label", {}, label, " ", select);
}

function check(label: string, choice: Choice<boolean>): HTMLElement {
  const box = h("input", { type: "checkbox" });
  box.checked = choice.value;
  box.addEventListener("change", () => { choice.value = box.checked; });
  return h("label", {}, box, " ", label);
}

/** A button a method: pressed while it is drawn. */
function legend(methods: string[], view: View): HTMLElement {
  return h("div", { class: "legend toggles", role: "group", "aria-label": "methods that are drawn" }, ...methods.map((method, i) => {
    const key = h("span", { class: "key", "aria-hidden": "true" });
    key.style.background = colorOf(i);
    const button = h("button", { type: "button", "aria-pressed": String(!view.hidden.value.includes(method)) }, key, shorten(method, 60));
    button.addEventListener("click", () => {
      const hidden = view.hidden.value;
      view.hidden.value = hidden.includes(method) ? hidden.filter((name) => name !== method) : [...hidden, method];
      button.setAttribute("aria-pressed", String(!view.hidden.value.includes(method)));
    });
    return button;
  }));
}

function claimsSection(experiment: ExperimentData): HTMLElement | null {
  const [head, ...rows] = experiment.claims;
  if (!head || rows.length === 0) return null;
  return h("section", { id: "claims" }, h("h2", {}, "Claims"), table(head, rows.map((row) => row.map((text, i) =>
    i < 2 ? text : h("td", {}, h("span", { class: `badge ${text === "yes" ? "holds" : "violated"}` }, text)))), "What was claimed, and what came out"));
}

export function experimentPage(experiment: ExperimentData, key: string): HTMLElement {
  const methods = [...new Set(experiment.series.map((entry) => entry.method))];
  const view: View = {
    clock: new Choice(`${key}/clock`, "calls"), statistic: new Choice(`${key}/statistic`, "mean"),
    logX: new Choice(`${key}/logx`, true), logY: new Choice(`${key}/logy`, true), hidden: new Choice(`${key}/hidden`, []),
  };
  const redraws: (() => void)[] = [];
  const pairs = groupsOf(experiment).map((group) => {
    const charts = (["error", "policies"] as const).map((quantity) => chartElement(curveChart(group, quantity, methods, view)));
    redraws.push(...charts.map((chart) => chart.redraw));
    return h("div", { class: "charts two" }, ...charts.map((chart) => chart.element));
  });
  for (const choice of Object.values(view)) (choice as Choice<unknown>).onChange(() => redraws.forEach((redraw) => redraw()));
  const [head, ...rows] = experiment.overview;
  const hasSteps = experiment.series.some((entry) => entry.steps.at.length > 0);
  const offered = Object.fromEntries(Object.entries(clocks).filter(([name]) => name !== "steps" || hasSteps)) as typeof clocks;
  const texts = Object.fromEntries(Object.entries(statistics).map(([name, { text }]) => [name, text])) as Record<keyof typeof statistics, string>;
  return h("article", {},
    h("header", {}, h("h1", {}, experiment.name), verdict(experiment)),
    h("section", { class: "wide" }, h("h2", {}, "Error and stored policies"),
      h("div", { class: "controls" }, choose("statistic", texts, view.statistic), choose("against", offered, view.clock),
        check("log x", view.logX), check("log y", view.logY)),
      legend(methods, view), ...pairs,
      h("p", { class: "note" }, "Error is half the squared distance to the target, above the best that is possible. On a logarithmic axis, what reaches below the picture is cut off at its edge.")),
    claimsSection(experiment),
    head ? h("section", {}, h("h2", {}, "All methods"), table(head, rows, "All methods at the end")) : null);
}

function verdict(experiment: ExperimentData): HTMLElement {
  const claims = experiment.claims.length - 1;
  const done = experiment.done === experiment.cells ? `All ${count(experiment.cells)} cells are finished.`
    : `${count(experiment.done)} of ${count(experiment.cells)} cells are finished.`;
  const kept = experiment.claims.slice(1).filter((row) => row[2] === "yes").length;
  const words = claims <= 0 ? "" : ` ${kept} of ${claims} claims hold.`;
  const tone = experiment.done < experiment.cells ? "going" : claims <= 0 ? "open" : experiment.all_hold ? "good" : "bad";
  return h("p", { class: `verdict ${tone}` }, h("strong", {}, `${count(experiment.seeds)} seeds`), ` ${done}${words}`);
}
