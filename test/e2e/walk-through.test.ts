import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { startRollcall } from "../support/rollcall-process.ts";

const page = await readFile(join(import.meta.dirname, "../../docs/walk-through.md"), "utf8");
const entry = join(import.meta.dirname, "../../bin/rollcall.js");

// Every command of docs/walk-through.md, as it stands there: each block is a shell's script in the same folder.
describe("the walk-through", () => {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map((match) => match[1] ?? "");
  const [start = ""] = [...page.matchAll(/^```sh terminal=1\nnpx rollcall (.*)\n```$/gmu)].map(
    (match) => match[1] ?? "",
  );
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let up: RollcallProcess;

  beforeAll(async () => {
    folder = await makeTempFolder();
    const tools = join(folder.path, "tools");
    await mkdir(tools);
    // npx as in a checkout: it finds this program.
    const npx = `#!/bin/sh\nshift\nexec ${process.execPath} ${entry} "$@"\n`;
    await writeFile(join(tools, "npx"), npx);
    await chmod(join(tools, "npx"), 0o755);
    up = startRollcall(start.split(" "), { cwd: folder.path });
    await up.whenPrinted(/Every cluster is Ready/u, 100_000);
  });
  afterAll(async () => {
    up.kill("SIGTERM");
    await up.finished;
    await folder.remove();
  });

  it("has the two ways", () => {
    expect(start).toBe("up --dir demo");
    expect(blocks.length).toBeGreaterThanOrEqual(7);
  });

  it.each(blocks.map((text, index) => ({ index: index + 1, text })))("block $index works", async ({ text }) => {
    const { code, output } = await runShell(text, folder.path);
    expect(code, output).toBe(0);
    if (text.includes("status lab-1")) expect(output).toMatch(/lab-1[\s\S]*Joined +True/u);
    if (text.includes("rollcall plan")) expect(output).toContain("dev-us-1");
  });
});

function runShell(script: string, cwd: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn("sh", ["-eu", "-c", script], {
    cwd,
    env: {
      PATH: `${join(cwd, "tools")}:${process.env.PATH}`,
      HOME: cwd,
      GIT_AUTHOR_NAME: "Reader",
      GIT_AUTHOR_EMAIL: "reader@example.org",
      GIT_COMMITTER_NAME: "Reader",
      GIT_COMMITTER_EMAIL: "reader@example.org",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => void parts.push(String(text)));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output: parts.join("") }));
  });
}
