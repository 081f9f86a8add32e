import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startChild } from "../../../src/embedded-node/child-process.ts";
import { isRunning } from "../../support/is-running.ts";
import { until } from "../../support/until.ts";

describe("startChild", () => {
  it("keeps the output of a program that ends before it is on record", async () => {
    const child = await startChild({
      command: process.execPath,
      args: ["-e", "console.log('said'); console.error('complained')"],
      env: {},
      cwd: tmpdir(),
      records: {
        add: async (pid) => {
          await until(
            () => Promise.resolve(isRunning(pid)),
            (isUp) => !isUp,
          );
        },
        remove: () => Promise.resolve(),
        reap: () => Promise.resolve(),
      },
    });
    expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual(["said\n", "complained\n"]);
    expect(await child.exited).toEqual({ exitCode: 0 });
  });

  it("leaves no program running that could not be recorded, as on a full disk", async () => {
    let started = 0;
    const removed: number[] = [];
    const starting = startChild({
      command: process.execPath,
      args: ["-e", "console.log('x'.repeat(1e6)); setInterval(() => undefined, 1000)"],
      env: {},
      cwd: tmpdir(),
      records: {
        add: async (pid) => {
          started = pid;
          await setTimeout(300);
          throw new Error("ENOSPC: no space left on device");
        },
        remove: async (pid) => void removed.push(pid),
        reap: () => Promise.resolve(),
      },
    });
    await expect(starting).rejects.toThrow("ENOSPC");
    expect([started > 0, isRunning(started)]).toEqual([true, false]);
    expect(removed).toEqual([started]);
  });
});
