#!/bin/sh
# pages.sh COMMAND SOURCE FOLDER: pages of real runs in a real browser (web/test/pages.mjs). 77 where there is none.
command -v node >/dev/null || { echo "skipped: there is no node"; exit 77; }
[ -d "$2/web/node_modules/playwright-core" ] || { echo "skipped: no $2/web/node_modules, which make test installs"; exit 77; }
exec node "$2/web/test/pages.mjs" "$@"
