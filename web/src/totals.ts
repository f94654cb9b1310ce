// How the totals of single episodes are spread, beside the mean that the constraints are about.
import * as Plot from "@observablehq/plot";
import { chartElement, colorOf, plot, type Row } from "./chart";
import type { RunData } from "./data";
import { num } from "./data";
import { count, format, h, shorten } from "./dom";

export function totalsSection(run: RunData): HTMLElement | null {
  const totals = run.totals;
  if (!totals) return null;
  const result = run.result;
  const most = 7;
  const names = result.policies.map((policy, i) => i < most ? policy.id : "others");
  const domain = [...new Set(names)];
  const charts = totals.measurements.map((measurement, k) => {
    const name = result.measurements[k]!;
    const rows: Row[] = measurement.shares.flatMap((shares, i) => shares.map((share, bin) => ({
      policy: names[i]!, from: measurement.edges[bin]!, to: measurement.edges[bin + 1]!, share,
    })).filter((row) => row.share > 0));
    const mean = num(result.simulated ? result.simulated.measurement[k]! : result.measurement[k]!);
    return chartElement({
      title: `Episode totals: ${shorten(name)}`,
      description: `The mean is ${format(mean)}; totals of single episodes lie between ${format(measurement.edges[0])} and ${format(measurement.edges[measurement.edges.length - 1])}.`,
      rows: () => rows,
      draw: (width) => plot(width, {
        marginTop: 42,  // the mean stands below the label of the axis
        x: { label: shorten(name, 30) },
        y: { label: "share of episodes", grid: true, tickFormat: (value: number) => `${format(100 * value, 3)}%` },
        color: { domain, range: domain.map((_, i) => colorOf(i)), legend: true },
        marks: [
          Plot.rectY(rows, Plot.stackY({ x1: "from", x2: "to", y: "share", z: "policy", fill: "policy", insetLeft: 0.5, insetRight: 0.5, order: domain })),
          Plot.ruleX([mean], { stroke: "currentColor", strokeWidth: 2 }),
          Plot.text([mean], { x: (value: number) => value, frameAnchor: "top", lineAnchor: "bottom", dy: -3, text: () => `mean ${format(mean, 4)}` }),
          Plot.ruleY([0]),
          Plot.tip(rows, Plot.pointer(Plot.stackY({ x: (row: Row) => ((row.from as number) + (row.to as number)) / 2, y: "share", z: "policy", order: domain,
            title: (row: Row) => `${row.policy}\n${format(row.from as number, 4)} to ${format(row.to as number, 4)}\n${format(100 * (row.share as number), 3)}% of episodes` }))),
        ],
      }),
    }).element;
  });
  return h("section", { class: "wide" }, h("h2", {}, "Single episodes"),
    h("p", { class: "note" }, `The constraints are about means. ${count(totals.episodes)} fresh episodes${run.offline ? " in the simulator, which the run did not see," : ""} show how single ones are spread.`),
    h("div", { class: "charts" }, ...charts));
}
