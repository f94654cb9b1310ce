#!/usr/bin/env bash
# What the system refuses ends with a word about it, and with an exit status that is not a defect's.
# Usage: faults.sh COMMAND EXAMPLES DIRECTORY
set -euo pipefail
command=$1 examples=$2 directory=$3
rm -rf "$directory"; mkdir -p "$directory"
navigation=$examples/navigation.toml

# expect STATUS WORDS COMMAND...: standard output is where the caller points it.
expect() {
  local wanted=$1 words=$2 status=0
  shift 2
  "$@" 2>"$directory/err" || status=$?
  [ $status = "$wanted" ] || { echo "$*: status $status, expected $wanted"; cat "$directory/err"; exit 1; }
  grep -q "$words" "$directory/err" || { echo "$*: says nothing of '$words'"; cat "$directory/err"; exit 1; }
}

"$command" solve "$navigation" --out "$directory/run" --quiet >/dev/null
for arguments in "list" "--help" "check $navigation" "show $directory/run" "verify $directory/run" \
                 "mix $examples/navigation.csv -c steps<=11"; do
  # shellcheck disable=SC2086
  expect 2 'the output could not be written: No space left' "$command" $arguments >/dev/full
  # shellcheck disable=SC2086
  expect 2 'the output could not be written: Bad file descriptor' "$command" $arguments >&-
done

# A reader that has gone before anything is written.
mkfifo "$directory/pipe"
exec 3<>"$directory/pipe" 4>"$directory/pipe" 3>&-
expect 2 'the output could not be written: Broken pipe' "$command" list >&4
exec 4>&-

# A closed output is not taken by a file of the run.
expect 2 'could not be written' "$command" solve "$navigation" --out "$directory/closed" --quiet >&-
"$command" verify "$directory/closed" >/dev/null

# No memory. (What the sanitizers need of it is more than any limit.)
if [ -z "${C2RL_SANITIZE:-}" ]; then
  (ulimit -v 300000; expect 4 'memory ran out' "$command" check "$examples/garnet.toml" \
     --set environment.states=1000000)
fi

# No threads: a user of its own, who may have one process; where there can be one who can read all this. The run does
# without, or says what it lacks; it is stuck either way.
other=(setpriv --reuid=54321 --clear-groups)
if "${other[@]}" "$command" check "$navigation" >/dev/null 2>&1; then
  chmod 777 "$directory"
  status=0
  "${other[@]}" prlimit --nproc=1 "$command" solve "$navigation" --out "$directory/alone" --quiet \
    --set oracle.kind=q-learning --set environment.slip=0.1 >/dev/null 2>"$directory/err" || status=$?
  [ $status = 4 ] || { echo "without threads: status $status, expected 4"; cat "$directory/err"; exit 1; }
  ! grep 'internal error' "$directory/err"
fi
