import { describe, expect, it, onTestFinished } from "vitest";
import { createMemberQueue } from "../../../../src/hub/controllers/member-queue.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { openMemberWorld } from "../members/member-world.ts";

async function open() {
  const world = await openMemberWorld();
  await world.addCluster("eu-1");
  await world.addCluster("eu-2");
  world.requests.length = 0;
  const queue = createMemberQueue(
    { ...world.ports, clock: createManualClock() },
    { random: { next: () => 0.5 } as never, concurrency: 1 },
  );
  onTestFinished(() => queue.stop());
  const isWritten = (name: string) => world.asked().includes(`status Cluster/${name}`);
  return { ...world, queue, isWritten };
}

describe("createMemberQueue", () => {
  it("reconciles the member of a key", async () => {
    const { queue, isWritten } = await open();
    queue.add("fleet/eu-1");
    await queue.whenIdle();
    expect([isWritten("eu-1"), isWritten("eu-2")]).toEqual([true, false]);
  });

  it("leaves a held member alone, and reconciles it when it is released", async () => {
    const { queue, isWritten } = await open();
    const release = queue.holdMember("fleet", "eu-1");
    queue.add("fleet/eu-1");
    queue.add("fleet/eu-2");
    await queue.whenIdle();
    expect([isWritten("eu-1"), isWritten("eu-2")]).toEqual([false, true]);
    release();
    await queue.whenIdle();
    expect(isWritten("eu-1")).toBe(true);
  });

  it("writes nothing for a member that is not there", async () => {
    const { queue, asked } = await open();
    queue.add("fleet/lost");
    await queue.whenIdle();
    expect(asked()).toEqual([]);
  });
});
