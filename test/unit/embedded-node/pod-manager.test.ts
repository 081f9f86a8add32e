import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { numberAt, objectAt, textAt } from "../../../src/core/read-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { openPodLog } from "../../../src/embedded-node/open-pod-log.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { isRunning } from "../../support/is-running.ts";
import { realClock } from "../../support/real-time.ts";
import { longestWaitMs, until } from "../../support/until.ts";
import { containerOf, nodeWorld, scriptedPod } from "./node-world.ts";

const isInPhase = (phase: string) => (status: JsonObject) => textAt(status, "phase") === phase;
const isRunningContainer = (name: string) => (status: JsonObject) =>
  objectAt(containerOf(status, name), "state", "running") !== undefined;
const exited = (exitCode: number, more: JsonObject = {}) => ({
  state: { terminated: { exitCode, reason: "Completed", containerID: "rollcall://before" } },
  ...more,
});

describe("PodManager", () => {
  it.each(["Succeeded", "Failed"])("starts no Pod that had the phase %s before the node started", async (phase) => {
    const { manager, events, writes, stop } = await nodeWorld();
    const pod = scriptedPod([{}], { status: { phase } });
    manager.take(pod);
    manager.take({ ...pod, spec: { ...(pod["spec"] as JsonObject), activeDeadlineSeconds: 1 } });
    await stop();
    expect([events, writes]).toEqual([[], []]);
  });

  it("ends a Pod and runs the one that has its name now", async () => {
    const { manager, dir, untilStatus } = await nodeWorld();
    const image = "echo $$ > pid; exec sleep 1000";
    manager.take(scriptedPod([{ image }], { uid: "first" }));
    const read = () => readFile(join(dir, "first", "pid"), "utf8").catch(() => "");
    const pid = Number(await until(read, (text) => text.endsWith("\n")));
    manager.take(scriptedPod([{}], { uid: "second" }));
    await untilStatus(isInPhase("Running"), "second");
    await until(
      async () => isRunning(pid),
      (isUp) => !isUp,
    );
    await until(
      () => readdir(dir),
      (names) => names.join() === "second",
    );
  });
});

describe("an init container", () => {
  it("that fails for good keeps the others from starting", async () => {
    const { manager, stop, events, untilStatus } = await nodeWorld();
    const initContainers = [{ name: "init", image: "exit 3" }];
    manager.take(scriptedPod([{}], { spec: { restartPolicy: "Never", initContainers } }));
    await untilStatus(isInPhase("Failed"));
    await stop();
    expect(events).not.toContain("Started Started container main");
  });

  it("runs again when the node starts again, and is counted", async () => {
    const { manager, events, untilStatus } = await nodeWorld();
    const initContainers = [{ name: "init", image: "exit 0" }];
    const status = { initContainerStatuses: [{ name: "init", restartCount: 4, ...exited(0) }] };
    manager.take(scriptedPod([{}], { spec: { initContainers }, status }));
    const seen = await untilStatus(isRunningContainer("main"));
    expect(events).toContain("Started Started container init");
    expect(containerOf(seen, "init")).toMatchObject({ restartCount: 5, state: { terminated: { exitCode: 0 } } });
  });

  it("that stays beside the others starts before them", async () => {
    const { manager, stop, events, untilStatus } = await nodeWorld({ clock: createManualClock() });
    const initContainers = [{ name: "side", image: "none", restartPolicy: "Always" }];
    manager.take(scriptedPod([{}], { spec: { initContainers } }));
    await untilStatus((status) => textAt(containerOf(status, "side"), "state", "waiting", "reason") === "ErrImagePull");
    await stop();
    expect(events).not.toContain("Started Started container main");
  });

  it("that stays beside the others and waits for its image keeps no node from ending", async () => {
    const clock = createManualClock();
    const { manager, stop, untilStatus } = await nodeWorld({ clock });
    const initContainers = [{ name: "side", image: "none", restartPolicy: "Always" }];
    manager.take(scriptedPod([{}], { spec: { initContainers } }));
    const reasonOf = (status: JsonObject) => textAt(containerOf(status, "side"), "state", "waiting", "reason");
    await untilStatus((status) => reasonOf(status) === "ErrImagePull");
    await clock.advance(1);
    await untilStatus((status) => reasonOf(status) === "ImagePullBackOff");
    await stop();
  });

  it("that stays beside the others runs again after each end, whatever the policy of its Pod", async () => {
    const { manager, untilStatus } = await nodeWorld();
    const initContainers = [{ name: "side", image: "exit 1", restartPolicy: "Always" }];
    manager.take(scriptedPod([{}], { spec: { restartPolicy: "Never", initContainers } }));
    await untilStatus((status) => (numberAt(containerOf(status, "side"), "restartCount") ?? 0) >= 2);
  });
});

