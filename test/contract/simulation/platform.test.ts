import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { buildScript } from "../../support/build-script.ts";

it("the simulator owns every clock of a process: none shows the time of the machine", async () => {
  const folder = await mkdtemp(join(tmpdir(), "platform-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const script = await buildScript(join(import.meta.dirname, "platform-clock.ts"), folder);
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  // The wall clock, the monotonic one and the time asleep, in milliseconds: before all machines sleep for a minute, and after.
  expect(JSON.parse(stdout)).toEqual([
    [0, 0, 0],
    [60_000, 0, 60_000],
  ]);
});
