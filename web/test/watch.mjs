// A run that is watched in a real browser while it goes on: c2rl's own server, its page, and what either does when the other ends.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { open } from "./browser.mjs";

/** c2rl with words behind it, once it has said where it can be watched. */
function start(command, folder, ...words) {
  const process = spawn(command, words, { cwd: folder });
  let output = "";
  const ended = new Promise((resolve) => process.on("close", (code) => resolve(code)));
  const address = new Promise((resolve, reject) => {
    const read = (text) => {
      output += text;
      const found = /http:\/\/127\.0\.0\.1:\d+\/\w+\//.exec(output);
      if (found) resolve(found[0]);
    };
    process.stdout.on("data", read);
    process.stderr.on("data", read);
    ended.then(() => reject(new Error(`${words.join(" ")} ended: ${output}`)));
  });
  address.catch(() => {});
  return { process, address, ended };
}

const fact = (page, name) => page.getAttribute(`[data-fact="${name}"]`, "data-value");
const calls = async (page) => Number(await fact(page, "oracle calls"));
const state = (page, name) => page.waitForSelector(`.live[data-state="${name}"]`);

export async function checkWatched(command, source, folder, checkAccess, checkWidth, expect) {
  const problem = join(source, "examples/navigation.toml");
  for (const name of ["watched", "killed"]) rmSync(join(folder, name), { recursive: true, force: true });
  const endless = ["--quiet", "--watch", "--set", "solver.kind=cg", "--set", "solver.max_oracle_calls=100000000"];
  const { page, problems, close } = await open();

  const run = start(command, folder, "solve", problem, "--out", "watched", ...endless);
  const address = await run.address;
  await page.goto(address);
  await state(page, "on");
  await page.waitForFunction(() => Number(document.querySelector('[data-fact="oracle calls"]')?.dataset.value) > 0);
  const before = await calls(page);
  await page.waitForFunction((than) => Number(document.querySelector('[data-fact="oracle calls"]').dataset.value) > than, before);
  expect("watched: the page follows the run", await calls(page) > before, true);
  run.process.kill("SIGINT");
  await state(page, "ended");
  const asked = problems.filter((text) => !text.startsWith(`request: ${address}`));
  await checkAccess(page, "watched");
  expect("watched: Ctrl-C stops the run", await run.ended, 4);
  const result = JSON.parse(readFileSync(join(folder, "watched/result.json"), "utf8"));
  expect("watched: the last page is that of the result", [await calls(page), await fact(page, "distance")], [result.oracle_calls, String(result.distance)]);
  expect("watched: no errors, and no requests elsewhere", asked, []);

  const killed = start(command, folder, "solve", problem, "--out", "killed", ...endless);
  await page.goto(await killed.address);
  await state(page, "on");
  await page.waitForSelector('[data-fact="oracle calls"]');
  killed.process.kill("SIGKILL");
  await state(page, "lost");
  expect("watched: the page of a killed run stays", await calls(page) > 0, true);

  const list = start(command, folder, "watch", ".");
  await page.goto(await list.address);
  await checkAccess(page, "list");
  await page.setViewportSize({ width: 390, height: 900 });
  await checkWidth(page, "list, 390");
  await page.setViewportSize({ width: 1200, height: 900 });
  await page.click('a[href="at/watched/"]');
  await state(page, "on");
  await page.waitForSelector('[data-fact="oracle calls"]');
  expect("watched: found in the list", await calls(page), result.oracle_calls);
  await close();
  list.process.kill("SIGINT");
  expect("watched: the list ends when it is told to", await list.ended, 0);
}
