import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { numberAt, objectAt, textAt } from "../../../src/core/read-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";
import { containerOf, nodeWorld, scriptedPod, untilAsked } from "./node-world.ts";
import type { ScriptedContainer } from "./node-world.ts";

const isInPhase = (phase: string) => (status: JsonObject) => textAt(status, "phase") === phase;
const isRunning = (status: JsonObject) => objectAt(containerOf(status), "state", "running") !== undefined;

function changed(containers: readonly ScriptedContainer[], spec: JsonObject = {}) {
  const pod = scriptedPod(containers, { spec });
  return { ...pod, metadata: { ...pod.metadata, generation: 2 } };
}

describe("a Pod whose spec is changed", () => {
  it.each(["Always", "Never"])(
    "runs the new image of a container, with the restart policy %s",
    async (restartPolicy) => {
      const { manager, events, untilStatus } = await nodeWorld();
      const spec = { restartPolicy };
      manager.take(scriptedPod([{}, { name: "other" }], { spec }));
      await untilStatus(
        (status) => isRunning(status) && objectAt(containerOf(status, "other"), "state", "running") !== undefined,
      );
      const image = `${untilAsked} # new`;
      manager.take(changed([{ image }, { name: "other" }], spec));
      const status = await untilStatus((seen) => isRunning(seen) && numberAt(containerOf(seen), "restartCount") === 1);
      expect(status).toMatchObject({ phase: "Running", observedGeneration: 2 });
      expect(containerOf(status)).toMatchObject({ image, imageID: image });
      expect(containerOf(status, "other")).toMatchObject({ restartCount: 0 });
      expect(events).toContain("Killing Container main definition changed, will be restarted");
    },
  );

  it("shows the image that runs until the new one does", async () => {
    const clock = createManualClock();
    const { manager, dir, untilStatus } = await nodeWorld({ clock });
    const image = "trap '' TERM; echo > trapped; while :; do sleep 0.1; done";
    manager.take(scriptedPod([{ image }]));
    await untilStatus(isRunning);
    // Before this it ends on SIGTERM as any shell.
    await expect.poll(() => readdir(join(dir, "u"))).toContain("trapped");
    manager.take(changed([{}]));
    const status = await untilStatus((seen) => seen["observedGeneration"] === 2);
    expect(containerOf(status)).toMatchObject({ image, restartCount: 0 });
    await clock.advance(600_000);
    expect(containerOf(await untilStatus((seen) => numberAt(containerOf(seen), "restartCount") === 1))).toMatchObject({
      image: untilAsked,
    });
  });

  it("that waits for an image starts with the new one at once", async () => {
    const { manager, untilStatus } = await nodeWorld({ clock: createManualClock() });
    manager.take(scriptedPod([{ image: "none" }]));
    await untilStatus((status) => textAt(containerOf(status), "state", "waiting", "reason") === "ErrImagePull");
    manager.take(changed([{}]));
    const status = await untilStatus(isRunning);
    expect(containerOf(status)).toMatchObject({ restartCount: 0, image: untilAsked });
  });

  it("keeps a container that is done", async () => {
    const { manager, events, untilStatus } = await nodeWorld();
    const spec = { restartPolicy: "OnFailure" };
    manager.take(scriptedPod([{ name: "done", image: "exit 0" }, {}], { spec }));
    await untilStatus(
      (status) => isRunning(status) && objectAt(containerOf(status, "done"), "state", "terminated") !== undefined,
    );
    manager.take(changed([{ name: "done", image: "exit 1" }, {}], spec));
    await untilStatus((status) => status["observedGeneration"] === 2);
    expect(events.filter((event) => event === "Started Started container done")).toHaveLength(1);
  });

  it("has the deadline that it was given later", async () => {
    const clock = createManualClock();
    const { manager, untilStatus } = await nodeWorld({ clock });
    manager.take(scriptedPod([{}], { spec: { activeDeadlineSeconds: 600 } }));
    await untilStatus(isRunning);
    manager.take(changed([{}], { activeDeadlineSeconds: 60 }));
    await until(
      async () => clock.sleepers,
      (count) => count === 2,
    );
    await clock.advance(60_000);
    expect(await untilStatus(isInPhase("Failed"))).toMatchObject({ reason: "DeadlineExceeded", observedGeneration: 2 });
  });
});
