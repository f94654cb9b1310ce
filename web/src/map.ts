// A map: what each policy does in its cells and how often it is there, and episodes that are played.
import { Choice } from "./choices";
import type { GridMap, RunData } from "./data";
import { num } from "./data";
import { count, format, freshId, h, s } from "./dom";

const cell = 36;
const moves: [number, number][] = [[0, -1], [0, 1], [-1, 0], [1, 0]];

interface Panel {
  name: string;
  weight: number;
  visits: number[];
  actions: (number[] | null)[];
}

function panelsOf(run: RunData, map: GridMap): Panel[] {
  const weights = run.result.policies.map((policy) => num(policy.weight));
  const panels = map.policies.map((policy, i) => ({
    name: run.result.policies[i]!.id, weight: weights[i]!, visits: policy.visits, actions: policy.actions,
  }));
  const sum = (of: (panel: Panel) => number): number => panels.reduce((all, panel) => all + panel.weight * of(panel), 0);
  const visits = panels[0]!.visits.map((_, state) => sum((panel) => panel.visits[state]!));
  // What the mixture does where it is: each policy counts as often as it is there.
  const actions = visits.map((visited, state) => visited > 0
    ? moves.map((_, a) => sum((panel) => panel.visits[state]! * (panel.actions[state]?.[a] ?? 0)) / visited) : null);
  return [{ name: "mixture", weight: 1, visits, actions }, ...panels];
}

function arrow(x: number, y: number, move: [number, number], part: number, faint: boolean): SVGElement {
  const length = (0.12 + 0.26 * part) * cell;
  const [dx, dy] = move;
  // One that is alone stands in the middle; several begin there.
  if (part > 0.99) [x, y] = [x - dx * length / 2, y - dy * length / 2];
  const tip = [x + dx * length, y + dy * length];
  const back = 0.14 * cell;
  const path = `M${x},${y}L${tip[0]},${tip[1]}M${tip[0]! - dx * back - dy * back * 0.7},${tip[1]! - dy * back - dx * back * 0.7}` +
    `L${tip[0]},${tip[1]}L${tip[0]! - dx * back + dy * back * 0.7},${tip[1]! - dy * back + dx * back * 0.7}`;
  return s("path", { d: path, class: faint ? "arrow faint" : "arrow", "stroke-opacity": faint ? 0.25 : 0.35 + 0.65 * part });
}

function drawPanel(map: GridMap, panel: Panel, most: number): SVGSVGElement {
  const columns = map.columns, rows = map.marks.length / columns;
  const svg = s("svg", { viewBox: `-1 -1 ${columns * cell + 2} ${rows * cell + 2}`, class: "map", role: "img", "aria-label": `map of ${panel.name}` });
  const ends = new Set(map.terminal), blocked = new Set(map.blocked);
  for (let state = 0; state < columns * rows; ++state) {
    const x = (state % columns) * cell, y = Math.floor(state / columns) * cell;
    const mark = map.marks[state]!;
    const visited = panel.visits[state]!;
    svg.append(s("rect", { x, y, width: cell, height: cell, class: blocked.has(state) ? "wall" : "ground" }));
    if (blocked.has(state)) continue;
    if (mark !== "" && mark !== "S" && mark !== "G") svg.append(s("rect", { x, y, width: cell, height: cell, class: "special" }));
    if (visited > 0) {
      svg.append(s("rect", { x: x + 1, y: y + 1, width: cell - 2, height: cell - 2, class: "heat", "fill-opacity": (0.08 + 0.52 * Math.sqrt(visited / most)).toFixed(3) },
        s("title", {}, `${format(visited, 4)} visits an episode`)));
    }
    if (mark !== "") svg.append(s("text", { x: x + 4, y: y + 11, class: "mark" }, mark));
    const actions = panel.actions[state];
    if (actions && !ends.has(state)) {
      actions.forEach((part, a) => { if (part > 0.01) svg.append(arrow(x + cell / 2, y + cell / 2, moves[a]!, part, visited === 0)); });
    }
  }
  return svg;
}

