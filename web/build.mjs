// node build.mjs [FOLDER]: bundles the page's script and style into FOLDER (dist), one file each. The same sources give
// the same bytes: the versions of everything are in package-lock.json.
import { build } from "esbuild";
import { readFileSync } from "node:fs";

const folder = process.argv[2] ?? "dist";
await build({
  entryPoints: [{ in: "src/main.ts", out: "report" }],
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii", // whatever the page is served as
  legalComments: "none",
  logLevel: "warning",
});
// It stands inside a script element.
for (const word of ["</script", "<!--"]) {
  if (readFileSync(`${folder}/report.js`, "utf8").toLowerCase().includes(word)) {
    throw new Error(`the bundle holds ${word}, which would end its script element`);
  }
}
