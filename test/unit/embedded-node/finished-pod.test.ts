import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { isRunning } from "../../support/is-running.ts";
import { until } from "../../support/until.ts";
import { nodeWorld, scriptedPod } from "./node-world.ts";

const isInPhase = (phase: string) => (status: JsonObject) => textAt(status, "phase") === phase;

describe("a Pod that finished", () => {
  it("stays Succeeded when its deadline passes", async () => {
    const clock = createManualClock();
    const { manager, writes, untilStatus } = await nodeWorld({ clock });
    const spec = { restartPolicy: "Never", activeDeadlineSeconds: 60 };
    manager.take(scriptedPod([{ image: "exit 0" }], { spec }));
    await untilStatus(isInPhase("Succeeded"));
    await until(
      async () => clock.sleepers,
      (count) => count === 0,
    );
    await clock.advance(61_000);
    expect(writes.at(-1)?.status).toMatchObject({ phase: "Succeeded" });
  });

  it.each([
    [0, "Succeeded"],
    [3, "Failed"],
  ])("with exit code %i ends its sidecar", async (exitCode, phase) => {
    const { manager, dir, untilStatus } = await nodeWorld();
    const image = "echo $$ > pid; exec sleep 1000";
    const initContainers = [{ name: "side", image, restartPolicy: "Always" }];
    const main = { image: `until test -s pid; do sleep 0.1; done; exit ${exitCode}` };
    manager.take(scriptedPod([main], { spec: { restartPolicy: "Never", initContainers } }));
    await untilStatus(isInPhase(phase));
    const pid = Number(await readFile(join(dir, "u", "pid"), "utf8"));
    await until(
      async () => isRunning(pid),
      (isUp) => !isUp,
    );
  });

  it("ends the sidecar of an init container that failed for good", async () => {
    const { manager, dir, untilStatus } = await nodeWorld();
    const image = "echo $$ > pid; exec sleep 1000";
    const init = { name: "init", image: "until test -s pid; do sleep 0.1; done; exit 3" };
    const initContainers = [{ name: "side", image, restartPolicy: "Always" }, init];
    manager.take(scriptedPod([{}], { spec: { restartPolicy: "Never", initContainers } }));
    await untilStatus(isInPhase("Failed"));
    const pid = Number(await readFile(join(dir, "u", "pid"), "utf8"));
    await until(
      async () => isRunning(pid),
      (isUp) => !isUp,
    );
  });
});

describe("a Pod that waits for a volume", () => {
  it("fails when its deadline passes", async () => {
    const clock = createManualClock();
    const { manager, events, untilStatus } = await nodeWorld({ clock });
    const volumes = [{ name: "s", secret: { secretName: "none" } }];
    manager.take(scriptedPod([{}], { spec: { activeDeadlineSeconds: 60, volumes } }));
    await until(
      async () => events.join(),
      (text) => text.includes("FailedMount"),
    );
    await clock.advance(60_000);
    expect(await untilStatus(isInPhase("Failed"))).toMatchObject({ reason: "DeadlineExceeded" });
  });
});
