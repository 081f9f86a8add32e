import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const numbers = [...readFileSync(join(root, "docs/security.md"), "utf8").matchAll(/^\| ([AF]\d+) \|/gmu)].map(
  ([, number = ""]) => number,
);

const { testFilesOf } = (await import(new URL("../../../scripts/attacks/test-files.mjs", import.meta.url).href)) as {
  readonly testFilesOf: (root: string, named: readonly string[], projects: readonly string[]) => unknown;
};

async function list(tests: readonly { readonly title: string; readonly status: string }[], ...options: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-attacks-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const report = join(folder, "report.json");
  const assertionResults = tests.map((test) => ({ ...test, ancestorTitles: ["a block"] }));
  await writeFile(
    report,
    JSON.stringify({ testResults: [{ name: join(root, "test/unit/x.test.ts"), assertionResults }] }),
  );
  const { status, stdout } = spawnSync(process.execPath, ["scripts/list-attacks.mjs", ...options, report], {
    cwd: root,
  });
  return { status, lines: stdout.toString("utf8").split("\n") };
}

const passing = (number: string) => ({ title: `${number}: holds`, status: "passed" });

describe("npm run attacks", () => {
  it("passes when each row has a test that passed, and shows all of them", async () => {
    const { status, lines } = await list([...numbers.map(passing), { title: "A1 A2 holds both", status: "pending" }]);
    expect(status).toBe(0);
    expect(lines.filter((line) => / passes: /u.test(line))).toHaveLength(numbers.length - 1);
    expect(lines).toContain("  passed test/unit/x.test.ts: A1: holds");
    expect(lines.filter((line) => line === "  skipped test/unit/x.test.ts: A1 A2 holds both")).toHaveLength(2);
  });

  it("fails for a row without a test that passed, and for a test that failed", async () => {
    const rest = numbers.slice(1).map(passing);
    expect((await list(rest)).status).toBe(1);
    const failed = await list([...rest, passing("A1"), { title: "A1 A4 is held", status: "failed" }]);
    expect(failed.status).toBe(1);
    expect(failed.lines.filter((line) => / FAILS: /u.test(line))).toHaveLength(2);
  });

  it("shows the rows that are asked for alone, and refuses a number that has none", async () => {
    const some = await list([passing("A48"), passing("F3")], "--only", "A48,F3");
    expect(some.status).toBe(0);
    expect(some.lines.filter((line) => / passes: /u.test(line))).toHaveLength(2);
    expect(await list([passing("A48")], "--only", "A48,A999")).toMatchObject({ status: 2 });
  });

  it("runs the files that rows name, those that import what is named, and names what is of another project", () => {
    const named = ["test/unit/hub/groups.test.ts", "test/contract/agent/flood-suite.ts", "test/kube/charts.test.ts"];
    const { files, others } = testFilesOf(root, named, ["unit", "contract"]) as Record<"files" | "others", string[]>;
    expect(files).toContain("test/unit/hub/groups.test.ts");
    expect(files.some((file) => file.startsWith("test/contract/agent/") && file.endsWith(".test.ts"))).toBe(true);
    expect(others).toEqual(["test/kube/charts.test.ts"]);
  });
});
