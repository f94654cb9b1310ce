// The guide in a real browser: nothing is asked for, nothing is wider than a phone, and nothing keeps people from reading it.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { open } from "./browser.mjs";

export async function checkGuide(source, folder, checkAccess, checkWidth, expect) {
  const site = join(folder, "guide");
  execFileSync("/usr/bin/python3", [join(source, "docs/build_site.py"), site], { stdio: "ignore" });
  const pages = readdirSync(site).filter((name) => name.endsWith(".html"));
  for (const [scheme, width] of [["light", 390], ["dark", 1200]]) {
    const { page, problems, close } = await open({ width, scheme });
    const noticed = [];  // of the pages themselves: what looks for accessibility asks for the style sheet by itself
    for (const name of pages) {
      problems.length = 0;
      await page.goto(`file://${site}/${name}`);
      noticed.push(...problems);
      // The pages are made by one template: what differs between light and dark, one of them shows.
      if (scheme === "dark" || name === "index.html") await checkAccess(page, `guide: ${name} (${scheme}, ${width})`);
      await checkWidth(page, `guide: ${name} (${scheme}, ${width})`);
    }
    // The keyboard comes to the text first, and from there to the pages.
    await page.goto(`file://${site}/index.html`);
    await page.keyboard.press("Tab");
    expect("guide: the first stop of the keyboard leads to the text", await page.evaluate(() => document.activeElement.getAttribute("href")), "#content");
    await page.click("nav a[href='claims.html']");
    expect("guide: the sidebar leads to other pages", await page.textContent("h1"), "What a run may claim");
    expect(`guide: no errors and no requests (${scheme})`, noticed, []);
    await close();
  }
}
