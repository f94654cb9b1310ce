#!/usr/bin/env bash
# The same commands on 1, 2 and 4 ranks come to the same; a rank that is killed ends the job, and it goes on from there.
# Usage: ranks.sh COMMAND SOURCE DIRECTORY
set -euo pipefail
command=$1 source=$2 directory=$3
command -v mpirun >/dev/null || { echo "no mpirun"; exit 77; }
rm -rf "$directory"; mkdir -p "$directory"; cd "$directory"
fail() { echo "$1"; exit 1; }
# As root, on machines with fewer cores than ranks, without a network.
on() { local ranks=$1; shift; mpirun --allow-run-as-root --oversubscribe --mca btl self,vader --mca mpi_yield_when_idle 1 -n "$ranks" "$command" "$@"; }
same_results() { diff <(grep -v '"seconds"\|"seal"' "$1/result.json") <(grep -v '"seconds"\|"seal"' "$2/result.json"); }

# Planning over parts, drawn or read from both kinds of files.
cat >garnet.toml <<'TOML'
name = "garnet"
[environment]
kind = "garnet"
states = 500
discount = 0.99
partitioned = true
[target]
constraints = ["m1 <= 24", "m2 <= 29"]
[oracle]
kind = "partitioned-planning"
TOML
sed 's/^partitioned.*//; s/partitioned-planning/dynamic-programming/' garnet.toml >whole.toml
sed 's/kind = "garnet"/kind = "file"/; /^states/d' garnet.toml >file.toml
for form in umb drn; do "$command" convert whole.toml garnet.$form >/dev/null; done
for model in garnet umb drn; do
  problem=(garnet.toml)
  [ $model = garnet ] || problem=(file.toml --set environment.path=garnet.$model)
  for ranks in 1 2 4; do on $ranks solve "${problem[@]}" --quiet --out $model-$ranks >$model-$ranks.txt; done
  same_results $model-1 $model-2
  same_results $model-1 $model-4
done
diff <(grep -v '"seconds"\|"seal"\|"problem"' garnet-1/result.json) <(grep -v '"seconds"\|"seal"\|"problem"' umb-1/result.json)
"$command" verify garnet-2 >verified.txt || fail "not verified: $(cat verified.txt)"
"$command" solve whole.toml --quiet --out whole >/dev/null
python3 - <<'PY'
import json
planned, whole = (json.load(open(f"{run}/result.json")) for run in ("garnet-4", "whole"))
assert planned["status"] == whole["status"] == "feasible"
assert planned["oracle_calls"] > 1, "one call says little"
assert all(abs(a - b) < 1e-5 for a, b in zip(planned["measurement"], whole["measurement"])), (planned, whole)
PY

# Episodes: those of evaluation and confirmation, and of `evaluate`.
learned=(solve "$source/examples/navigation.toml" --quiet --set oracle.kind=q-learning --set oracle.training_steps=20000
         --set environment.slip=0.1 --set 'target.constraints=["steps <= 14", "risk <= 0.6"]' --set solver.max_oracle_calls=20)
for ranks in 1 2 4; do
  on $ranks "${learned[@]}" --out learned-$ranks >learned-$ranks.txt || [ $? = 4 ] || fail "learning on $ranks ranks"
  on $ranks evaluate learned-$ranks --episodes 3000 >evaluated-$ranks.txt
done
for ranks in 2 4; do
  same_results learned-1 learned-$ranks
  diff evaluated-1.txt evaluated-$ranks.txt
done

