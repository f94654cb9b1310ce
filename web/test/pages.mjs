// node pages.mjs COMMAND SOURCE FOLDER [--pictures]: pages of real runs, in a real browser. Each check states what it found; the
// exit status is 0 when all hold, 77 where there is no browser. With --pictures, what the pages look like is written to pictures/.
import { existsSync } from "node:fs";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { executable, open } from "./browser.mjs";
import { hostile, makeRuns } from "./runs.mjs";
import { comparePictures } from "./pictures.mjs";
import { checkLive } from "./live.mjs";
import { checkWatched } from "./watch.mjs";
import { checkGuide } from "./guide.mjs";

const [command, source, folder, ...rest] = process.argv.slice(2);
if (!existsSync(executable)) {
  console.log(`skipped: there is no ${executable}`);
  process.exit(77);
}
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const runs = makeRuns(command, source, folder);
let failures = 0;

export function expect(what, found, wanted) {
  const same = JSON.stringify(found) === JSON.stringify(wanted);
  if (!same) ++failures;
  console.log(`${same ? "ok    " : "FAILED"} ${what}${same ? "" : `: found ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`}`);
}

async function ready(page, name) {
  await page.goto(runs.page(name));
  await page.waitForFunction(() => [...document.querySelectorAll(".plot")].every((place) => place.querySelector("svg")));
}

/** What a table shows, by its numbers to the last digit. */
async function tableValues(page, section) {
  return page.$$eval(`#${section} tbody tr`, (rows) => rows.map((row) => [...row.querySelectorAll("[data-value]")].map((cell) => cell.dataset.value)));
}

async function checkRun(page, name) {
  const result = runs.result(name);
  await ready(page, name);
  const facts = Object.fromEntries(await page.$$eval("[data-fact]", (all) => all.map((fact) => [fact.dataset.fact, fact.dataset.value])));
  expect(`${name}: distance`, facts["distance"], String(result.distance));
  expect(`${name}: lower bound`, facts["lower bound"], String(result.distance_lower_bound));
  expect(`${name}: oracle calls`, facts["oracle calls"], String(result.oracle_calls));
  expect(`${name}: policies stored`, facts["policies stored at most"], String(result.policies_stored_max));
  const policies = [...result.policies].sort((a, b) => b.weight - a.weight);
  const wanted = policies.map((policy) => [String(policy.weight), ...policy.measurement.map(String)]);
  wanted.push(["1", ...result.measurement.map(String)]);
  if (result.simulated) wanted.push(["1", ...result.simulated.measurement.map(String)]);
  expect(`${name}: the mixture`, await tableValues(page, "members"), wanted);
  const verdict = await page.textContent(".verdict");
  expect(`${name}: the verdict says ${result.status}`, verdict.includes(result.status), true);
}

async function checkAccess(page, name) {
  await page.addScriptTag({ content: axe });
  const serious = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
  });
  expect(`${name}: no serious finding of axe`, serious, []);
}

async function checkWidth(page, name) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(`${name}: nothing reaches beyond the window`, wide <= 0, true);
}

async function checkSlider(page) {
  await ready(page, "finished");
  const slider = page.locator("input[type=range]");
  await slider.focus();
  await page.keyboard.press("Home");
  const first = await page.textContent("section .status");
  expect("slider: Home goes to the first call", first.startsWith("After call 1:"), true);
  await page.keyboard.press("ArrowRight");
  expect("slider: the arrow key goes on", (await page.textContent("section .status")).startsWith("After call 2:"), true);
  await page.click("button.play");
  await page.waitForFunction(() => document.querySelector("button.play").textContent === "Play", null, { timeout: 30000 });
  const calls = runs.result("finished").oracle_calls;
  expect("play: ends with the last call", (await page.textContent("section .status")).startsWith(`After call ${calls}:`), true);
}

async function checkDownloads(page) {
  await ready(page, "experiment");
  const read = async (selector) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(selector).first().click()]);
    return readFileSync(await download.path(), "utf8");
  };
  const csv = (await read("button[aria-label^='CSV of Approximation error']")).trim().split("\n");
  expect("CSV: header", csv[0], "method,at,value,low,high");
  // The first chart is of the learned oracle; its first row the first call.
  const summary = runs.text("experiment/summary.csv").trim().split("\n").map((line) => line.split(","));
  const columns = summary[0];
  const row = summary[1], field = (name) => Number(row[columns.indexOf(name)]);
  const [method, at, value, low] = csv[1].split(",");
  expect("CSV: method and call as in summary.csv", [method, Number(at)], [row[0], field("call")]);
  const close = (a, b) => Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b), 1e-12);
  expect("CSV: mean as in summary.csv", close(Number(value), field("error_mean")), true);
  expect("CSV: a standard deviation below", close(Number(low), field("error_mean") - field("error_sd")), true);
  const svg = await read("button[aria-label^='SVG of Approximation error']");
  expect("SVG: is one", svg.startsWith("<svg") && svg.includes("http://www.w3.org/2000/svg") && svg.endsWith("</svg>"), true);
}

