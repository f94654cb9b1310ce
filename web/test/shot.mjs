// node shot.mjs PAGE.html PICTURE.png [light|dark] [width]: a picture of a whole page, how long it took to draw, and what its console said
import { open } from "./browser.mjs";
const [file, picture, scheme = "light", width = "1200"] = process.argv.slice(2);
const { page, problems, close } = await open({ width: Number(width), scheme });
const start = Date.now();
await page.goto(`file://${file}`);
// By the page's own clock: until every chart is drawn.
const drawn = await page.waitForFunction(() => [...document.querySelectorAll(".plot")].every((place) => place.querySelector("svg")) && performance.now());
console.log(`drawn after ${Math.round(await drawn.jsonValue())} ms, ${Date.now() - start} ms with the browser's own`, problems);
await page.waitForTimeout(400);
await page.screenshot({ path: picture, fullPage: true });
await close();