# Training: episodes that all ranks step together, of numbered states and of real numbers, seen and done.
small=(--quiet --set oracle.hidden=[16] --set oracle.retries=0 --set target.max_steps=100000)
for ranks in 1 2 4; do
  on $ranks solve "$source/examples/navigation.toml" "${small[@]}" --set oracle.kind=a2c --set oracle.training_steps=60000 \
    --set solver.max_oracle_calls=4 --out a2c-$ranks >/dev/null || [ $? = 4 ] || fail "a2c on $ranks ranks"
  on $ranks solve "$source/examples/pendulum.toml" "${small[@]}" --set oracle.training_steps=10000 \
    --set solver.max_oracle_calls=2 --out ppo-$ranks >/dev/null || [ $? = 4 ] || fail "ppo on $ranks ranks"
done
for ranks in 2 4; do
  same_results a2c-1 a2c-$ranks
  same_results ppo-1 ppo-$ranks
  for policy in a2c-1/policies/* ppo-1/policies/*; do cmp "$policy" "${policy/-1/-$ranks}"; done
done

# Cells of an experiment.
cat >compare.toml <<TOML
name = "compare"
seeds = 3
[problems.navigation]
file = "$source/examples/navigation.toml"
set = ["oracle.training_steps=5000", "solver.max_oracle_calls=5"]
[methods]
mnp = { set = ["solver.kind=modified-mnp", "oracle.kind=q-learning"] }
cg = { set = ["solver.kind=cg", "oracle.kind=q-learning"] }
TOML
for ranks in 1 2 4; do on $ranks experiment compare.toml --quiet --out cells-$ranks >/dev/null; done
for ranks in 2 4; do
  diff <(sed 's/,[^,]*$//' cells-1/results.csv) <(sed 's/,[^,]*$//' cells-$ranks/results.csv)
  diff cells-1/summary.csv cells-$ranks/summary.csv
done

# What is wrong is said once, by the first rank.
on 2 solve nowhere.toml >wrong.txt 2>&1 && fail "a file that is not there was solved"
[ "$(grep -c 'nowhere.toml: cannot be read' wrong.txt)" = 1 ] || fail "not said once: $(cat wrong.txt)"

# A rank that dies takes the job with it; what was done stays done, within a call, too, and goes on on any number of ranks.
run_and_kill() {  # a run, until its directory has a file that matches; then one of its ranks
  local out=$1 file=$2 words=$3 job victim status=0; shift 3
  mpirun --allow-run-as-root --oversubscribe --mca btl self,vader --mca mpi_yield_when_idle 1 -n 2 "$command" "$@" --out "$out" >"$out.txt" 2>&1 & job=$!
  while ! grep -qs "$words" "$out/$file"; do kill -0 $job 2>/dev/null || fail "ended early: $(cat "$out.txt")"; sleep 0.02; done
  victim=$(cat /proc/$job/task/*/children | tr ' ' '\n' | sort -n | tail -1)
  kill -9 "$victim"
  wait $job || status=$?
  [ $status != 0 ] || fail "a job with a dead rank ended well"
  grep -q "signal 9" "$out.txt" || fail "nothing said of the dead rank: $(cat "$out.txt")"
}
long=("${learned[@]}" --set oracle.training_steps=400000 --set 'target.constraints=["steps <= 9", "risk <= 0.3"]')
on 2 "${long[@]}" --out undisturbed >/dev/null || [ $? = 4 ] || fail "the undisturbed run"
run_and_kill killed record.jsonl '"call"' "${long[@]}"
on 2 solve --resume --out killed --quiet >/dev/null || [ $? = 4 ] || fail "going on"
same_results undisturbed killed
long=(solve "$source/examples/navigation.toml" "${small[@]}" --set oracle.kind=a2c --set oracle.training_steps=2000000
      --set solver.max_oracle_calls=2 --set oracle.checkpoint_seconds=0.02)
on 1 "${long[@]}" --out whole-a2c >/dev/null || [ $? = 4 ] || fail "the undisturbed run of a2c"
run_and_kill killed-a2c checkpoint.safetensors network "${long[@]}"
on 4 solve --resume --out killed-a2c --quiet >/dev/null || [ $? = 4 ] || fail "going on with a2c"
same_results whole-a2c killed-a2c
