// How a run went, call by call: distance and bound, policies stored, weights, time.
import * as Plot from "@observablehq/plot";
import { chartElement, colorOf, logAxis, plot, tick, type Chart, type Row } from "./chart";
import type { RunData } from "./data";
import { num } from "./data";
import { count, format, h, seconds } from "./dom";

function callAxis(run: RunData): Plot.ScaleOptions {
  const calls = run.history.call, last = calls[calls.length - 1]!;
  if (last > 200) return logAxis("oracle call", [1, last], 5);
  const step = Math.max(1, Math.ceil(last / 8));
  return { label: "oracle call", domain: last > 1 ? [1, last] : [0.5, 1.5], tickFormat: "d",
    ticks: Array.from({ length: Math.floor(last / step) }, (_, i) => (i + 1) * step) };
}

/** The calls of the charts. What the run ended with, where that is known better, stands for its last call. */
function framesOf(run: RunData): number[] {
  const last = run.history.call.length - 1;
  return run.history.call.map((_, i) => i).filter((i) => !(run.history.ended && i === last - 1));
}

function thinNote(run: RunData): string {
  const { calls, call } = run.history;
  return calls > call.length
    ? `${count(call.length)} of ${count(calls)} calls are drawn: of every stretch the nearest, the farthest and the last.` : "";
}

export function distanceChart(run: RunData): Chart {
  const history = run.history;
  const tolerance = num(run.result.tolerance);
  const all = [...history.distance, ...history.bound].filter((value) => value > 0);
  const floor = Math.max(all.reduce((least, value) => Math.min(least, value), tolerance) / 3, 1e-17);
  const rows = framesOf(run).flatMap((i) => [
    { call: history.call[i]!, quantity: "distance", value: history.distance[i]! },
    { call: history.call[i]!, quantity: "lower bound", value: history.bound[i]! },
  ]);
  const zero = rows.some((row) => row.value <= floor);
  const last = history.call.length - 1;
  return {
    title: "Distance to the target",
    description: `The distance falls from ${format(history.distance[0])} to ${format(history.distance[last])} in ${history.call[last]} calls; ` +
      `the lower bound ends at ${format(history.bound[last])}.`,
    note: [zero ? "What is 0 is drawn on the lower edge." : "", thinNote(run)].join(" ").trim(),
    rows: () => rows,
    draw: (width) => plot(width, {
      x: callAxis(run),
      y: { ...logAxis("distance", [floor, ...all.map((value) => value * 1.3)]), clamp: true, grid: true },
      color: { domain: ["distance", "lower bound"], range: ["var(--mixture)", "var(--cut)"], legend: true },
      marks: [
        Plot.ruleY([tolerance], { stroke: "currentColor", strokeOpacity: 0.4, strokeDasharray: "2,4" }),
        Plot.line(rows, { x: "call", y: (row: Row) => Math.max(floor, row.value as number), stroke: "quantity", z: "quantity", curve: "step-after", strokeWidth: 1.8 }),
        Plot.dot(history.call.length <= 40 ? rows : [], { x: "call", y: (row: Row) => Math.max(floor, row.value as number), fill: "quantity", r: 3 }),
        Plot.tip(rows, Plot.pointer({ x: "call", y: (row: Row) => Math.max(floor, row.value as number),
          title: (row: Row) => `call ${row.call}\n${row.quantity} ${format(row.value as number)}` })),
      ],
    }),
  };
}

export function storedChart(run: RunData): Chart {
  const history = run.history;
  const rows: Row[] = framesOf(run).map((i) => ({ call: history.call[i]!, policies: history.policies[i]! }));
  return {
    title: "Policies stored",
    description: `At most ${run.result.policies_stored_max} policies were stored at any time.`,
    note: thinNote(run),
    rows: () => rows,
    draw: (width) => plot(width, {
      x: callAxis(run),
      y: { label: "policies", grid: true, domain: [0, Math.max(2, ...history.policies) * 1.1], tickFormat: (value: number) => Number.isInteger(value) ? tick(value) : "",
        ticks: Math.min(5, Math.max(2, ...history.policies)) },
      marks: [
        Plot.line(rows, { x: "call", y: "policies", curve: "step-after", stroke: "var(--policy)", strokeWidth: 1.8 }),
        Plot.dot(rows.length <= 40 ? rows : [], { x: "call", y: "policies", fill: "var(--policy)", r: 3 }),
        Plot.tip(rows, Plot.pointerX({ x: "call", y: "policies" })),
      ],
    }),
  };
}