describe("a container", () => {
  it("that was done before the node started again stays so, beside one that was lost", async () => {
    const { manager, stop, events, untilStatus } = await nodeWorld();
    const containerStatuses = [
      { name: "done", restartCount: 2, ...exited(0) },
      { name: "main", restartCount: 2, state: { running: {} } },
    ];
    const spec = { restartPolicy: "OnFailure" };
    manager.take(scriptedPod([{ name: "done", image: "exit 0" }, {}], { spec, status: { containerStatuses } }));
    const status = await untilStatus(isRunningContainer("main"));
    expect(containerOf(status, "done")).toMatchObject({ restartCount: 2, containerID: "rollcall://before" });
    expect(containerOf(status)).toMatchObject({ restartCount: 3, lastState: { terminated: { exitCode: 255 } } });
    await stop();
    expect(events).not.toContain("Started Started container done");
  });

  it("whose program cannot be started ended with 128", async () => {
    const { manager, untilStatus } = await nodeWorld();
    manager.take(scriptedPod([{ image: "/no/program" }], { spec: { restartPolicy: "Never" } }));
    const status = await untilStatus(isInPhase("Failed"));
    expect(containerOf(status)).toMatchObject({ state: { terminated: { exitCode: 128, reason: "StartError" } } });
  });

  it("is not ready while its startup probe has not succeeded", async () => {
    const { manager, stop, writes, untilStatus } = await nodeWorld({ clock: createManualClock() });
    const startupProbe = { exec: { command: ["/bin/false"] }, failureThreshold: 1000 };
    manager.take(scriptedPod([{ startupProbe }]));
    await untilStatus(isRunningContainer("main"));
    await stop();
    expect(writes.map(({ status }) => containerOf(status)["ready"])).not.toContain(true);
  });

  it("that has started is not ready while its readiness probe has not succeeded", async () => {
    const { manager, stop, writes, untilStatus } = await nodeWorld();
    const exec = (command: string) => ({ exec: { command: [command] }, failureThreshold: 1000 });
    manager.take(scriptedPod([{ startupProbe: exec("/bin/true"), readinessProbe: exec("/bin/false") }]));
    await untilStatus((status) => containerOf(status)["started"] === true);
    await stop();
    expect(writes.map(({ status }) => containerOf(status)["ready"])).not.toContain(true);
  });

  it("is ended within the grace of the probe that failed, where it has one of its own", async () => {
    const { manager, untilStatus } = await nodeWorld();
    const startupProbe = {
      exec: { command: ["/bin/sh", "-c", "until test -e trapped; do sleep 0.1; done; exit 1"] },
      failureThreshold: 1,
      timeoutSeconds: 600,
      periodSeconds: 1,
      terminationGracePeriodSeconds: 1,
    };
    const image = "trap '' TERM; echo > trapped; while :; do sleep 0.1; done";
    manager.take(scriptedPod([{ image, startupProbe }]));
    const status = await untilStatus((seen) => (numberAt(containerOf(seen), "restartCount") ?? 0) >= 1);
    expect(containerOf(status)).toMatchObject({ lastState: { terminated: { exitCode: 137 } } });
  });
});

describe("the logs of a Pod", () => {
  it.each([
    { reason: "one run", restartCount: 0, runs: ["first"] },
    { reason: "two runs", restartCount: 3, runs: ["first", "second"] },
  ])("are there when the node starts again after $reason", async ({ restartCount, runs }) => {
    const before = await nodeWorld();
    const folder = join(before.dir, "u", "logs", "main");
    await mkdir(folder, { recursive: true });
    const newestFirst = [...runs].reverse();
    for (const [back, text] of newestFirst.entries()) {
      await writeFile(join(folder, `${restartCount - back}.log`), `2027-01-01T00:00:00.000Z stdout F ${text}\n`);
    }
    const containerStatuses = [{ name: "main", restartCount, state: { running: {} } }];
    const { manager, untilStatus } = await nodeWorld({ dir: before.dir });
    manager.take(scriptedPod([{}], { status: { containerStatuses } }));
    await untilStatus(isRunningContainer("main"));
    const request = { namespace: "ns", name: "p", previous: true, signal: AbortSignal.timeout(longestWaitMs) };
    const texts: string[] = [];
    for await (const chunk of await openPodLog(manager, request, realClock)) texts.push(Buffer.from(chunk).toString());
    expect(texts).toEqual([`${newestFirst[0]}\n`]);
    await until(
      () => readdir(folder),
      (names) => !names.includes(`${restartCount - 1}.log`),
    );
  });
});

