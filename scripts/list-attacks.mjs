// npm run attacks [-- REPORT...]: for each number of docs/security.md the tests whose titles begin with it, and whether they
// passed, by JSON reports of vitest (--reporter=json --outputFile=REPORT). Without a report the unit, contract and e2e tests
// are run first. Fails when a test failed, or when a row that applies has no test that passed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const given = process.argv.slice(2);
const paths = given.length > 0 ? given : [runTests()];

const rows = readFileSync(resolve(root, "docs/security.md"), "utf8")
  .split("\n")
  .map((line) => line.split(/(?<!\\)\|/u).map((cell) => cell.trim()))
  .filter(([, number]) => /^[AF]\d+$/u.test(number ?? ""));
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
process.exit(isAllWell ? 0 : 1);

/** The report of all tests: those of a number alone would miss what the tests before them leave behind. */
function runTests() {
  const report = join(mkdtempSync(join(tmpdir(), "attacks-")), "report.json");
  const projects = ["unit", "contract", "e2e"].flatMap((name) => ["--project", name]);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  run("npm", ["run", "-s", "build"]);
  run("npx", ["vitest", "run", ...projects, ...reporters]);
  return report;
}

/** Failed tests are in the report. */
function run(command, args) {
  const { error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error !== undefined) throw error;
}
