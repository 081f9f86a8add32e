import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { createMemberQueue } from "../../../../src/hub/controllers/member-queue.ts";
import type { JoinProtocol } from "../../../../src/join/join.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import type { AgentRollout } from "../../../../src/model/generated/agent-rollout.ts";
import { memberStateName } from "../../../../src/model/member-state.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { labelKeys } from "../../../../src/model/well-known.ts";
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

/** The same with members whose agents are to be installed by API servers that answer no call, and the signals of those calls. */
async function openUnanswered(names: readonly string[]) {
  const world = await open();
  const { ports, put, addCluster } = world;
  const metadata = { namespace: "fleet", name: "kubeconfig" };
  await put({ apiVersion: "v1", kind: "Secret", metadata, data: { value: Buffer.from("text").toString("base64") } });
  const labels = { [labelKeys.repository]: "rollcall.fleet" };
  for (const name of names) await addCluster(name, { labels, spec: { kubeConfigSecretRef: { name: "kubeconfig" } } });
  const protocol: JoinProtocol = { ...rollcallProtocol, pendingBootstrap: () => ({ number: 1, values: {} }) };
  const called: AbortSignal[] = [];
  const silent = (_of: unknown, { signal }: { readonly signal?: AbortSignal } = {}): Promise<never> =>
    new Promise((_, reject) => {
      if (signal === undefined) return;
      called.push(signal);
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  const connectDownstream = (): KubeApi => ({
    ...ports.hubApi,
    get: silent,
    apply: silent,
    close: async () => undefined,
  });
  const protocols = new Map([["rollcall" as const, protocol]]);
  const queue = createMemberQueue(
    { ...ports, protocols, connectDownstream, clock: createManualClock() },
    { random: { next: () => 0.5 } as never, concurrency: 1 },
  );
  onTestFinished(() => queue.stop());
  return { ...world, queue, called };
}

describe("createMemberQueue", () => {
  it("reconciles the member of a key", async () => {
    const { queue, isWritten } = await open();
    queue.add("fleet/eu-1");
    await queue.whenIdle();
    expect([isWritten("eu-1"), isWritten("eu-2")]).toEqual([true, false]);
  });

  it("A208 reconciles other members while the API server of one answers nothing", async () => {
    const { queue, called, isWritten } = await openUnanswered(["eu-3"]);
    queue.add("fleet/eu-3");
    await expect.poll(() => called.length).toBe(1);
    queue.add("fleet/eu-2");
    await expect.poll(() => isWritten("eu-2")).toBe(true);
    expect(queue.counts).toMatchObject({ waiting: 0, active: 1 });
  });

  it("calls at most 64 API servers at the same time that answer nothing", async () => {
    const names = Array.from({ length: 80 }, (_, index) => `far-${index}`);
    const { queue, called } = await openUnanswered(names);
    for (const name of names) queue.add(`fleet/${name}`);
    await expect.poll(() => queue.counts).toMatchObject({ waiting: 0, active: 80 });
    await setImmediate();
    expect(called.length).toBe(64);
  });

  it("reconciles no member once it has stopped", async () => {
    const { queue, isWritten } = await open();
    await queue.stop();
    queue.add("fleet/eu-1");
    await queue.whenIdle();
    expect(isWritten("eu-1")).toBe(false);
  });

  it("warns once of an agent that cannot be installed, however often it tries", async () => {
    const { ports, put, addCluster } = await openMemberWorld();
    const metadata = { namespace: "fleet", name: "kubeconfig" };
    await put({ apiVersion: "v1", kind: "Secret", metadata, data: { value: Buffer.from("text").toString("base64") } });
    const labels = { [labelKeys.repository]: "rollcall.fleet" };
    await addCluster("eu-3", { labels, spec: { kubeConfigSecretRef: { name: "kubeconfig" } } });
    const protocol: JoinProtocol = { ...rollcallProtocol, pendingBootstrap: () => ({ number: 1, values: {} }) };
    const connectDownstream = vi.fn(() => {
      throw new AppError("E_KUBECONFIG", "it is not a map");
    });
    const warned: string[] = [];
    const log = { ...ports.log, warn: (message: string) => void warned.push(message) };
    const protocols = new Map([["rollcall" as const, protocol]]);
    const queue = createMemberQueue(
      { ...ports, log, protocols, connectDownstream, clock: createManualClock() },
      { random: { next: () => 0.5 } as never, concurrency: 1 },
    );
    onTestFinished(() => queue.stop());
    for (const _ of [1, 2, 3]) {
      queue.add("fleet/eu-3");
      await queue.whenIdle();
    }
    expect(connectDownstream).toHaveBeenCalledTimes(3);
    expect(warned).toEqual(["installing an agent failed"]);
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

  it("takes up no member while all are held, and each of them after that", async () => {
    const { queue, isWritten, asked } = await open();
    const release = queue.hold();
    queue.add("fleet/eu-1");
    queue.add("fleet/eu-2");
    await setImmediate();
    expect(asked()).toEqual([]);
    release();
    await queue.whenIdle();
    expect([isWritten("eu-1"), isWritten("eu-2")]).toEqual([true, true]);
  });

  /** Members whose agents are all to change; the reason of the hold that each saw in its last pass. */
  async function openWaves(rollout: AgentRollout, changes: Partial<JoinProtocol> = {}) {
    const world = await openMemberWorld();
    const labels = { [labelKeys.repository]: "rollcall.fleet" };
    for (const name of ["eu-1", "eu-2"]) await world.addCluster(name, { labels });
    const seen: Record<string, string | undefined> = {};
    const protocol: JoinProtocol = {
      ...rollcallProtocol,
      desiredObjects: (member, hub) => {
        seen[member.name] = hub.agentHold?.(`fleet/${member.name}`)?.reason;
        return rollcallProtocol.desiredObjects(member, hub);
      },
      agentProgress: ({ name }) => ({ key: `fleet/${name}`, version: "2", state: "waiting" }),
      ...changes,
    };
    const protocols = new Map([["rollcall" as const, protocol]]);
    const rollouts: string[] = [];
    const agentRollout = (label: string): AgentRollout => {
      rollouts.push(label);
      return rollout;
    };
    const ports = { ...world.ports, protocols, agentRollout, clock: createManualClock() };
    const queue = createMemberQueue(ports, { random: { next: () => 0.5 } as never, concurrency: 1 });
    onTestFinished(() => queue.stop());
    return { ...world, queue, seen, rollouts };
  }

  it("lets no agent change before each cluster of its Repository was reconciled once", async () => {
    const { queue, seen } = await openWaves({ maxUnavailable: 1 });
    queue.add("fleet/eu-1");
    await queue.whenIdle();
    expect(seen).toEqual({ "eu-1": "WaitingForWave" });
  });

  it("lets as many agents change as the rollout of their Repository allows, and reconciles those", async () => {
    const { queue, seen, rollouts } = await openWaves({ maxUnavailable: 1 });
    for (const name of ["eu-1", "eu-2"]) queue.add(`fleet/${name}`);
    await queue.whenIdle();
    expect(seen).toEqual({ "eu-1": undefined, "eu-2": "WaitingForWave" });
    expect(new Set(rollouts)).toEqual(new Set(["rollcall.fleet"]));
  });

  it("lets the next agent change when the one before is as wanted, or deleted", async () => {
    const done = new Set<string>();
    const agentProgress: JoinProtocol["agentProgress"] = ({ name }) =>
      done.has(name) ? undefined : { key: `fleet/${name}`, version: "2", state: "waiting" };
    for (const isDeleted of [false, true]) {
      done.clear();
      const { queue, seen, ports } = await openWaves({ maxUnavailable: 1 }, { agentProgress });
      for (const name of ["eu-1", "eu-2"]) queue.add(`fleet/${name}`);
      await queue.whenIdle();
      const inWorkspace = { namespace: "fleet" };
      if (isDeleted) {
        await ports.hubApi.delete({ type: resourceTypes.configMap, ...inWorkspace, name: memberStateName("eu-1") });
        await ports.hubApi.delete({ type: resourceTypes.cluster, ...inWorkspace, name: "eu-1" });
      } else done.add("eu-1");
      queue.add("fleet/eu-1");
      await queue.whenIdle();
      expect([isDeleted, seen["eu-2"]]).toEqual([isDeleted, undefined]);
    }
  });

  it("is reconciled by its own work alone: a failure is tried again, and no other member waits for it", async () => {
    const { queue, isWritten, ports } = await open();
    const apply = ports.hubApi.apply.bind(ports.hubApi);
    Object.assign(ports.hubApi, {
      apply: (...[object, options]: Parameters<typeof apply>) =>
        object.metadata.name === "eu-1" ? Promise.reject(new Error("refused")) : apply(object, options),
    });
    queue.add("fleet/eu-1");
    queue.add("fleet/eu-2");
    await queue.whenIdle();
    expect([isWritten("eu-1"), isWritten("eu-2")]).toEqual([false, true]);
  });
});
