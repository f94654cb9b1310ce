#!/usr/bin/env bash
# A run whose oracle is another program, killed or interrupted in the middle, leaves nothing running, and --resume ends as if
# undisturbed.
# Usage: command.sh COMMAND PROBLEM DIRECTORY
set -euo pipefail
command=$1 problem=$2 directory=$3
rm -rf "$directory"; mkdir -p "$directory"

solve() {  # DIRECTORY MORE...
  local out=$1; shift
  exec "$command" solve "$problem" --out "$out" --quiet --seed 5 "$@"
}
fail() { echo "$1"; exit 1; }
programs_of() { cat /proc/"$1"/task/*/children; }
is_there() { [ -n "$(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline")" ]; } 2>/dev/null  # a zombie has no command line
expect_gone() {  # PROCESS...
  for process in "$@"; do
    for _ in $(seq 50); do is_there "$process" || break; sleep 0.02; done
    ! is_there "$process" || fail "process $process is still there"
  done
}

(solve "$directory/whole") >"$directory/whole.out" || fail "the undisturbed run ended with $?"
grep -q '^feasible with 95% confidence' "$directory/whole.out" || fail "the undisturbed run is not feasible"

for signal in KILL INT; do
  out="$directory/$signal"
  (solve "$out") >"$out.out" & pid=$!
  until [ "$(wc -l 2>/dev/null <"$out/record.jsonl" || echo 0)" -ge 2 ]; do
    kill -0 $pid 2>/dev/null || fail "the run ended before it was disturbed"
    sleep 0.01
  done
  programs=$(programs_of $pid)
  [ -n "$programs" ] || fail "the oracle's program is not there"
  before=$(date +%s%N)
  kill -$signal $pid
  status=0; wait $pid || status=$?
  [ $(( ($(date +%s%N) - before) / 1000000 )) -lt 1000 ] || fail "SIG$signal was not answered within a second"
  [ $signal = KILL ] || [ $status = 4 ] || fail "the interrupted run ended with $status, expected 4"
  expect_gone $programs
  (solve "$out" --resume) >/dev/null || fail "the resumed run ended with $?"
  diff <(grep -vE '"(seconds|seal)"' "$directory/whole/result.json") <(grep -vE '"(seconds|seal)"' "$out/result.json")
done
