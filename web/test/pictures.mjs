// What parts of pages look like, beside what they looked like when somebody looked at them. Fonts differ a little from machine
// to machine, so what is compared are means of blocks.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL("./pictures/", import.meta.url).pathname;
const parts = [
  ["finished", "section.wide .plot", "space"],
  ["infeasible", "section.wide .plot", "infeasible"],
  ["infeasible", ".maps figure:nth-child(2) svg", "map"],
  ["sea", ".maps figure:nth-child(1) svg", "sea"],
  ["experiment", ".charts.two .plot >> nth=2", "experiment"],
];
/** Blocks of so many dots; a mean may be off by so much of 255, on average over the blocks. */
const block = 8, allowed = 1.5;

function difference([first, second, size]) {
  const load = (text) => new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = reject;
    image.src = `data:image/png;base64,${text}`;
  });
  return Promise.all([load(first), load(second)]).then((images) => {
    const [a, b] = images;
    if (Math.abs(a.width - b.width) > size || Math.abs(a.height - b.height) > size) return 255;
    const columns = Math.floor(Math.min(a.width, b.width) / size), rows = Math.floor(Math.min(a.height, b.height) / size);
    const [left, right] = images.map((image) => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [columns, rows];
      const context = canvas.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, columns * size, rows * size, 0, 0, columns, rows);
      return context.getImageData(0, 0, columns, rows).data;
    });
    let sum = 0;
    for (let i = 0; i < left.length; ++i) sum += Math.abs(left[i] - right[i]);
    return sum / (columns * rows * 3);
  });
}

export async function comparePictures(page, ready, expect, write) {
  if (write) mkdirSync(folder, { recursive: true });
  await page.setViewportSize({ width: 640, height: 900 });
  for (const [name, selector, picture] of parts) {
    await ready(page, name);
    await page.waitForTimeout(200);
    const taken = await page.locator(selector).first().screenshot();
    const file = `${folder}${picture}.png`;
    if (write) writeFileSync(file, taken);
    const known = existsSync(file) ? readFileSync(file) : null;
    const off = known ? await page.evaluate(difference, [taken.toString("base64"), known.toString("base64"), block]) : 255;
    expect(`picture ${picture}: within ${allowed} of the one that was looked at (${off.toFixed(2)})`, off <= allowed, true);
  }
}
