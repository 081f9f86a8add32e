// Runs whole files of tests: as they are, once for each field that they reach with that field left out, and as they are again.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Adds what is found to targets.jsonl; a file that fails as it is measures nothing. */
export async function measureFiles(vitest, specifications, { root, folder, ways }) {
  const leftPath = join(folder, "left.json");
  const reachedPath = join(folder, "reached.txt");
  const foundPath = join(folder, "targets.jsonl");
  for (const specification of specifications) {
    const file = specification.moduleId.slice(root.length + 1);
    const run = async (way) => {
      rmSync(reachedPath, { force: true });
      writeFileSync(leftPath, JSON.stringify(way ?? {}));
      const { testModules } = await vitest.runTestSpecifications([specification]);
      return failureOf(testModules);
    };
    const first = await run();
    if (first !== undefined) {
      process.stdout.write(`fails as it is: ${file}: ${first.title}\n`);
      continue;
    }
    const reached = new Set(existsSync(reachedPath) ? readFileSync(reachedPath, "utf8").split("\n") : []);
    const found = [];
    const known = measuredRows(foundPath);
    for (const way of ways.filter(({ places }) => places.some((place) => reached.has(String(place))))) {
      if (known.has(way.id)) continue;
      const failure = await run(way);
      process.stdout.write(`${way.id}: ${failure === undefined ? "passes" : `fails: ${failure.title}`}\n`);
      if (failure === undefined) continue;
      known.add(way.id);
      found.push({ id: way.id, file, ...failure });
    }
    if (found.length > 0 && (await run()) === undefined) {
      for (const row of found) appendFileSync(foundPath, `${JSON.stringify(row)}\n`);
    }
  }
}

/** The first test that failed, or the first of a suite that could not begin. */
function failureOf(testModules) {
  for (const module of testModules) {
    if (module.ok()) continue;
    const tests = [...module.children.allTests()];
    const test = tests.find((each) => each.result().state === "failed") ?? tests[0];
    if (test === undefined) return { title: "", suites: [] };
    const suites = [];
    for (let suite = test.parent; suite.type === "suite"; suite = suite.parent) suites.unshift(suite.name);
    return { title: test.name, suites };
  }
  return undefined;
}

function measuredRows(path) {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  return new Set(lines.map((line) => JSON.parse(line).id));
}
