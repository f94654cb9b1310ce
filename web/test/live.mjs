// A live page draws what its server sends, and leaves what the reader has chosen.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { open } from "./browser.mjs";

/** The history up to a call. */
function upTo(data, frames) {
  const item = structuredClone(data);
  const history = item.items[0].history;
  for (const [field, values] of Object.entries(history)) if (Array.isArray(values)) history[field] = values.slice(0, frames);
  return item;
}

export async function checkLive(runs, expect) {
  const html = readFileSync(fileURLToPath(runs.page("finished")), "utf8");
  const data = JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)[1]);
  const live = html.replace('<html lang="en">', '<html lang="en" data-live>').replace("form-action 'none'", "form-action 'none'; connect-src 'self'")
    .replace(/(<script type="application\/json" id="data">).*?(<\/script>)/s, "$1null$2");
  let send = () => {};
  const server = createServer((request, response) => {
    if (request.url === "/token/") return response.writeHead(200, { "Content-Type": "text/html" }).end(live);
    if (request.url !== "/token/events") return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    send = (value) => response.write(`data: ${JSON.stringify(value)}\n\n`);
    send(upTo(data, 3));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { page, problems, close } = await open();
  await page.goto(`http://127.0.0.1:${server.address().port}/token/`);
  const status = () => page.textContent("section .status");
  const shows = (text) => page.waitForFunction((wanted) => document.querySelector("section .status")?.textContent.startsWith(wanted), text);
  await shows("After call 3:");
  send(upTo(data, 4));
  await shows("After call 4:");
  expect("live: follows the run", (await status()).startsWith("After call 4:"), true);
  await page.locator("input[type=range]").focus();
  await page.keyboard.press("Home");
  send(data);
  await page.waitForFunction((frames) => document.querySelector("input[type=range]").max === String(frames - 1), data.items[0].history.call.length);
  expect("live: stays where the reader went", (await status()).startsWith("After call 1:"), true);
  const elsewhere = problems.filter((text) => !text.startsWith(`request: http://127.0.0.1:${server.address().port}/token/`));
  expect("live: no errors, and no requests elsewhere", elsewhere, []);
  await close();
  server.closeAllConnections();
  server.close();
}
