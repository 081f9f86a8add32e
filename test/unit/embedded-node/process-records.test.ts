import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { startChild } from "../../../src/embedded-node/child-process.ts";
import { createProcessRecords, processStart } from "../../../src/embedded-node/process-records.ts";
import { realClock } from "../../support/real-time.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-processes-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const idle = "setInterval(() => undefined, 60000)";
const recordsAt = (path: string) => createProcessRecords(path, realClock, silentLog);

describe("createProcessRecords", () => {
  it("remembers a child while it runs, for this user alone", async () => {
    const path = join(folder, "processes.json");
    const records = recordsAt(path);
    const child = await startChild({ command: process.execPath, args: ["-e", idle], env: {}, cwd: folder, records });
    const text = await readFile(path, "utf8");
    expect(JSON.parse(text)).toEqual({ processes: [{ pid: child.pid, startedAt: await processStart(child.pid) }] });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    child.kill("SIGTERM");
    expect(await child.exited).toEqual({ exitCode: 143, signal: "SIGTERM" });
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ processes: [] });
  });

  it("ends what a former run left, and no process that has its number by now", async () => {
    const path = join(folder, "processes.json");
    const left = spawn(process.execPath, ["-e", idle], { detached: true, stdio: "ignore" });
    const innocent = spawn(process.execPath, ["-e", idle], { detached: true, stdio: "ignore" });
    await Promise.all([once(left, "spawn"), once(innocent, "spawn")]);
    const [leftGone, innocentGone] = [once(left, "exit"), once(innocent, "exit")];
    try {
      const startedAt = await processStart(left.pid ?? 0);
      const processes = [
        { pid: left.pid, startedAt },
        { pid: innocent.pid, startedAt: "another time" },
        { pid: 1, startedAt: "x" },
      ];
      await writeFile(path, JSON.stringify({ processes }));
      await recordsAt(path).reap();
      expect(await leftGone).toEqual([null, "SIGKILL"]);
      // It ends by the first signal that it gets.
      innocent.kill("SIGTERM");
      expect(await innocentGone).toEqual([null, "SIGTERM"]);
    } finally {
      innocent.kill("SIGKILL");
    }
  });

  it.runIf(process.platform === "linux")(
    "lets a process be that has number and start of one before a reboot",
    async () => {
      const path = join(folder, "processes.json");
      const records = recordsAt(path);
      const child = await startChild({ command: process.execPath, args: ["-e", idle], env: {}, cwd: folder, records });
      const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
      const text = await readFile(path, "utf8");
      expect(text).toContain(boot);
      await writeFile(path, text.replace(boot, "11111111-2222-4333-8444-555555555555"));
      await recordsAt(path).reap();
      child.kill("SIGTERM");
      expect(await child.exited).toEqual({ exitCode: 143, signal: "SIGTERM" });
    },
  );

  it("starts with nothing when its file is missing or is no record", async () => {
    await recordsAt(join(folder, "none.json")).reap();
    await writeFile(join(folder, "odd.json"), "not json");
    await recordsAt(join(folder, "odd.json")).reap();
  });
});

describe("startChild", () => {
  it("ends what the program started when the program ends", async () => {
    const source = `
      const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(idle)}], { stdio: "inherit" });
      console.log(child.pid);
      setTimeout(() => process.exit(5), 50);`;
    const records = recordsAt(join(folder, "processes.json"));
    const child = await startChild({ command: process.execPath, args: ["-e", source], env: {}, cwd: folder, records });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    expect(await child.exited).toEqual({ exitCode: 5 });
    // What it wrote may be read after its end.
    await expect.poll(() => Number(output)).toBeGreaterThan(0);
    await expect.poll(() => processStart(Number(output))).toBeUndefined();
  });

  it("rejects when there is no such program", async () => {
    const records = recordsAt(join(folder, "processes.json"));
    const started = startChild({ command: join(folder, "none"), args: [], env: {}, cwd: folder, records });
    await expect(started).rejects.toMatchObject({ code: "ENOENT" });
  });
});
