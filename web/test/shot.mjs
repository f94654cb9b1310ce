// node shot.mjs PAGE.html PICTURE.png [light|dark] [width]: a picture of a whole page, and what its console said
import { open } from "./browser.mjs";
const [file, picture, scheme = "light", width = "1200"] = process.argv.slice(2);
const { page, problems, close } = await open({ width: Number(width), scheme });
const start = Date.now();
await page.goto(`file://${file}`);
await page.waitForSelector(".plot svg");
console.log(`opened in ${Date.now() - start} ms`, problems);
await page.waitForTimeout(400);
await page.screenshot({ path: picture, fullPage: true });
await close();