async function checkExperiment(page) {
  await ready(page, "experiment");
  const claims = await page.$$eval("#claims tbody tr", (rows) => rows.map((row) => row.lastElementChild.textContent));
  expect("experiment: claims", claims, ["yes", "NO"]);
  const lines = () => page.$$eval(".plot", (plots) => plots.map((plot) => plot.querySelectorAll("[data-mark=line] path").length));
  expect("experiment: two methods in each chart", await lines(), [2, 2, 2, 2]);
  await page.click(".toggles button:first-child");
  expect("experiment: the legend hides one", await lines(), [1, 1, 1, 1]);
  await page.click(".toggles button:first-child");
  for (const statistic of ["median", "iqm"]) {
    await page.selectOption("select >> nth=0", statistic);
    expect(`experiment: ${statistic} is drawn`, await lines(), [2, 2, 2, 2]);
  }
  await page.selectOption("select >> nth=1", "seconds");
  expect("experiment: against seconds", await lines(), [2, 2, 2, 2]);
}

/** A line of learning.jsonl is a curve; its policies that were tried are dots. */
async function checkCurves(page, name) {
  await ready(page, name);
  const attempts = runs.lines(`${name}/learning.jsonl`).flatMap(({ attempts }) => attempts);
  const tried = attempts.flatMap(({ checked }) => checked).filter(Boolean).length;
  const chart = page.locator("figure", { hasText: "Learning curves" });
  expect(`${name}: curves: policies that were tried`, await chart.locator("[data-mark=dot] circle").count(), tried);
  const lines = await chart.locator("[data-mark=line] path").count();
  expect(`${name}: curves: a line, at most one an attempt`, lines > 0 && lines <= attempts.length, true);
}

/** Cells, walls and treasures of the map, and an episode that is played to its end. */
async function checkMap(page) {
  await ready(page, "sea");
  const cells = await page.$$eval(".map", (maps) => maps.map((map) => ["ground", "wall", "mark"].map((kind) => map.querySelectorAll(`.${kind}`).length)));
  expect("map: 61 cells, 49 of sea floor, a start and 10 treasures, for the mixture and each policy", cells, Array(3).fill([61, 49, 11]));
  await page.getByRole("button", { name: "Play episodes" }).click();
  // The first episode of the mixture is of the policy with the greater weight, which takes one step.
  await page.waitForFunction(() => document.querySelector(".maps").parentElement.querySelector(".status").textContent === "Episode 1 of 8, step 1 of 1");
  expect("map: it ends at the nearest treasure", await page.$eval(".walker", (dot) => [dot.getAttribute("cx"), dot.getAttribute("cy")]), ["18", "54"]);
}

async function checkHostile(page) {
  await ready(page, "hostile");
  expect("hostile: the title is the page's own", (await page.title()).startsWith("c2rl: </script>"), true);
  expect("hostile: the name is text", await page.textContent("h1"), hostile.run);
  const heads = await page.$$eval("#members thead th", (cells) => cells.map((cell) => cell.textContent));
  expect("hostile: the measurements are text", [heads[2] === hostile.first, heads[3] === hostile.second], [true, true]);
  expect("hostile: no element came of them", await page.$$eval("img, h1 script, b", (all) => all.length), 0);
}

for (const [scheme, width] of [["light", 1200], ["dark", 390]]) {
  const { page, problems, close } = await open({ width, scheme });
  for (const name of ["finished", "infeasible", "learned", "trained", "offline", "sea", "experiment", "hostile", "several.html", "side.html"]) {
    await ready(page, name);
    await checkAccess(page, `${name} (${scheme}, ${width})`);
    await checkWidth(page, `${name} (${scheme}, ${width})`);
  }
  expect(`${scheme}, ${width}: no errors and no requests`, problems, []);
  await close();
}
const { page, problems, close } = await open();
for (const name of ["finished", "infeasible", "learned", "trained", "offline", "sea"]) await checkRun(page, name);
for (const name of ["learned", "trained", "offline"]) await checkCurves(page, name);
await ready(page, "infeasible");
expect("infeasible: the certificate's words", (await page.textContent("#words pre")).includes("3 steps + 2 risk >= 32"), true);
await checkSlider(page);
await checkMap(page);
await checkExperiment(page);
await checkDownloads(page);
await checkHostile(page);
await comparePictures(page, ready, expect, rest.includes("--pictures"));
expect("no errors and no requests", problems, []);
await close();
await checkLive(runs, expect);
await checkWatched(command, source, folder, checkAccess, checkWidth, expect);
await checkGuide(source, folder, checkAccess, checkWidth, expect);
console.log(failures === 0 ? "all hold" : `${failures} do not hold`);
process.exit(failures === 0 ? 0 : 1);
