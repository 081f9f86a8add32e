import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ContainerLog } from "../../../src/embedded-node/container-log.ts";
import type { ContainerEvent, ContainerRunnerOptions } from "../../../src/embedded-node/container-runner.ts";
import { ContainerRunner } from "../../../src/embedded-node/container-runner.ts";
import { readPodSpec } from "../../../src/embedded-node/pod-spec.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { scriptedPod } from "./node-world.ts";

/** A container of a Pod that runs it once; its program is a script of the shell, and its log is not kept. */
function runnerOf(script: string, more: Partial<ContainerRunnerOptions> = {}, fields = {}) {
  const clock = createManualClock();
  const spec = readPodSpec(scriptedPod([fields])).containers[0];
  if (spec === undefined) throw new Error("the Pod has no container");
  const reasons: string[] = [];
  const prepared = {
    command: "/bin/sh",
    args: ["-c", script],
    env: { PATH: "/usr/bin:/bin" },
    cwd: tmpdir(),
    messageFile: "/dev/null/none",
    probeTarget: { port: () => undefined, env: {}, cwd: tmpdir(), path: (text: string) => text },
  };
  const options: ContainerRunnerOptions = {
    spec,
    podLabel: "p_ns(u)",
    restartPolicy: "Never",
    gracePeriodSeconds: 30,
    earlierRestarts: 0,
    earlierState: undefined,
    isRepeated: false,
    prepare: () => Promise.resolve(prepared),
    openLog: () => new ContainerLog(join("/dev/null", "log"), clock, 1000),
    newId: () => "id",
    records: { add: async () => undefined, remove: async () => undefined, reap: async () => undefined },
    clock,
    backoff: { initialMs: 10_000, maximumMs: 300_000, resetMs: 600_000, sourceMs: 2000 },
    onChange: () => reasons.push(reasonOf(runner)),
    onEvent: () => undefined,
    ...more,
  };
  const runner: ContainerRunner = new ContainerRunner(options, "ContainerCreating");
  return { runner, clock, prepared, reasons };
}

function reasonOf({ facts: { state } }: ContainerRunner): string {
  return state.kind === "running" ? "running" : state.reason;
}

describe("ContainerRunner", () => {
  it("ends a program that was being started when it was to stop", async () => {
    const stopped: Promise<void>[] = [];
    const { runner, prepared } = runnerOf("exec sleep 1000", {
      prepare: () => {
        stopped.push(runner.stop(0));
        return Promise.resolve(prepared);
      },
    });
    await runner.run();
    await Promise.all(stopped);
    expect(runner.facts.state).toMatchObject({ kind: "terminated", exitCode: 137 });
  });

  it("probes a program no more that has ended", async () => {
    const probe = { exec: { command: ["true"] }, initialDelaySeconds: 60 };
    const { runner, clock } = runnerOf("exit 0", {}, { readinessProbe: probe, livenessProbe: probe });
    await runner.run();
    expect(clock.sleepers).toBe(0);
  });

  it("gives a program that is asked to end the grace of its Pod, whatever its probe answers meanwhile", async () => {
    const dir = await mkdtemp(join(tmpdir(), "rollcall-runner-"));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const marker = join(dir, "marker");
    const livenessProbe = { exec: { command: ["/bin/false"] }, initialDelaySeconds: 5, failureThreshold: 1 };
    const events: string[] = [];
    const script = `trap '' TERM; echo > ${marker}; while :; do sleep 0.1; done`;
    const onEvent = ({ reason }: ContainerEvent) => void events.push(reason);
    const { runner, clock } = runnerOf(script, { onEvent }, { livenessProbe });
    void runner.run();
    await expect.poll(() => readdir(dir)).toEqual(["marker"]);
    const stopped = runner.stop(600_000);
    await clock.advance(10_000);
    await expect.poll(() => events).toContain("Unhealthy");
    expect(events).not.toContain("Killing");
    await runner.stop(0);
    await stopped;
  });

  it("reports a missing image as one that it waits for after a second, and asks for it later each time", async () => {
    const { runner, clock, reasons } = runnerOf("", { prepare: () => Promise.resolve(undefined) });
    const running = runner.run();
    await clock.advance(0);
    expect(reasons).toEqual(["ErrImagePull"]);
    await clock.advance(1000);
    expect(reasons).toEqual(["ErrImagePull", "ImagePullBackOff"]);
    await clock.advance(10_000);
    expect(reasons.slice(2)).toEqual(["ErrImagePull"]);
    await clock.advance(20_999);
    expect(reasons.slice(2)).toEqual(["ErrImagePull", "ImagePullBackOff"]);
    await clock.advance(1);
    expect(reasons.slice(4)).toEqual(["ErrImagePull"]);
    await runner.stop(0);
    await running;
  });
});
