// Leaves out one field, option, key or variable of docs/fields.md after another and runs a test that must then fail.
//   node scripts/measure-fields.mjs record unit      which test files reach which field
//   node scripts/measure-fields.mjs run unit [seconds] [pattern of rows]      measures rows that are not measured yet
// What it finds stands in .rollcall-measure/measured.jsonl; test/rules/fields.golden keeps it.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createVitest } from "vitest/node";
import { readFieldRows } from "./generate/fields-page.mjs";
import { listFields } from "./generate/list-fields.mjs";
import { loadSchemas } from "./generate/load-schemas.mjs";
import { findSites } from "./measure/field-sites.mjs";
import { instrument } from "./measure/instrument.mjs";

const root = resolve(import.meta.dirname, "..");
const folder = join(root, ".rollcall-measure");
const [mode, suite, seconds = "240", pattern = ""] = process.argv.slice(2);
const mostFiles = Number(process.env["ROLLCALL_MEASURE_FILES"] ?? 6);
mkdirSync(folder, { recursive: true });
process.env["ROLLCALL_MEASURE"] = folder;

const entries = await listFields({ root, ...loadSchemas(join(root, "schemas")) });
const rows = new Map(readFieldRows(root).map((row) => [idOf(row), row]));
const { targets, sites } = findSites(root, entries);
const reachedBy = new Map();
for (const line of linesOf("reached.jsonl")) {
  for (const item of line.reached) {
    const known = reachedBy.get(item) ?? reachedBy.set(item, new Set()).get(item);
    known.add(relative(root, line.file));
  }
}
const costs = new Map(linesOf("costs.jsonl").flatMap(({ file, ms, ok }) => (ok ? [[file, ms]] : [])));

/** What the run under way reports: the state of Vitest keeps results of earlier runs. */
let failures = [];
const reporter = {
  onTestModuleEnd: (module) => {
    for (const { message } of mode === "record" ? module.errors() : []) print(`${module.moduleId}: ${message}`);
  },
  onTestCaseResult: (test) => {
    if (test.result().state !== "failed") return;
    failures.push({ file: relative(root, test.module.moduleId), title: test.name, full: test.fullName });
  },
};
const vitest = await createVitest(
  "test",
  {
    config: false,
    root,
    watch: false,
    include: [`test/${suite}/**/*.test.ts`],
    setupFiles: [join(root, "scripts/measure/leave-out.mjs")],
    reporters: [reporter],
    silent: true,
    pool: "forks",
    isolate: suite !== "unit",
    maxWorkers: 2,
    bail: mode === "run" ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
  { plugins: [instrument(root, sites)], logLevel: "silent" },
);
try {
  await (mode === "record" ? record() : measureAll());
} finally {
  await vitest.close();
}
process.exit(0);

async function record() {
  writeFileSync(join(folder, "left-out.json"), JSON.stringify({ isRecording: true }));
  const specifications = (await vitest.globTestSpecifications()).filter(({ moduleId }) =>
    new RegExp(pattern, "u").test(moduleId),
  );
  await vitest.runTestSpecifications(specifications, true);
  const lines = vitest.state.getTestModules().map((module) => {
    const { duration, collectDuration } = module.diagnostic();
    return JSON.stringify({
      file: relative(root, module.moduleId),
      ms: Math.round(duration + collectDuration),
      ok: module.ok(),
    });
  });
  writeFileSync(
    join(folder, "costs.jsonl"),
    `${[...linesOf("costs.jsonl").map((line) => JSON.stringify(line)), ...lines].join("\n")}\n`,
  );
  print(`${lines.length} files, failed: ${lines.filter((line) => line.includes('"ok":false'))}`);
}

async function measureAll() {
  const end = Date.now() + Number(seconds) * 1000;
  const known = new Set(
    linesOf("measured.jsonl").flatMap(({ id, suite: other, failed }) => (failed || other === suite ? [id] : [])),
  );
  for (const entry of entries) {
    const id = idOf(entry);
    if (Date.now() > end) return print("time is over");
    if (known.has(id) || (!pattern && rows.get(id)?.how === "measured") || !new RegExp(pattern, "u").test(id)) continue;
    let found = { failed: undefined, tried: [] };
    for (const { leftOut, files } of waysFor(entry)) {
      if (files.length === 0) continue;
      found = await measure(leftOut, files);
      if (found.failed) break;
    }
    appendFileSync(join(folder, "measured.jsonl"), `${JSON.stringify({ id, suite, ...found })}\n`);
  }
  print("every row was tried");
}

/** What may be left out for a row, and the files that reach it. */
function waysFor(entry) {
  const { section, name, words } = entry;
  if (section.startsWith("rollcall ")) {
    const option = { command: section.slice(9), name: name.slice(2) };
    return [{ leftOut: { option }, files: candidates([`${section} ${name}`], words) }];
  }
  const path = name.split(/\.|(?=\[\])/u);
  const asDocument = {
    leftOut: { document: { kind: section, path } },
    files: candidates([`document ${section}`], words),
  };
  const target = targets.get(idOf(entry));
  const asSite = { leftOut: target ?? {}, files: target === undefined ? [] : candidates(target.numbers, words) };
  return path[0] === "metadata" || section === "ClusterDefaults" ? [asDocument] : [asSite, asDocument];
}

/** Files that name the field first, then the fastest. */
function candidates(keys, words) {
  const names = new RegExp(
    `(?<![A-Za-z0-9])(${words.map((word) => RegExp.escape?.(word) ?? word.replaceAll(/[.$]/gu, "\\$&")).join("|")})(?![A-Za-z0-9])`,
    "u",
  );
  const files = [...new Set(keys.flatMap((key) => [...(reachedBy.get(key) ?? [])]))].filter(
    (file) => costs.has(file) && file.startsWith(`test/${suite}/`),
  );
  const scored = files.map((file) => [
    names.test(readFileSync(join(root, file), "utf8")) ? 0 : 1,
    costs.get(file) ?? 1000,
    file,
  ]);
  return scored
    .sort((one, other) => one[0] - other[0] || one[1] - other[1])
    .slice(0, mostFiles)
    .map(([, , file]) => file);
}

async function measure(leftOut, files) {
  writeFileSync(join(folder, "left-out.json"), JSON.stringify({ rest: [], ...leftOut }));
  const specifications = await vitest.globTestSpecifications(files.map((file) => join(root, file)));
  failures = [];
  await vitest.runTestSpecifications(specifications, false);
  return { failed: failures[0], tried: files };
}

function idOf({ section, name }) {
  return `${section} ${name}`;
}

function linesOf(name) {
  const path = join(folder, name);
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
