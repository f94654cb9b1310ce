// What the learner had come to on the way, in each call.
import * as Plot from "@observablehq/plot";
import { chartElement, colorOf, logAxis, plot, tick, type Row } from "./chart";
import type { RunData } from "./data";
import { count, format, h } from "./dom";

export function curvesSection(run: RunData): HTMLElement | null {
  const curves = run.curves ?? [];
  if (curves.length === 0) return null;
  const rows: Row[] = curves.flatMap((curve) => curve.steps.map((steps, i) => ({
    curve: `call ${curve.call}${curve.attempt > 0 ? `, attempt ${curve.attempt + 1}` : ""}`, call: curve.call, steps,
    value: curve.value[i]!, checked: curve.checked[i] ? "yes" : "no",
  })));
  const names = [...new Set(rows.map((row) => row.curve as string))];
  const few = names.length <= 8;
  const color = few ? "curve" : "call";
  const checks = rows.filter((row) => row.checked === "yes");
  // From data, there are no episodes of training: lines lead from one policy that was tried to the next.
  const lines = run.offline ? checks : rows.filter((row) => row.checked === "no");
  // What the first steps of a training come to is often far from all that follows.
  const values = rows.map((row) => row.value as number), least = Math.min(...values), most = Math.max(...values);
  const wide = most > 20 * least;
  const axis = least > 0 && wide ? logAxis("direction · J", values) : { label: "direction · J", type: least === 0 && wide ? "sqrt" as const : "linear" as const };
  const unit = run.offline ? "updates" : "steps";
  const chart = chartElement({
    title: "Learning curves",
    description: `${curves.length} curves: direction·J by the ${unit} of training in a call. Lower is better.`,
    note: run.offline ? "Dots: policies on the way, as the data say by fitted-q; the last is the answer."
      : "Lines: what training episodes came to. Dots: policies on the way, measured on episodes of their own.",
    rows: () => rows,
    draw: (width) => plot(width, {
      x: { label: `${unit} of training in the call`, tickFormat: tick, zero: true },
      y: { ...axis, grid: true },
      color: few ? { domain: names, range: names.map((_, i) => colorOf(i)), legend: true }
        : { type: "sequential", scheme: "viridis", label: "call", legend: true },
      marks: [
        Plot.line(lines, { x: "steps", y: "value", z: "curve", stroke: color, strokeOpacity: 0.8 }),
        Plot.dot(checks, { x: "steps", y: "value", fill: color, r: 3 }),
        Plot.tip(rows, Plot.pointer({ x: "steps", y: "value", title: (row: Row) => `${row.curve}\n${count(row.steps as number)} ${unit}\n${format(row.value as number)}` })),
      ],
    }),
  });
  return h("section", {}, h("h2", {}, "How the oracle learned"), chart.element);
}
