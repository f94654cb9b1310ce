// Debian's Chromium, with a fresh profile, that talks to nobody.
import { chromium } from "playwright-core";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const executable = "/usr/bin/chromium";
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
  "--font-render-hinting=none"];

/** One page of one browser. `problems` gathers what a page must not do: errors, warnings, and requests to elsewhere. */
export async function open({ width = 1200, height = 900, scheme = "light" } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "c2rl-browser-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: executable, args: flags, headless: true, viewport: { width, height }, colorScheme: scheme,
    acceptDownloads: true, reducedMotion: "reduce",
  });
  const page = browser.pages()[0] ?? await browser.newPage();
  const problems = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  return { page, problems, close: async () => { await browser.close(); rmSync(profile, { recursive: true, force: true }); } };
}
