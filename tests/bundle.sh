#!/bin/sh
# bundle.sh WEB FOLDER: what is committed in WEB/dist is what WEB/src makes. 77 where that cannot be made here.
web=$1 folder=$2
command -v node >/dev/null || { echo "skipped: there is no node"; exit 77; }
[ -x "$web/node_modules/.bin/esbuild" ] || { echo "skipped: no $web/node_modules, which make test installs"; exit 77; }
cd "$web" || exit 1
node_modules/.bin/tsc --noEmit || exit 1
rm -rf "$folder" && node build.mjs "$folder" || exit 1
for file in report.js report.css; do
  cmp "dist/$file" "$folder/$file" || { echo "web/dist/$file is not what web/src makes; run make web"; exit 1; }
done
! grep -n '"resolved"' package-lock.json || { echo "package-lock.json names where packages came from"; exit 1; }
