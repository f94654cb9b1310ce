// The page of one run.
import { chartElement } from "./chart";
import { curvesSection } from "./curves";
import { distanceChart, storedChart, timeSection, weightsChart } from "./courses";
import type { RunData } from "./data";
import { num } from "./data";
import { count, format, h, seconds } from "./dom";
import { mapSection } from "./map";
import { constraintTable, memberTable, wordsSection } from "./members";
import { spaceSection } from "./space";
import { totalsSection } from "./totals";

const tones: Record<string, string> = { feasible: "good", optimal: "good", infeasible: "bad", running: "going" };

/** What the claim rests on, in a word. */
function grade(run: RunData): string {
  const { status, claim } = run.result;
  if (!claim || !(status in tones) || status === "running") return "";
  return claim.grade === "proof" ? "proven" : `with ${format(100 * num(claim.level))}% confidence`;
}

function verdict(run: RunData): HTMLElement {
  const at = run.headline.indexOf(": ");
  const colon = at > 0 && at < 60;
  const word = colon ? run.headline.slice(0, at) : run.result.status;
  const rest = colon ? run.headline.slice(at + 2) : run.headline;
  const sentence = rest.charAt(0).toUpperCase() + rest.slice(1);
  const sure = grade(run);
  return h("p", { class: `verdict ${tones[run.result.status] ?? "open"}` },
    h("strong", {}, word.includes("confidence") || !sure ? word : `${word}, ${sure}`), ` ${sentence}`);
}

function facts(run: RunData): HTMLElement {
  const result = run.result;
  const list: [string, string, string][] = [
    ["distance", format(result.distance) + (num(result.distance_standard_error) > 0 ? ` ± ${format(result.distance_standard_error, 3)}` : ""), String(result.distance)],
    ["lower bound", format(result.distance_lower_bound), String(result.distance_lower_bound)],
    ["oracle calls", count(result.oracle_calls), String(result.oracle_calls)],
    ["policies stored at most", count(result.policies_stored_max), String(result.policies_stored_max)],
  ];
  if (result.simulated) list.splice(1, 0, ["distance in the simulator", format(result.simulated.distance), String(result.simulated.distance)]);
  if (result.env_steps > 0) list.push(["environment steps", count(result.env_steps), String(result.env_steps)]);
  if (num(result.seconds) > 0) list.push(["took", seconds(num(result.seconds)), String(result.seconds)]);
  list.push(["solver", result.solver, result.solver], ["oracle", run.oracle, run.oracle], ["seed", String(result.seed), String(result.seed)]);
  return h("dl", { class: "facts" }, ...list.map(([name, text, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", { "data-fact": name, "data-value": value }, text))));
}

export function runPage(run: RunData, key: string): HTMLElement {
  const charts = run.history.call.length > 0
    ? h("section", { class: "wide" }, h("h2", {}, "How it got there"),
      h("div", { class: "charts" }, ...[distanceChart(run), storedChart(run), weightsChart(run)].map((chart) => chartElement(chart).element)))
    : null;
  return h("article", {},
    h("header", {}, h("h1", {}, run.name), verdict(run), facts(run),
      run.missing ? h("p", { class: "warning" }, run.missing) : null),
    ...[spaceSection(run, key), memberTable(run),
      h("div", { class: "columns" }, ...[constraintTable(run), wordsSection(run)].filter((part) => part !== null)),
      charts, mapSection(run, key), totalsSection(run),
      h("div", { class: "columns" }, ...[curvesSection(run), run.history.call.length > 0 ? timeSection(run) : null].filter((part) => part !== null))].filter((part) => part !== null),
    h("details", {}, h("summary", {}, "The problem, with every default filled in"), h("pre", { tabindex: "0" }, run.problem)));
}
