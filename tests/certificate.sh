#!/usr/bin/env bash
# Certificates hold by a script that knows nothing of c2rl, and altered ones do not.
# Usage: certificate.sh COMMAND SOURCE DIRECTORY
set -euo pipefail
command=$1 source=$2 directory=$3
rm -rf "$directory"; mkdir -p "$directory"
fail() { echo "$1"; exit 1; }

certify() {  # NAME PROBLEM OPTION...
  local name=$1 problem=$2; shift 2
  "$command" solve "$source/examples/$problem.toml" --out "$directory/$name" --quiet "$@" >/dev/null || [ $? = 3 ]
  "$command" verify "$directory/$name" --certificate "$directory/$name.json" >/dev/null || fail "$name is not verified"
  python3 "$source/examples/check_certificate.py" "$directory/$name.json" || fail "the certificate of $name does not hold"
}
expect_refused() {  # NAME PYTHON
  python3 -c "
import json, sys
file = json.load(open('$directory/$1.json'))
$2
json.dump(file, open('$directory/altered.json', 'w'))"
  ! python3 "$source/examples/check_certificate.py" "$directory/altered.json" 2>/dev/null || fail "$1: holds after $2"
}

certify inside navigation
certify outside navigation --set 'target.constraints=["steps <= 9", "risk <= 0.5"]'
certify chance mars_rover
certify discounted navigation --set environment.discount=0.95 --set 'target.constraints=["steps <= 4", "risk <= 0.1"]'
certify endless rock_paper_scissors

expect_refused inside 'file["mixture"][0]["weight"] = 0.4'
expect_refused inside 'file["mixture"][0]["weight"], file["mixture"][1]["weight"] = 0.6, 0.4'
expect_refused inside 'file["constraints"][0]["at_most"] -= 0.1; file["constraints"][1]["at_most"] -= 0.1'
expect_refused outside 'file["bound"]["distance"] += 0.01'
expect_refused outside 'file["bound"]["values"][0] = [v + 0.1 for v in file["bound"]["values"][0]]'
expect_refused outside 'file["bound"]["multipliers"][0] += 0.1'
expect_refused outside 'file["model"]["states"][0][0][0][2] = [0.0, 0.0]'
