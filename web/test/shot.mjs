// node shot.mjs PAGE.html PICTURE.png [light|dark] [width]: a picture of a whole page, how long it took to draw, and what its console said
import { open } from "./browser.mjs";
const [file, picture, scheme = "light", width = "1200"] = process.argv.slice(2);
const { page, problems, close } = await open({ width: Number(width), scheme });
const browser = await page.context().newCDPSession(page);
await browser.send("Performance.enable", { timeDomain: "threadTicks" });
await page.goto(`file://${file}`);
// By the page's own clock: until every chart is drawn.
const drawn = await page.waitForFunction(() => [...document.querySelectorAll(".plot")].every((place) => place.querySelector("svg")) && performance.now());
const { metrics } = await browser.send("Performance.getMetrics");
const busy = metrics.find(({ name }) => name === "TaskDuration").value;
console.log(`drawn after ${Math.round(await drawn.jsonValue())} ms, of which the page's thread worked ${Math.round(1000 * busy)} ms`, problems);
await page.waitForTimeout(400);
await page.screenshot({ path: picture, fullPage: true });
await close();