/** The policies that had the largest weights; all others together are one more. */
export function weightsChart(run: RunData): Chart {
  const history = run.history;
  const totals = new Map<number, number>();
  for (const weights of history.weights) for (const [call, weight] of weights) totals.set(call, (totals.get(call) ?? 0) + weight);
  for (const [call] of history.weights[history.weights.length - 1] ?? []) totals.set(call, (totals.get(call) ?? 0) + 1e6);
  const most = 7;
  const shown = [...totals].sort((a, b) => b[1] - a[1]).slice(0, most).map(([call]) => call).sort((a, b) => a - b);
  const names = shown.map((call) => `call ${call}`);
  const rows: Row[] = framesOf(run).flatMap((i) => {
    const call = history.call[i]!;
    const weights = new Map(history.weights[i]!);
    const parts = shown.map((policy) => ({ call, policy: `call ${policy}`, weight: weights.get(policy) ?? 0 }));
    const rest = Math.max(0, 1 - parts.reduce((sum, part) => sum + part.weight, 0));
    return [...parts, { call, policy: "others", weight: rest > 1e-5 ? rest : 0 }];
  });
  const others = rows.some((row) => row.policy === "others" && (row.weight as number) > 0);
  const last = history.weights[history.weights.length - 1] ?? [];
  const calls = history.call[history.call.length - 1]!;
  const few = calls <= 200;
  return {
    title: "Weights of the mixture",
    description: `At the end: ${last.map(([call, weight]) => `call ${call} ${format(weight, 4)}`).join(", ")}.`,
    note: thinNote(run),
    rows: () => rows,
    draw: (width) => plot(width, {
      x: few ? { ...callAxis(run), domain: [0.5, calls + 0.5] } : callAxis(run),
      y: { label: "weight", domain: [0, 1] },
      color: { domain: others ? [...names, "others"] : names, range: [...names.map((_, i) => colorOf(i)), "#999"], legend: true },
      marks: [
        few
          ? Plot.rectY(rows, Plot.stackY({ x1: (row: Row) => (row.call as number) - 0.5, x2: (row: Row) => (row.call as number) + 0.5,
            y: "weight", z: "policy", fill: "policy", inset: calls < 30 ? 0.5 : 0, order: [...names, "others"] }))
          : Plot.areaY(rows, Plot.stackY({ x: "call", y: "weight", z: "policy", fill: "policy", curve: "step-after", order: [...names, "others"] })),
        Plot.tip(rows, Plot.pointer(Plot.stackY({ x: "call", y: "weight", z: "policy", fill: "policy", order: [...names, "others"] }))),
      ],
    }),
  };
}

export function timeSection(run: RunData): HTMLElement {
  const parts: [string, number, string][] = [
    ["oracle", run.time.oracle, colorOf(0)],
    ["fresh episodes", run.time.drawing, colorOf(2)],
  ];
  if (run.time.rest !== null) parts.push(["solver and all else", run.time.rest, colorOf(1)]);
  const shown = parts.filter(([, value]) => value > 0);
  const sum = shown.reduce((all, [, value]) => all + value, 0);
  const bar = h("div", { class: "bar", "aria-hidden": "true" });
  for (const [, value, color] of shown) {
    const piece = h("span", {});
    piece.style.width = `${(100 * value) / sum}%`;
    piece.style.background = color;
    bar.append(piece);
  }
  const list = h("ul", { class: "legend" }, ...shown.map(([name, value, color]) => {
    const key = h("span", { class: "key", "aria-hidden": "true" });
    key.style.background = color;
    return h("li", {}, key, `${name} ${seconds(value)} (${format((100 * value) / sum, 3)}%)`);
  }));
  const resumed = run.finished && run.time.rest === null;
  const made = run.history.ended ? run.history.call.slice(0, -1) : run.history.call;
  const rows: Row[] = made.map((call, i) => ({ call, seconds: run.history.seconds[i]!, steps: run.history.steps[i]!, attempts: run.history.attempts[i]! }));
  const positive = rows.filter((row) => (row.seconds as number) > 0);
  const few = made.length > 0 && made[made.length - 1]! <= 40;
  const chart = chartElement({
    title: "Seconds of each oracle call",
    description: `The oracle took ${seconds(run.time.oracle)} in ${count(run.history.calls)} calls.`,
    note: thinNote(run),
    rows: () => rows,
    draw: (width) => plot(width, {
      x: few ? { ...callAxis(run), domain: [0.5, made[made.length - 1]! + 0.5] } : callAxis(run),
      y: few ? { label: "seconds", tickFormat: tick, grid: true } : { ...logAxis("seconds", positive.map((row) => row.seconds as number)), grid: true },
      marks: [
        few ? Plot.rectY(positive, { x1: (row: Row) => (row.call as number) - 0.4, x2: (row: Row) => (row.call as number) + 0.4, y: "seconds", fill: colorOf(0) })
          : Plot.dot(positive, { x: "call", y: "seconds", fill: colorOf(0), r: positive.length > 100 ? 1.5 : 3 }),
        Plot.tip(positive, Plot.pointer({ x: "call", y: "seconds",
          title: (row: Row) => `call ${row.call}\n${seconds(row.seconds as number)}\n${count(row.steps as number)} steps\nasked ${row.attempts}×` })),
      ],
    }),
  });
  return h("section", {}, h("h2", {}, "Where the time went"), bar, list,
    resumed ? h("p", { class: "note" }, "The run was resumed: what the solver took before is not known.") : null, chart.element);
}
