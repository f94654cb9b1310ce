#!/usr/bin/env bash
# Ctrl-C or SIGTERM in the middle of a run ends cleanly with what was found, and --resume ends as if undisturbed.
# Usage: interrupt.sh COMMAND PROBLEM DIRECTORY
set -euo pipefail
command=$1 problem=$2 directory=$3
rm -rf "$directory"

solve=("$command" solve "$problem" --quiet --seed 3 --set oracle.kind=q-learning --set oracle.training_steps=1500000
       --set 'target.constraints=["steps <= 9", "risk <= 0.5"]')
fail() { echo "$1"; exit 1; }

status=0; "${solve[@]}" --out "$directory/whole" >/dev/null || status=$?
[ $status = 4 ] || fail "the undisturbed run ended with $status, expected 4"

for signal in INT TERM; do
  cut="$directory/cut by $signal"
  "${solve[@]}" --out "$cut" >"$directory/cut.out" & pid=$!
  while [ ! -e "$cut/problem.toml" ]; do sleep 0.01; done
  sleep 0.05
  kill -$signal $pid 2>/dev/null || true
  status=0; wait $pid || status=$?
  [ $status = 4 ] || fail "the run interrupted by $signal ended with $status, expected 4"
  grep -q '"interrupted": true' "$cut/result.json" || fail "the result does not say that it was interrupted"
  grep -q '^interrupted after' "$directory/cut.out" || fail "the output does not say that it was interrupted"
  grep -qF "To go on: c2rl solve --resume --out '$cut'" "$directory/cut.out" || fail "the output does not say how to go on"

  status=0; "$command" solve --resume --out "$cut" --quiet >/dev/null || status=$?
  [ $status = 4 ] || fail "the resumed run ended with $status, expected 4"
  diff <(grep -v '"seconds"\|"seal": "[^"]*"$' "$directory/whole/result.json") \
       <(grep -v '"seconds"\|"seal": "[^"]*"$' "$cut/result.json")
done
