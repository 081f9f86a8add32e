import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const folder = join(root, "dist-single");

/** Runs one of the two files as a user does; resolves with its exit code and what it printed. */
async function runFile(name: string, ...args: string[]): Promise<{ readonly code: unknown; readonly text: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [join(folder, name, `${name}.mjs`), ...args], { env: {} });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

describe("the program in a single file", () => {
  beforeAll(async () => {
    await run("npm", ["run", "--silent", "build:single"], { cwd: root });
  });

  it("checks files", async () => {
    const { code, text } = await runFile("rollcall", "validate", join(root, "examples-repo"));
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining("no problems") as string });
  });

  it("refuses what needs the whole package", async () => {
    for (const command of ["up", "hub", "run"]) {
      const { code, text } = await runFile("rollcall", command);
      expect(code, command).toBe(1);
      expect(text).toContain(
        "rollcall: E_UNSUPPORTED: this file has no hub and no daemon: install the package, or use the image\n",
      );
    }
  });

  it("as an agent is small, and has no code of others", async () => {
    expect((await stat(join(folder, "rollcall-agent/rollcall-agent.mjs"))).size).toBeLessThan(200_000);
    expect(await readFile(join(folder, "rollcall-agent/packages.json"), "utf8")).toBe("[]\n");
    const { code, text } = await runFile("rollcall-agent", "agent");
    expect({ code, lines: text.trim().split("\n").length }).toEqual({ code: 3, lines: 3 });
    expect(text).toMatch(/^rollcall: E_/u);
  });

  it("as an agent does nothing else", async () => {
    const { code, text } = await runFile("rollcall-agent", "validate");
    expect({ code, text }).toMatchObject({ code: 2, text: expect.stringContaining("the agent alone") as string });
  });
});