describe("a Pod that finished before the node started", () => {
  const finished = async () => {
    const before = await nodeWorld();
    const folder = join(before.dir, "u", "logs", "main");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "0.log"), "2027-01-01T00:00:00.000Z stdout F done\n");
    const status = { phase: "Succeeded", containerStatuses: [{ name: "main", restartCount: 0, ...exited(0) }] };
    const pod = scriptedPod([{}], { spec: { restartPolicy: "Never" }, status });
    const deletedPods: string[] = [];
    const world = await nodeWorld({ dir: before.dir, onDelete: (uid) => deletedPods.push(uid) });
    const metadata = { ...pod.metadata, deletionTimestamp: "2027-01-01T00:00:00Z" };
    return { ...world, pod, deletedPod: { ...pod, metadata }, deletedPods };
  };

  it("has its logs", async () => {
    const { manager, pod } = await finished();
    manager.take(pod);
    const request = { namespace: "ns", name: "p", signal: AbortSignal.timeout(longestWaitMs) };
    // What an earlier run of the node left is found a moment later.
    const chunks = await until(
      () => openPodLog(manager, request, realClock).catch(() => undefined),
      (found) => found !== undefined,
    );
    const texts: string[] = [];
    for await (const chunk of chunks ?? []) texts.push(Buffer.from(chunk).toString());
    expect(texts).toEqual(["done\n"]);
  });

  it("is deleted without another status, and its folder with it", async () => {
    const { manager, dir, pod, deletedPod, deletedPods, writes } = await finished();
    manager.take(pod);
    manager.take(deletedPod);
    await expect.poll(() => deletedPods).toEqual(["u"]);
    manager.forget("ns", "p");
    await until(
      () => readdir(dir),
      (names) => names.length === 0,
    );
    expect(writes).toEqual([]);
  });

  it("leaves no folder when it was being deleted by then", async () => {
    const { manager, dir, deletedPod } = await finished();
    manager.take(deletedPod);
    await until(
      () => readdir(dir),
      (names) => names.length === 0,
    );
  });
});

it("a Pod is deleted when its last status is written", async () => {
  const isEnded = (status: JsonObject | undefined) =>
    objectAt(containerOf(status ?? {}), "state", "terminated") !== undefined;
  const seen: boolean[] = [];
  const world = await nodeWorld({
    // Of the statuses, the last one takes the API server longest.
    onWrite: async (status) => void (isEnded(status) && (await setImmediate())),
    onDelete: () => seen.push(isEnded(world.writes.at(-1)?.status)),
  });
  const pod = scriptedPod([{}]);
  world.manager.take(pod);
  await world.untilStatus(isRunningContainer("main"));
  const deletionTimestamp = "2027-01-01T00:00:00Z";
  world.manager.take({ ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 } });
  await expect.poll(() => seen).toEqual([true]);
});

it("a Pod whose volume cannot be mounted tries it again, later each time, up to a minute", async () => {
  const clock = createManualClock();
  const { manager, events } = await nodeWorld({ clock });
  manager.take(scriptedPod([{}], { spec: { volumes: [{ name: "v", secret: { secretName: "missing" } }] } }));
  await expect.poll(() => events.length).toBe(1);
  for (const [index, waitMs] of [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000].entries()) {
    await clock.advance(waitMs - 1);
    expect(events.length).toBe(index + 1);
    await clock.advance(1);
    expect(events.length).toBe(index + 2);
  }
  expect(new Set(events).size).toBe(1);
  expect(events[0]).toContain('secret "missing" not found');
});

it("a Pod's deadline counts from its start, not from that of the node", async () => {
  const clock = createManualClock();
  const { manager, untilStatus } = await nodeWorld({ clock });
  const startTime = new Date(clock.nowMs() - 60_000).toISOString();
  manager.take(scriptedPod([{}], { spec: { activeDeadlineSeconds: 60 }, status: { startTime } }));
  await untilStatus(isInPhase("Running"));
  await clock.advance(0);
  expect(await untilStatus(isInPhase("Failed"))).toMatchObject({
    reason: "DeadlineExceeded",
    startTime: expect.any(String) as string,
  });
});
