// Makes the runs that the pages are tested with.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Names that a careless page would take for something else. */
export const hostile = {
  run: `</script><script>document.title = "taken"</script>`,
  first: `<img src=x onerror="document.title='taken'">`,
  second: `"quoted" 'names' & <b>more</b> ${"long ".repeat(2000)}`,
};

const hostileProblem = `
name = ${JSON.stringify(hostile.run)}
[environment]
kind = "grid"
horizon = 50
map = """
S.G
.#.
"""
measurements = [${JSON.stringify(hostile.first)}, ${JSON.stringify(hostile.second)}, "steps"]
step = { ${JSON.stringify(hostile.first)} = 1, steps = 1 }
legend = { "#" = { ${JSON.stringify(hostile.second)} = 1 } }
[target]
constraints = ["steps <= 5"]
`;

const experiment = (problem) => `
name = "small"
seeds = 4
accuracies = [1e-1, 1e-2]
set = ["solver.max_oracle_calls=12"]
[problems.navigation]
file = ${JSON.stringify(problem)}
[methods]
modified-mnp = { set = ["solver.kind=modified-mnp"] }
cg = { set = ["solver.kind=cg"] }
[axes.oracle]
learned = ["oracle.kind=q-learning", "oracle.training_steps=20000", "oracle.retries=0", "environment.slip=0.1"]
exact = ["oracle.kind=dynamic-programming", "oracle.ties=random"]
[claims.few]
says = "modified MNP stores at most three policies"
method = "modified-mnp"
quantity = "most-policies"
at_most = 3
[claims.never]
says = "CG stores one policy"
method = "cg"
quantity = "most-policies"
at_most = 1
`;

export function makeRuns(command, source, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const c2rl = (...words) => {
    try {
      return execFileSync(command, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      if (error.status === 3 || error.status === 4 || (error.status === 1 && words[0] === "experiment")) return error.stdout;
      throw new Error(`c2rl ${words.join(" ")}: ${error.stderr}`);
    }
  };
  const navigation = `${source}/examples/navigation.toml`;
  const solve = (name, file, ...settings) =>
    c2rl("solve", file, "--out", name, "--quiet", "--report", ...settings.flatMap((text) => ["--set", text]));
  solve("finished", navigation, "solver.kind=modified-mnp", "solver.first_direction=[1, 0]");
  solve("infeasible", navigation, `target.constraints=["steps <= 9", "risk <= 0.5"]`);
  solve("learned", navigation, "oracle.kind=q-learning", "environment.slip=0.1", `target.constraints=["steps <= 13", "risk <= 0.7"]`);
  solve("sea", `${source}/examples/deep_sea_treasure.toml`);
  solve("trained", navigation, "oracle.kind=a2c", "oracle.training_steps=30000", "oracle.retries=0", "solver.max_oracle_calls=2",
    "target.max_episodes=2000");
  c2rl("collect", navigation, "--out", "navigation.data", "--samples", "20000");
  solve("offline", navigation, "oracle.kind=ddqn", `oracle.dataset=${folder}/navigation.data`, "oracle.updates=500", "oracle.retries=0",
    "solver.max_oracle_calls=3");
  writeFileSync(`${folder}/hostile.toml`, hostileProblem);
  solve("hostile", `${folder}/hostile.toml`);
  writeFileSync(`${folder}/experiment.toml`, experiment(navigation));
  c2rl("experiment", "experiment.toml", "--out", "experiment", "--quiet", "--report");
  c2rl("report", "finished", "infeasible", "experiment", "--out", "several.html");
  c2rl("report", "experiment", "experiment", "--out", "side.html");
  return {
    page: (name) => (name.endsWith(".html") ? `file://${folder}/${name}` : `file://${folder}/${name}/report.html`),
    result: (name) => JSON.parse(readFileSync(`${folder}/${name}/result.json`, "utf8")),
    lines: (name) => readFileSync(`${folder}/${name}`, "utf8").trim().split("\n").map((line) => JSON.parse(line)),
    text: (name) => readFileSync(`${folder}/${name}`, "utf8"),
    c2rl,
  };
}
