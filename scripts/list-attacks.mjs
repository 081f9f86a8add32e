// npm run attacks [-- --only A48,F3] [-- --all] [-- REPORT...]: for each number of docs/security.md the tests whose titles begin
// with it, and whether they passed. Runs the test files that the rows name, whole, since a test may need those before it; --only
// runs those of some rows, --all every unit, contract and e2e test. With JSON reports of vitest (--reporter=json
// --outputFile=REPORT) it runs nothing. Fails when a test failed, or when a row that applies has no test that passed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { testFilesOf } from "./attacks/test-files.mjs";

const root = resolve(import.meta.dirname, "..");
const { values: options, positionals: reports } = parseArgs({
  options: { only: { type: "string" }, all: { type: "boolean" } },
  allowPositionals: true,
});
const only = options.only?.split(",").map((number) => number.trim());
const projects = ["unit", "contract", "e2e", "long"];

const allRows = readFileSync(resolve(root, "docs/security.md"), "utf8")
  .split("\n")
  .map((line) => line.split(/(?<!\\)\|/u).map((cell) => cell.trim()))
  .filter(([, number]) => /^[AF]\d+$/u.test(number ?? ""));
const unknown = (only ?? []).filter((number) => !allRows.some(([, row]) => row === number));
if (unknown.length > 0) {
  console.error(`docs/security.md has no row ${unknown.join(", ")}`);
  process.exit(2);
}
const rows = only === undefined ? allRows : allRows.filter(([, number]) => only.includes(number));
const paths = reports.length > 0 ? reports : [runTests()];
const tests = paths
  .flatMap((path) => JSON.parse(readFileSync(path, "utf8")).testResults)
  .flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, status, title }) => ({
      file: relative(root, name).replaceAll("\\", "/"),
      title,
      status: status === "passed" || status === "failed" ? status : "skipped",
      // A title, or one of a block around it, may begin with several numbers.
      numbers: new Set(
        [...ancestorTitles, title].flatMap(
          (text) => /^(?:[AF]\d{1,3}[:,]? )+/u.exec(text)?.[0].match(/[AF]\d+/gu) ?? [],
        ),
      ),
    })),
  );

let [isAllWell, passedRows] = [true, 0];
for (const [, number, attack, named, why] of rows) {
  const own = tests.filter(({ numbers }) => numbers.has(number));
  const count = (status) => own.filter((test) => test.status === status).length;
  const doesApply = !(named === "" && why.startsWith("Does not apply"));
  const isWell = count("failed") === 0 && (!doesApply || count("passed") > 0);
  const verdict = !isWell ? "FAILS" : doesApply ? "passes" : "does not apply";
  isAllWell &&= isWell;
  passedRows += verdict === "passes" ? 1 : 0;
  console.log(
    `${number} ${verdict}: ${attack} (${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped)`,
  );
  for (const { status, file, title } of own) console.log(`  ${status} ${file}: ${title}`);
}
console.log(`${passedRows} of ${rows.length} rows pass`);
// An exit that is forced would drop what a pipe has not taken yet.
process.exitCode = isAllWell ? 0 : 1;

/** The report of the tests that the rows name, or of all. */
function runTests() {
  const report = join(mkdtempSync(join(tmpdir(), "attacks-")), "report.json");
  const named = rows.flatMap(([, , , cell = ""]) =>
    [...cell.matchAll(/\]\(\.\.\/([^)]+)\)/gu)].map(([, file]) => file),
  );
  const { files, others } = testFilesOf(root, named, projects);
  for (const file of others) console.log(`not run: ${file}, which is of another project`);
  if (!options.all && files.length === 0) {
    console.error("no unit, contract or e2e test is named; give a report of the other projects");
    process.exit(2);
  }
  console.log(
    options.all ? "all unit, contract and e2e tests are run" : `${files.length} files of ${rows.length} rows are run`,
  );
  const reporters = ["--reporter=default", "--silent", "--reporter=json", `--outputFile.json=${report}`];
  run("npm", ["run", "-s", "build"]);
  const chosen = options.all ? [] : files;
  run("npx", ["vitest", "run", ...projects.flatMap((name) => ["--project", `${name}*`]), ...reporters, ...chosen]);
  return report;
}

/** Failed tests are in the report. */
function run(command, args) {
  const { error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error !== undefined) throw error;
}
