#!/usr/bin/env bash
# Ctrl-C in the middle of a run ends cleanly with what was found, and --resume ends as if undisturbed.
# Usage: interrupt.sh COMMAND PROBLEM DIRECTORY
set -euo pipefail
command=$1 problem=$2 directory=$3
rm -rf "$directory"

solve() {  # DIRECTORY MORE...
  local out=$1; shift
  "$command" solve "$problem" --out "$out" --quiet --seed 3 --set oracle.kind=q-learning \
    --set oracle.training_steps=1500000 --set 'target.constraints=["steps <= 9", "risk <= 0.5"]' "$@"
}
fail() { echo "$1"; exit 1; }

status=0; solve "$directory/whole" >/dev/null || status=$?
[ $status = 4 ] || fail "the undisturbed run ended with $status, expected 4"

solve "$directory/cut" >"$directory/cut.out" & pid=$!
sleep 0.15
kill -INT $pid 2>/dev/null || true
status=0; wait $pid || status=$?
[ $status = 4 ] || fail "the interrupted run ended with $status, expected 4"
if grep -q '"interrupted": true' "$directory/cut/result.json"; then  # else it was done already
  grep -q '^interrupted after' "$directory/cut.out" || fail "the output does not say that it was interrupted"
fi

status=0; solve "$directory/cut" --resume >/dev/null || status=$?
[ $status = 4 ] || fail "the resumed run ended with $status, expected 4"
diff <(grep -v '"seconds"' "$directory/whole/result.json") <(grep -v '"seconds"' "$directory/cut/result.json")
