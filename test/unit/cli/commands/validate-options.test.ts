import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runValidateCommand } from "../../../../src/cli/commands/validate.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import { runGit } from "../../../support/git-repositories.ts";

describe("rollcall validate", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "validate-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  async function run(
    given: Readonly<Record<string, unknown>>,
    environment: Readonly<Record<string, string>> = { CI: "true" },
  ): Promise<{ code: number; text: string }> {
    let text = "";
    const code = await runValidateCommand({
      settings: readSettings("validate", { given, environment: {} }),
      args: [dir],
      stdout: { write: (part) => (text += part), isTTY: true },
      environment,
    });
    return { code, text };
  }

  it("shows on standard error how far it is with 1,000 files, and nothing of it in the answer", async () => {
    for (let index = 0; index < 1_000; index++) {
      const document = `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: c-${index}}\n`;
      writeFileSync(join(dir, `c-${index}.yaml`), document);
    }
    const lines: string[] = [];
    let text = "";
    const code = await runValidateCommand({
      settings: readSettings("validate", { given: {}, environment: {} }),
      args: [dir],
      stdout: { write: (part) => (text += part) },
      stderr: { write: (part) => lines.push(part) },
      environment: { CI: "true" },
    });
    expect(code).toBe(0);
    expect(lines).toHaveLength(10);
    expect(lines[4]).toBe("Read 500 of 1000 files\n");
    expect(text).not.toContain("Read ");
  });

  it.each([
    { option: { strict: true }, code: 1, text: "W_IGNORED_KIND" },
    { option: { severity: "W_IGNORED_KIND=error" }, code: 1, text: "W_IGNORED_KIND" },
    { option: { output: "json" }, code: 0, text: '"severity"' },
    { option: { "changed-since": "HEAD" }, code: 0, text: "no problems" },
  ])("does something else with $option", async ({ option, code, text }) => {
    await runGit(dir, ["init", "-q"]);
    writeFileSync(join(dir, "a.yaml"), "apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata: {name: a}\n");
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-qm", "one"]);
    const usual = await run({});
    const result = await run(option);
    expect(result).not.toEqual(usual);
    expect(result.code).toBe(code);
    expect(result.text).toContain(text);
  });

  it("keeps nothing in a clone that is thrown away, as CI declares", async () => {
    await runGit(dir, ["init", "-q"]);
    for (let index = 0; index < 100; index += 1) {
      const name = `a-${index}`;
      writeFileSync(
        join(dir, `${name}.yaml`),
        `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\n`,
      );
    }
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-qm", "one"]);
    await run({});
    expect(existsSync(join(dir, ".git/rollcall"))).toBe(false);
    await run({}, {});
    expect(existsSync(join(dir, ".git/rollcall"))).toBe(true);
  });

  it("prints colours on a terminal, unless NO_COLOR is set or the terminal has none", async () => {
    writeFileSync(join(dir, "a.yaml"), "apiVersion: rollcall.dev/v1alpha1\nkind: Clutser\n");
    expect((await run({}, {})).text).toContain("\u001b[");
    expect((await run({}, { NO_COLOR: "1" })).text).not.toContain("\u001b[");
    expect((await run({}, { TERM: "dumb" })).text).not.toContain("\u001b[");
  });
});
