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
[ $status = 3 ] || fail "the undisturbed run ended with $status, expected 3"

solve "$directory/cut" >"$directory/cut.out" & pid=$!
sleep 0.15
kill -INT $pid 2>/dev/null || true
status=0; wait $pid || status=$?
if [ $status = 4 ]; then  # interrupted before it was done
  grep -q '"interrupted": true' "$directory/cut/result.json" || fail "result.json does not say that it was interrupted"
  grep -q '^interrupted after' "$directory/cut.out" || fail "the output does not say that it was interrupted"
elif [ $status != 3 ]; then
  fail "the interrupted run ended with $status, expected 4"
fi

status=0; solve "$directory/cut" --resume >/dev/null || status=$?
[ $status = 3 ] || fail "the resumed run ended with $status, expected 3"
diff <(grep -v '"seconds"' "$directory/whole/result.json") <(grep -v '"seconds"' "$directory/cut/result.json")
