import { tmpdir } from "node:os";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ContainerRunner } from "../../../src/embedded-node/container-runner.ts";
import type { PodLogRequest } from "../../../src/embedded-node/open-pod-log.ts";
import { openPodLog } from "../../../src/embedded-node/open-pod-log.ts";
import { createPodLogs } from "../../../src/embedded-node/pod-logs.ts";
import type { PodRunner } from "../../../src/embedded-node/pod-runner.ts";
import { readPodSpec } from "../../../src/embedded-node/pod-spec.ts";
import { realClock } from "../../support/real-time.ts";
import { longestWaitMs } from "../../support/until.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [{ name: "a" }] } };

/** A container that prints which of its runs it is, and ends. Each of its starts waits until it is let. */
async function setUp() {
  const dir = await mkdtemp(join(tmpdir(), "rollcall-log-"));
  const logs = createPodLogs(dir, realClock, 100_000);
  const spec = readPodSpec(pod);
  const [container] = spec.containers;
  if (container === undefined) throw new Error("the Pod has no container");
  const starts: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  let count = 0;
  const runner = new ContainerRunner(
    {
      spec: container,
      podLabel: "p_default(1)",
      restartPolicy: "Always",
      gracePeriodSeconds: 0,
      earlierRestarts: 0,
      earlierState: undefined,
      isRepeated: false,
      prepare: async () => {
        const args = ["-e", `console.log("run ${(count += 1)}")`];
        const probeTarget = { port: () => undefined, env: {}, cwd: dir, path: (text: string) => text };
        return { command: process.execPath, args, env: {}, cwd: dir, messageFile: "/dev/null/none", probeTarget };
      },
      openLog: (restartCount) => logs.open("a", restartCount),
      newId: () => "1",
      records: {
        add: () =>
          new Promise<void>((resolve) => {
            starts.push(resolve);
            waiting.shift()?.();
          }),
        remove: async () => undefined,
        reap: async () => undefined,
      },
      clock: realClock,
      backoff: { initialMs: 1, maximumMs: 1, resetMs: 60_000, sourceMs: 1 },
      onChange: () => undefined,
      onEvent: () => undefined,
    },
    "ContainerCreating",
  );
  onTestFinished(async () => {
    for (const start of starts) start();
    await runner.stop(0);
    await rm(dir, { recursive: true, force: true });
  });
  const manager = {
    runnerOf: () =>
      ({ spec, logsOf: (name: string) => logs.of(name), factsOf: () => runner.facts }) as unknown as PodRunner,
  };
  const read = async (more: Partial<PodLogRequest> = {}): Promise<string> => {
    const signal = AbortSignal.timeout(longestWaitMs);
    const request = { namespace: "default", name: "p", signal, ...more };
    try {
      let text = "";
      for await (const chunk of await openPodLog(manager, request, realClock)) text += Buffer.from(chunk).toString();
      return text;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  void runner.run();
  return {
    read,
    /** Resolves while a program of the container runs that the node has not on record yet. */
    whenStarting: async () => {
      if (starts.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    letStart: () => starts.shift()?.(),
  };
}

it("of a container whose first run is being started is refused, the present one and the one before", async () => {
  const { read, whenStarting } = await setUp();
  await whenStarting();
  expect(await read()).toBe('container "a" in pod "p" is waiting to start: ContainerCreating');
  expect(await read({ previous: true })).toBe('previous terminated container "a" in pod "p" not found');
});

it("of the run before is the one that ended, while the next is being started", async () => {
  const { read, whenStarting, letStart } = await setUp();
  for (const run of ["run 1\n", "run 2\n"]) {
    await whenStarting();
    letStart();
    await whenStarting();
    expect(await read({ previous: true })).toBe(run);
    expect(await read()).toBe(run);
  }
});
