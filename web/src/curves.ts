// What the learner had come to on the way, in each call.
import * as Plot from "@observablehq/plot";
import { chartElement, colorOf, plot, tick, type Row } from "./chart";
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
  const chart = chartElement({
    title: "Learning curves",
    description: `${curves.length} curves: the mean of direction·J of training episodes, by the steps taken in a call. Lower is better.`,
    note: "Lines: what training episodes came to. Dots: policies on the way, measured on episodes of their own.",
    rows: () => rows,
    draw: (width) => plot(width, {
      x: { label: "steps of training in the call", tickFormat: tick, zero: true },
      y: { label: "direction · J", grid: true },
      color: few ? { domain: names, range: names.map((_, i) => colorOf(i)), legend: true }
        : { type: "sequential", scheme: "viridis", label: "call", legend: true },
      marks: [
        Plot.line(rows.filter((row) => row.checked === "no"), { x: "steps", y: "value", z: "curve", stroke: color, strokeOpacity: 0.8 }),
        Plot.dot(checks, { x: "steps", y: "value", fill: color, r: 3 }),
        Plot.tip(rows, Plot.pointer({ x: "steps", y: "value", title: (row: Row) => `${row.curve}\n${count(row.steps as number)} steps\n${format(row.value as number)}` })),
      ],
    }),
  });
  return h("section", { class: "wide" }, h("h2", {}, "How the oracle learned"), chart.element);
}
