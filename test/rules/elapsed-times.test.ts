import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What measures how long something took: on a slower machine it is more. */
const measures = /\b(?:cpuUsage|threadCpuUsage|performance\.now|hrtime|schedstat|eventLoopUtilization)\b/u;

/** Every file that asks for it itself, by what it does with the answer. All others use test/support/of-this-machine.ts. */
const measuring: Readonly<Record<string, readonly string[]>> = {
  "is the measure of all": ["support/of-this-machine.ts"],
  "gives it to what is tested, as its clock": [
    "support/real-time.ts",
    "support/shifting-clock.ts",
    "unit/core/timer.test.ts",
  ],
  "ends a wait that would last for ever": [
    "support/control-plane.ts",
    "support/daemon-plane.ts",
    "support/until.ts",
    "upgrade/running-fleet.ts",
  ],
  "ends after a time that it is given": [
    "fuzz/run-target.ts",
    "fuzz/watchdog.ts",
    "simulation/main.ts",
    "unit/git/wire/take-turns.test.ts",
  ],
  "wants a wait that is configured to be at least so long": ["contract/embedded-node/ends.ts"],
  "compares two of them, or the two parts of one": [
    "contract/daemon/unmerged-plan.test.ts",
    "support/measure-loop.ts",
    "unit/embedded-hub/cost/request-cost.ts",
  ],
  "has bounds of this machine": ["e2e/bomb-branch.test.ts", "kube/failover.test.ts"],
  "asks whether what was sent 15 s after the end of a credential is accepted, however late the answer": [
    "support/until-refused.ts",
  ],
};

/** Bounds that are a number, each with the reason why it is the same on any machine. */
const absolute: Readonly<Record<string, string>> = {
  "contract/embedded-hub/certificate-requests.test.ts Date.now() - Date.parse(validFrom)":
    "a certificate is valid from five minutes before it is made",
  'contract/kube/objects.ts Math.abs(Date.parse(created.metadata.creationTimestamp ?? "") - Date.now())':
    "distinguishes a time of the server's clock from another one: it has a minute for one answer",
};

/** Bounds of CPU or elapsed time that are no ratio and know nothing of the machine, as `file value`. */
function absoluteBounds(file: string, text: string): readonly string[] {
  const isMeasured = measures.test(text) || /\b(?:cpuMsOf|startCpuWatch|measureLoop)\b|\bDate\.now\(\)/u.test(text);
  if (!isMeasured || !/\.toBeLess/u.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const bound = boundOf(node, source);
    if (bound !== undefined) found.push(`${file} ${bound}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const isTime = /\w*(?:Ms|MsOf|illiseconds)\b|\bDate\.now\b|\bperformance\b/u;
/** A ratio, or what is measured as on the machine of the bounds. */
const isRelative = / \/ |\bleastCpuMs\(/u;
const isOfThisMachine = /\b(?:ofThisMachine|elapsedOfThisMachine|longestFailoverMs)\(/u;

/** The value of `expect(value).toBeLessThan(bound)` that is refused. A name counts as the value that the file gives it. */
function boundOf(node: ts.Node, source: ts.SourceFile): string | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  if (!/^toBeLessThan(?:OrEqual)?$/u.test(node.expression.name.text)) return undefined;
  const value = /\bexpect\(([^]*?)\)$/u.exec(node.expression.expression.getText(source))?.[1];
  const bound = node.arguments[0]?.getText(source);
  if (value === undefined || bound === undefined || !isTime.test(value)) return undefined;
  const meaning = (text: string): string =>
    /^\w+$/u.test(text) ? (new RegExp(`\\b${text} = ([^;]*);`, "u").exec(source.text)?.[1] ?? text) : text;
  return isRelative.test(meaning(value)) || isOfThisMachine.test(meaning(bound)) ? undefined : value;
}

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((entry) => entry.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".bench.ts") && !/^(?:bench|rules|planted)\//u.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

describe("the time that something takes", () => {
  it("is read by the files that are listed, each once", () => {
    const asking = files.filter(({ text }) => measures.test(text)).map(({ file }) => file);
    expect(asking.sort()).toEqual(Object.values(measuring).flat().sort());
  });

  it("has no bound of its own: another machine is slower, and a count or a ratio proves more", () => {
    const found = files.flatMap(({ file, text }) => absoluteBounds(file, text));
    expect(found.sort()).toEqual(Object.keys(absolute).sort());
  });

  it.each([
    ["const { cpuMs } = await measureLoop(work);\nexpect(cpuMs).toBeLessThan(1500);", ["a.ts cpuMs"]],
    ["expect(performance.now() - startMs).toBeLessThanOrEqual(100);", ["a.ts performance.now() - startMs"]],
    ["const most = 300;\nexpect(cpuMsOf(work), name).toBeLessThan(most);", ["a.ts cpuMsOf(work), name"]],
    ["expect(cpuMsOf(work)).toBeLessThan(ofThisMachine(200));", []],
    ["const most = ofThisMachine(300);\nexpect(cpuMsOf(work)).toBeLessThan(most);", []],
    ["expect(cpuMsOf(twice) / cpuMsOf(once)).toBeLessThan(2.5);", []],
    ["expect(leastCpuMs(work, 200)).toBeLessThan(200);", []],
    ["expect(clock.nowMs() - beforeMs).toBeLessThan(10);", []],
  ])("is found to have one, or not, in %j", (text, found) => {
    expect(absoluteBounds("a.ts", text)).toEqual(found);
  });
});
