import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildScript } from "../../support/build-script.ts";

describe("startWatchdog", () => {
  let dir = "";
  let script = "";
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "rollcall-watchdog-"));
    script = await buildScript(join(import.meta.dirname, "hanging-script.ts"), dir);
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it.each(["holds", "waits"])("ends a process whose input %s for ever, and writes the input", async (how) => {
    const file = join(dir, how);
    const child = spawn(process.execPath, [script, file, how], { stdio: ["ignore", "ignore", "pipe"] });
    const said: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
    const [, signal] = (await once(child, "close")) as [number | null, string | null];
    expect(signal).toBe("SIGKILL");
    expect(await readFile(`${file}-json-hang`, "utf8")).toBe("planted");
    expect(Buffer.concat(said).toString()).toContain(`${file}-json-hang: no end after`);
  });
});
