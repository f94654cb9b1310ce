// node guide_pictures.mjs COMMAND SOURCE FOLDER: the pictures of README and the guide, docs/images, from the page of a run that is made
// for them in FOLDER.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { open } from "./browser.mjs";

const [command, source, folder] = process.argv.slice(2).map((path) => resolve(path));
rmSync(folder, { recursive: true, force: true });
execFileSync(command, ["solve", join(source, "examples/navigation.toml"), "--out", folder, "--report"], { stdio: "ignore" });
const { page, close } = await open({ width: 960, height: 900 });
await page.goto(`file://${folder}/report.html`);
await page.waitForFunction(() => [...document.querySelectorAll(".plot")].every((place) => place.querySelector("svg")));

/** From where one heading begins to where another does, with so much beside. */
async function take(name, from, to) {
  const top = async (text) => (await page.locator("h1, h2").filter({ hasText: text }).first().boundingBox()).y;
  const begin = Math.max(0, await top(from) - 8), end = await top(to) - 16;
  await page.screenshot({ path: join(source, "docs/images", name), fullPage: true, clip: { x: 0, y: begin, width: 960, height: end - begin } });
}
await take("navigation.png", "navigation", "How it got there");
await take("navigation-map.png", "On the map", "Single episodes");
await close();
