// npm run attacks -- REPORT...: for each number of docs/security.md the tests whose titles begin with it, and whether they
// passed, by JSON reports of vitest (--reporter=json --outputFile=REPORT). Fails when a test failed, or when a row that
// applies has no test that passed.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const paths = process.argv.slice(2);
if (paths.length === 0) {
  console.error("say which reports to read: npm run attacks -- REPORT...");
  process.exit(2);
}

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