/** Walks episodes through a panel, one after the other. */
function walker(map: GridMap, svg: SVGSVGElement, episodes: number[][], status: HTMLElement): { start: () => void; stop: () => void; running: () => boolean } {
  const columns = map.columns;
  const dot = s("circle", { r: cell * 0.26, class: "walker" });
  const trail = s("polyline", { class: "trail" });
  const at = (state: number): [number, number] => [(state % columns + 0.5) * cell, (Math.floor(state / columns) + 0.5) * cell];
  let timer: number | undefined, episode = 0, step = 0;
  const stop = (): void => {
    window.clearInterval(timer);
    timer = undefined;
  };
  const tick = (): void => {
    if (!svg.isConnected) return stop();
    const cells = episodes[episode % episodes.length]!;
    if (step >= cells.length + 3) {
      step = 0;
      ++episode;
      return;
    }
    const now = Math.min(step, cells.length - 1);
    const [x, y] = at(cells[now]!);
    dot.setAttribute("cx", String(x));
    dot.setAttribute("cy", String(y));
    trail.setAttribute("points", cells.slice(Math.max(0, now - 60), now + 1).map((state) => at(state).join(",")).join(" "));
    status.textContent = `Episode ${(episode % episodes.length) + 1} of ${episodes.length}, step ${now} of ${cells.length - 1}`;
    ++step;
  };
  return {
    start: () => {
      svg.append(trail, dot);
      tick();
      timer = window.setInterval(tick, 180);
    },
    stop,
    running: () => timer !== undefined,
  };
}

/** The mixture draws a policy for each episode. */
function mixedEpisodes(run: RunData, map: GridMap): number[][] {
  const used = map.policies.map(() => 0), due = map.policies.map(() => 0);
  return Array.from({ length: 8 }, () => {
    run.result.policies.forEach((policy, i) => { due[i]! += num(policy.weight); });
    const next = due.indexOf(Math.max(...due));
    due[next]! -= 1;
    const episodes = map.policies[next]!.episodes;
    return episodes[used[next]!++ % episodes.length]!;
  });
}

export function mapSection(run: RunData, key: string): HTMLElement | null {
  const map = run.map;
  if (!map || map.policies.length === 0) return null;
  const shown = 4;
  const panels = panelsOf(run, map).slice(0, 1 + shown);
  const most = Math.max(...panels.flatMap((panel) => panel.visits));
  const choice = new Choice<number>(`${key}/walk`, 0);
  const status = h("p", { class: "status", "aria-live": "off" }, "");
  const figures = panels.map((panel, i) => {
    const svg = drawPanel(map, panel, most);
    const caption = freshId();
    svg.setAttribute("aria-labelledby", caption);
    const figure = h("figure", {}, h("figcaption", { id: caption },
      h("h3", {}, i === 0 ? "mixture" : `${panel.name}, weight ${format(panel.weight, 4)}`),
      h("span", { class: "spoken" }, spokenPanel(panel, map))));
    figure.append(svg);
    return { svg, figure };
  });
  let walk: ReturnType<typeof walker> | null = null;
  const button = h("button", { type: "button" }, "Play episodes");
  const select = h("select", { "aria-label": "policy whose episodes are played" }, ...panels.map((panel, i) =>
    h("option", { value: String(i), selected: i === choice.value }, panel.name)));
  const restart = (): void => {
    walk?.stop();
    const i = Math.min(choice.value, panels.length - 1);
    walk = walker(map, figures[i]!.svg, i === 0 ? mixedEpisodes(run, map) : map.policies[i - 1]!.episodes, status);
    walk.start();
    button.textContent = "Stop";
  };
  button.addEventListener("click", () => {
    if (!walk?.running()) return restart();
    walk.stop();
    button.textContent = "Play episodes";
  });
  select.addEventListener("change", () => {
    choice.value = Number(select.value);
    if (walk?.running()) restart();
  });
  const more = map.policies.length - shown;
  return h("section", { class: "wide" }, h("h2", {}, "On the map"),
    h("div", { class: "controls" }, button, select, status),
    h("div", { class: "maps" }, ...figures.map(({ figure }) => figure)),
    h("p", { class: "note" }, "The bluer a cell, the more often an episode is there; arrows are what is done there, faint where the policy never is.",
      more > 0 ? ` ${count(more)} more policies are not drawn.` : ""));
}

function spokenPanel(panel: Panel, map: GridMap): string {
  const columns = map.columns;
  const often = panel.visits.map((visits, state) => ({ visits, state })).sort((a, b) => b.visits - a.visits).slice(0, 3).filter(({ visits }) => visits > 0);
  return `Most often in ${often.map(({ visits, state }) => `row ${Math.floor(state / columns) + 1}, column ${(state % columns) + 1} (${format(visits, 3)} visits)`).join("; ")}.`;
}
