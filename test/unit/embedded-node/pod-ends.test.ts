import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { objectAt } from "../../../src/core/read-json.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";
import type { NodeWorld } from "./node-world.ts";
import { containerOf, nodeWorld, scriptedPod } from "./node-world.ts";

/** A program that does this when it is asked to end. */
const whenAsked = (name: string, deed: string) => `trap '${deed}' TERM; touch ${name}.up; while :; do sleep 0.1; done`;
const noteIn = (name: string) => ({ name, image: whenAsked(name, `echo ${name} >> order; exit 0`) });
const sidecar = (container: { readonly name: string; readonly image: string }) => ({
  ...container,
  restartPolicy: "Always",
});

/** Deletes the Pod when all of its programs run. */
async function deleted({ manager, dir }: NodeWorld, pod: ReturnType<typeof scriptedPod>, graceSeconds: number) {
  manager.take(pod);
  await until(
    () => readdir(join(dir, "u")).catch(() => []),
    (names) => names.filter((name) => name.endsWith(".up")).length === 3,
  );
  const deletion = { deletionTimestamp: "2027-01-01T00:00:00Z", deletionGracePeriodSeconds: graceSeconds };
  manager.take({ ...pod, metadata: { ...pod.metadata, ...deletion } });
}

describe("the sidecars of a Pod that is deleted", () => {
  it("end after the containers that use them, the last one first", async () => {
    const deletions: string[] = [];
    const world = await nodeWorld({ onDelete: (uid) => deletions.push(uid) });
    const initContainers = [sidecar(noteIn("first")), sidecar(noteIn("second"))];
    await deleted(world, scriptedPod([noteIn("main")], { spec: { initContainers } }), 600);
    await expect.poll(() => deletions).toEqual(["u"]);
    expect(await readFile(join(world.dir, "u", "order"), "utf8")).toBe("main\nsecond\nfirst\n");
  });

  it("are not started again when they end before their turn, and are named in Events", async () => {
    const clock = createManualClock();
    const deletions: string[] = [];
    const world = await nodeWorld({ clock, onDelete: (uid) => deletions.push(uid) });
    const failing = { name: "side", image: "touch side.up; until test -e ending; do sleep 0.1; done; exit 1" };
    const waiting = { name: "other", image: "touch other.up; exec sleep 1000" };
    const main = { name: "main", image: whenAsked("main", "touch ending") };
    const initContainers = [sidecar(failing), sidecar(waiting)];
    await deleted(world, scriptedPod([main], { spec: { initContainers } }), 600);
    const status = await world.untilStatus(
      (seen) => objectAt(containerOf(seen, "side"), "state", "running") === undefined,
    );
    expect(containerOf(status, "side")).toMatchObject({ state: { terminated: { exitCode: 1 } }, restartCount: 0 });
    await clock.advance(600_000);
    await expect.poll(() => deletions).toEqual(["u"]);
    const starts = world.events.filter((event) => event === "Started Started container side");
    expect(starts).toHaveLength(1);
    for (const name of ["main", "side", "other"]) expect(world.events).toContain(`Killing Stopping container ${name}`);
  });

  it("have no grace of their own beside it", async () => {
    const clock = createManualClock();
    const deletions: string[] = [];
    const world = await nodeWorld({ clock, onDelete: (uid) => deletions.push(uid) });
    const stubborn = (name: string) => ({ name, image: whenAsked(name, "") });
    const initContainers = [sidecar(stubborn("first")), sidecar(stubborn("second"))];
    await deleted(world, scriptedPod([stubborn("main")], { spec: { initContainers } }), 20);
    await until(
      async () => clock.sleepers,
      (count) => count > 0,
    );
    await clock.advance(20_000);
    await expect.poll(() => deletions).toEqual(["u"]);
  });
});
