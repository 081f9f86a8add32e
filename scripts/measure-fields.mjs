// Leaves out one field, option, key or variable of docs/fields.md after another in the tests that reach it.
//   node scripts/measure-fields.mjs SUITE [PATTERN OF TEST FILES]      such as: unit planning/
//   ROLLCALL_HELM=/usr/bin/helm node scripts/measure-fields.mjs kube chart-values      the values of the charts
//   ROLLCALL_MEASURE_ROWS=rows.txt node scripts/measure-fields.mjs contract daemon/    these rows alone, `section name` a line
//   ROLLCALL_MEASURE_ROWS=rows.txt node scripts/measure-fields.mjs files e2e/run     each row in runs of whole files of their own
//   node scripts/measure-fields.mjs keep      writes what was found to test/rules/fields.golden
// A test that cannot run twice in one process is measured by whole files: those that match, for each row that they reach.
// On a busy machine: ROLLCALL_MEASURE_FILE_MS for a file (default 20,000), ROLLCALL_MEASURE_RUN_MS for a test (15,000).
// The results are in .rollcall-measure/targets.jsonl: a row that is there is not measured again.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createVitest } from "vitest/node";
import { listFields } from "./generate/list-fields.mjs";
import { loadSchemas } from "./generate/load-schemas.mjs";
import { findSites } from "./measure/field-sites.mjs";
import { instrument } from "./measure/instrument.mjs";
import { keepMeasured } from "./measure/keep-measured.mjs";
import { measureFiles } from "./measure/measure-files.mjs";

const root = resolve(import.meta.dirname, "..");
const folder = join(root, ".rollcall-measure");
const [suite, pattern = ""] = process.argv.slice(2);
const entries = await listFields({ root, ...loadSchemas(join(root, "schemas")) });
mkdirSync(folder, { recursive: true });
if (suite === "keep") keepMeasured(root, join(folder, "targets.jsonl"));
else await measure();
process.exit(0);

async function measure() {
  const { targets, sites } = findSites(root, entries);
  const isWhole = suite === "files";
  const fileMs = Number(process.env["ROLLCALL_MEASURE_FILE_MS"] ?? 20_000);
  const runMs = Number(process.env["ROLLCALL_MEASURE_RUN_MS"] ?? 15_000);
  const ways = wantedEntries().flatMap((entry) => waysFor(entry, targets));
  process.env["ROLLCALL_MEASURE"] = join(folder, "targets.json");
  writeFileSync(process.env["ROLLCALL_MEASURE"], JSON.stringify({ root, targets: ways, fileMs, runMs, isWhole }));
  const vitest = await createVitest(
    "test",
    {
      config: false,
      root,
      watch: false,
      include: [isWhole ? "test/**/*.test.ts" : `test/${suite}/**/*.test.ts`],
      runner: join(root, "scripts/measure/runner.mjs"),
      reporters: isWhole ? [{}] : [{ onTestModuleEnd }],
      silent: true,
      pool: "forks",
      isolate: suite !== "unit",
      maxWorkers: 2,
      bail: isWhole ? 1 : 0,
      testTimeout: isWhole ? 60_000 : 600_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 10_000 } },
    },
    { plugins: [instrument(root, sites)], logLevel: "silent" },
  );
  try {
    const all = await vitest.globTestSpecifications();
    const chosen = all.filter(({ moduleId }) => new RegExp(pattern, "u").test(moduleId));
    if (isWhole) await measureFiles(vitest, chosen, { root, folder, ways });
    else await vitest.runTestSpecifications(chosen);
  } finally {
    await vitest.close();
  }
}

function wantedEntries() {
  const path = process.env["ROLLCALL_MEASURE_ROWS"];
  if (path === undefined) return entries;
  const wanted = new Set(readFileSync(path, "utf8").split("\n"));
  return entries.filter(({ section, name }) => wanted.has(`${section} ${name}`));
}

/** A test that fails by itself measures nothing; it is named, so that it can be mended. */
function onTestModuleEnd(module) {
  if (!module.ok()) process.stdout.write(`fails as it is, or late: ${module.moduleId.slice(root.length + 1)}\n`);
}

/** What is left out for a row: the places that name it, or it in each document of its kind that is read. */
function waysFor({ section, name, words, isSwitch }, targets) {
  const id = `${section} ${name}`;
  if (section.startsWith("rollcall ")) {
    return [{ id, words, option: id, flag: isSwitch ? "switch" : "valued", places: [id] }];
  }
  if (section.startsWith("Chart ")) {
    return [{ id, words, document: section, path: name.split("."), title: name, places: [section] }];
  }
  const target = targets.get(id);
  const path = name.split(/\.|(?=\[\])/u);
  const asDocument = { id, words, document: section, path, places: [`document ${section}`] };
  if (target === undefined) return [asDocument];
  const asPlaces = { id, words, ...target, places: target.numbers };
  // These share their types with other kinds: only in its documents is such a field its own.
  return path[0] === "metadata" || section === "ClusterDefaults" ? [asDocument] : [asPlaces, asDocument];
}
