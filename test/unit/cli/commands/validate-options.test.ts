import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runValidateCommand } from "../../../../src/cli/commands/validate.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

describe("rollcall validate", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "validate-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const git = (...args: readonly string[]): void => {
    const person = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    execFileSync("git", ["-C", dir, ...person, ...args], { stdio: "ignore" });
  };
  async function run(given: Readonly<Record<string, unknown>>): Promise<{ code: number; text: string }> {
    let text = "";
    const code = await runValidateCommand({
      settings: readSettings("validate", { given, environment: {} }),
      args: [dir],
      stdout: { write: (part) => (text += part) },
      environment: { CI: "true" },
    });
    return { code, text };
  }

  it.each([
    { option: { strict: true }, code: 1, text: "W_IGNORED_KIND" },
    { option: { severity: "W_IGNORED_KIND=error" }, code: 1, text: "W_IGNORED_KIND" },
    { option: { output: "json" }, code: 0, text: '"severity"' },
    { option: { "changed-since": "HEAD" }, code: 0, text: "no problems" },
  ])("does something else with $option", async ({ option, code, text }) => {
    git("init", "-q");
    writeFileSync(join(dir, "a.yaml"), "apiVersion: fleet.cattle.io/v1alpha1\nkind: GitRepo\nmetadata: {name: a}\n");
    git("add", "-A");
    git("commit", "-qm", "one");
    const usual = await run({});
    const result = await run(option);
    expect(result).not.toEqual(usual);
    expect(result.code).toBe(code);
    expect(result.text).toContain(text);
  });
});
