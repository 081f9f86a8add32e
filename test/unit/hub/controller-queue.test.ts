import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { createControllerQueue } from "../../../src/hub/controller-queue.ts";
import { createManualClock } from "../../support/manual-clock.ts";

describe("createControllerQueue", () => {
  it.each([{ key: "fleet/edge" }, { key: "fleet" }])("works on $key when its workspace is listed", async ({ key }) => {
    let isListed = false;
    const worked: string[] = [];
    const clock = createManualClock();
    const view = { isBeingListed: (workspace: string) => workspace === "fleet" && !isListed };
    const queue = createControllerQueue(
      { view, clock, log: silentLog },
      {
        name: "test",
        concurrency: 1,
        random: { next: () => 0.5 } as never,
        work: async (worksOn) => void worked.push(worksOn),
      },
    );
    onTestFinished(() => queue.stop());
    for (const one of [key, "other/edge"]) queue.add(one);
    await clock.advance(1000);
    expect(worked).toEqual(["other/edge"]);
    isListed = true;
    await clock.advance(200);
    await queue.whenIdle();
    expect(worked).toEqual(["other/edge", key]);
  });

  it("warns of a failure once in ten minutes, however often it tries again", async () => {
    const warned: unknown[] = [];
    const clock = createManualClock();
    const queue = createControllerQueue(
      {
        view: { isBeingListed: () => false },
        clock,
        log: { ...silentLog, warn: (_message, fields) => void warned.push(fields?.["key"]) },
      },
      {
        name: "test",
        concurrency: 1,
        random: { next: () => 0.5 } as never,
        work: () => Promise.reject(new Error("no")),
      },
    );
    onTestFinished(() => queue.stop());
    for (const name of ["a", "b"]) queue.add(`fleet/${name}`);
    for (let seconds = 0; seconds < 500; seconds += 20) await clock.advance(20_000);
    expect(warned).toEqual(["fleet/a", "fleet/b"]);
  });
});
