// Runs each test once as it is, then once for each field that it reaches, with that field left out. A failure counts only
// where the test passes before and after it: what a run leaves behind must not look like an effect of the field.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { TestRunner } from "vitest";
import { getFn, getHooks } from "vitest/suite";
import { leaveOut, reachedPlaces } from "./leave-out.mjs";

const { root, targets, fileMs, runMs, isWhole } = JSON.parse(readFileSync(process.env["ROLLCALL_MEASURE"], "utf8"));
const found = `${process.env["ROLLCALL_MEASURE"]}l`;
const folder = dirname(process.env["ROLLCALL_MEASURE"]);
// Before the file is read: what stands at its top, and its hooks, do without the field, too.
if (isWhole) leaveOut(JSON.parse(readFileSync(join(folder, "left.json"), "utf8")));

export default class MeasuringRunner extends TestRunner {
  #files = new Map();

  onAfterRunFiles() {
    if (isWhole) writeFileSync(join(folder, "reached.txt"), [...reachedPlaces()].join("\n"));
  }

  async runTask(test) {
    if (isWhole) return getFn(test)();
    const run = getFn(test);
    leaveOut();
    await run();
    const again = async () => {
      for (const [hook, suite] of hooksOf(test, "afterEach")) await hook(test.context, suite);
      for (const [hook, suite] of hooksOf(test, "beforeEach")) await hook(test.context, suite);
      await run();
    };
    if (test.concurrent === true || test.mode !== "run") return;
    const reached = reachedPlaces();
    const known = measuredRows();
    const text = readFileSync(test.file.filepath, "utf8");
    const isNamed = ({ words }) => (words.some((word) => text.includes(word)) ? 0 : 1);
    // Tests of how options are read fail without an option that does nothing else.
    const isOfReading = relative(root, test.file.filepath).startsWith("test/unit/settings/");
    const asked = targets
      .filter(({ option }) => option === undefined || !isOfReading)
      .filter(({ id, places }) => !known.has(id) && places.some((place) => reached.has(place)))
      .filter(({ title }) => title === undefined || test.name.endsWith(`: ${title}`))
      .sort((one, other) => isNamed(one) - isNamed(other));
    if (asked.length > 0) await this.#measure(test, again, asked);
    leaveOut();
  }

  async #measure(test, run, asked) {
    const file = relative(root, test.file.filepath);
    const state = this.#files.get(file) ?? { endMs: performance.now() + fileMs, isWhole: true };
    this.#files.set(file, state);
    leaveOut();
    if (!state.isWhole || !(await passes(run, runMs))) return;
    for (const target of asked) {
      if (performance.now() > state.endMs) return;
      leaveOut(target);
      if (await passes(run, runMs)) continue;
      leaveOut();
      state.isWhole = await passes(run, runMs);
      if (!state.isWhole) return;
      appendFileSync(found, `${JSON.stringify({ id: target.id, file, title: test.name, suites: suitesOf(test) })}\n`);
    }
  }
}

async function passes(run, limitMs) {
  let timer;
  const late = new Promise((_, refuse) => {
    timer = setTimeout(() => refuse(new Error("late")), limitMs);
  });
  try {
    await Promise.race([run(), late]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Of the file and each suite around the test; what comes before begins outside, what comes after inside. */
function hooksOf(test, kind) {
  const suites = [];
  for (
    let suite = test.suite ?? test.file;
    suite;
    suite = suite.suite ?? (suite === test.file ? undefined : test.file)
  ) {
    suites.push(suite);
  }
  const ordered = kind === "beforeEach" ? suites.reverse() : suites;
  return ordered.flatMap((suite) => (getHooks(suite)?.[kind] ?? []).map((hook) => [hook, suite]));
}

function suitesOf(test) {
  const names = [];
  for (let suite = test.suite; suite?.name; suite = suite.suite) names.unshift(suite.name);
  return names;
}

function measuredRows() {
  const lines = existsSync(found) ? readFileSync(found, "utf8").split("\n").filter(Boolean) : [];
  return new Set(lines.map((line) => JSON.parse(line).id));
}
