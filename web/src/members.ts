// The tables of a run: what the mixture is made of, and how it stands to each constraint.
import type { Constraint, Num, RunData } from "./data";
import { num } from "./data";
import { count, format, h, numberCell, table } from "./dom";

function measured(value: Num, error: Num): HTMLElement {
  return numberCell(value, num(error) > 0 ? `${format(value)} ± ${format(error, 3)}` : format(value));
}

/** Two standard errors each way: most of the means of so many episodes lie as near. */
function interval(value: Num, error: Num): string {
  const x = num(value), e = num(error);
  return e > 0 ? `${format(x - 2 * e, 4)} to ${format(x + 2 * e, 4)}` : "exact";
}

export function memberTable(run: RunData): HTMLElement | null {
  const result = run.result;
  if (result.policies.length === 0) return null;
  const noisy = result.standard_error.some((error) => num(error) > 0);
  const most = 60;
  const policies = [...result.policies].sort((a, b) => num(b.weight) - num(a.weight)).slice(0, most);
  const names = result.measurements;
  const head = ["policy", "weight", ...names.flatMap((name) => noisy ? [name, "interval"] : [name]), ...(noisy ? ["episodes"] : [])];
  const cells = (values: Num[], errors: Num[]): HTMLElement[] =>
    values.flatMap((value, k) => noisy ? [measured(value, errors[k]!), h("td", { class: "number quiet" }, interval(value, errors[k]!))] : [measured(value, errors[k] ?? 0)]);
  const rows: (Node | string)[][] = policies.map((policy) => [
    policy.id, numberCell(policy.weight, format(policy.weight, 5)), ...cells(policy.measurement, policy.standard_error),
    ...(noisy ? [h("td", { class: "number" }, policy.episodes ? count(policy.episodes) : "")] : []),
  ]);
  rows.push(["mixture", numberCell(1), ...cells(result.measurement, result.standard_error), ...(noisy ? [""] : [])]);
  if (result.simulated) {
    rows.push(["in the simulator", numberCell(1), ...result.simulated.measurement.flatMap((value) => noisy ? [numberCell(value), ""] : [numberCell(value)]), ...(noisy ? [""] : [])]);
  }
  const more = result.policies.length - policies.length;
  return h("section", { id: "members" }, h("h2", {}, "The mixture"), table(head, rows, "Policies of the mixture"),
    noisy ? h("p", { class: "note" }, "± one standard error; intervals are two each way.") : null,
    more > 0 ? h("p", { class: "note" }, `${count(more)} more policies with smaller weights are in result.json.`) : null);
}

function boundText(constraint: Constraint): string {
  return (constraint.parts ?? []).map((part) => {
    const low = num(part.lower), high = num(part.upper);
    if (low === high) return `= ${format(low)}`;
    return [Number.isFinite(low) ? `≥ ${format(low)}` : "", Number.isFinite(high) ? `≤ ${format(high)}` : ""].filter(Boolean).join(", ");
  }).join("; ");
}

export function constraintTable(run: RunData): HTMLElement | null {
  if (run.constraints.length === 0) return null;
  const rows = run.constraints.map((constraint): (Node | string)[] => [
    h("th", { scope: "row" }, h("code", {}, constraint.text)),
    h("td", { class: "number", "data-value": String(constraint.parts?.[0]?.value ?? "") },
      (constraint.parts ?? []).map((part) => format(part.value)).join("; ")),
    h("td", { class: "number" }, boundText(constraint)),
    h("td", { class: "number", "data-value": String(constraint.slack ?? "") }, constraint.state === "tight" ? "0" : format(constraint.slack, 4)),
    h("td", {}, constraint.state ? h("span", { class: `badge ${constraint.state}`, title: constraint.words ?? "" }, constraint.state) : ""),
  ]);
  return h("section", { id: "constraints" }, h("h2", {}, "Constraints"),
    table(["constraint", "value", "bound", "slack", ""], rows, "Constraints: value of the mixture, bound and slack"));
}

/** The lines of an argument stand under each other. */
export function wordsSection(run: RunData): HTMLElement | null {
  const { certificate, bracket, claim, cut } = run.words;
  if (!certificate && !bracket && !claim && !cut) return null;
  const rest = [bracket, claim, cut].filter(Boolean).flatMap((text) => text.trim().split("\n"));
  return h("section", { id: "words" }, h("h2", {}, certificate ? "Why not" : "What this rests on"),
    certificate ? h("pre", { tabindex: "0" }, certificate.trim()) : null,
    ...rest.map((line) => h("p", {}, line)));
}
