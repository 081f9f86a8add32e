import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { offboard } from "../../../../src/hub/members/phases/offboard.ts";
import type { JoinProtocol } from "../../../../src/join/join.ts";
import type { MemberState } from "../../../../src/model/member-state.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../../src/model/well-known.ts";
import { startMs } from "../../join/hub-scene.ts";
import { coreObject } from "../objects.ts";
import type { ClusterParts } from "./member-world.ts";
import { openMemberWorld } from "./member-world.ts";

const timeOf = (ms: number): string => new Date(ms).toISOString().replace(".000", "");
const annotations = { [annotationKeys.leave]: "abc" };
const now = timeOf(startMs);
const minute = 60_000;
const clusterRef = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };

interface Given extends ClusterParts {
  readonly protocol?: Partial<JoinProtocol>;
  readonly publishedHoldMs?: (beganMs: number) => number;
}

/** A cluster whose file was deleted by commit abc. */
async function open({ protocol = {}, publishedHoldMs = () => 0, ...parts }: Given = {}) {
  const world = await openMemberWorld();
  const spec = { deletionGracePeriod: "0s", ...parts.spec };
  await world.addCluster("eu-1", { annotations, state: {}, ...parts, spec });
  const logged: object[] = [];
  const ports = {
    ...world.ports,
    log: { ...world.ports.log, info: (_text: string, fields: object = {}) => void logged.push(fields) },
    publishedHoldMs: (_member: unknown, beganMs: number) => publishedHoldMs(beganMs),
  };
  return { ...world, ports, logged, run: () => offboard(world.scopeOf("eu-1", "rollcall", protocol), ports) };
}

const wait = { kind: "wait", untilMs: startMs + 5000 } as const;

describe("offboard", () => {
  it.each<{ reason: string; state: MemberState; status?: object; since: string }>([
    { reason: "it begins now", state: {}, since: now },
    {
      reason: "the state has it",
      state: { leave: { commit: "abc", since: timeOf(startMs - 9000) } },
      since: timeOf(startMs - 9000),
    },
    {
      reason: "another commit removed it before, and was reverted",
      state: { leave: { commit: "old", since: timeOf(startMs - 9000), revokedAt: now, isUninstalled: true } },
      since: now,
    },
    {
      reason: "only the status has it",
      state: {},
      status: { commit: "abc", since: timeOf(startMs - 7000) },
      since: timeOf(startMs - 7000),
    },
    {
      reason: "the status has it of another commit",
      state: {},
      status: { commit: "old", since: timeOf(startMs - 7000) },
      since: now,
    },
  ])("counts the grace period from the moment of its commit when $reason", async ({ state, status, since }) => {
    const { run, stateOf } = await open({
      state,
      spec: { deletionGracePeriod: "60s" },
      ...(status === undefined ? {} : { status: { leave: status } }),
    });
    expect(await run()).toEqual({ kind: "done", requeueAfterMs: Date.parse(since) + minute - startMs });
    expect(stateOf("eu-1")?.leave).toEqual({ commit: "abc", since });
  });

  it("asks other tools about the time after the grace period, and takes no step while they hold it", async () => {
    const asked: number[] = [];
    const leave = { commit: "abc", since: timeOf(startMs - 90_000) };
    const {
      run,
      clusterOf,
      asked: requests,
    } = await open({
      state: { leave },
      spec: { deletionGracePeriod: "60s" },
      protocol: { offboardingSteps: () => [{ kind: "delete", purpose: "revoke", refs: [clusterRef] }] },
      publishedHoldMs: (beganMs) => asked.push(beganMs) * 700,
    });
    expect(await run()).toEqual({ kind: "done", requeueAfterMs: 700 });
    expect(asked).toEqual([startMs - 30_000]);
    expect(clusterOf("eu-1")).toBeDefined();
    expect(requests()).toEqual(["status Cluster/eu-1"]);
  });

  it.each([
    { reason: "other tools held it for long", phase: "Waiting", agoMs: minute + 1, isReleased: true },
    { reason: "other tools held it for a minute", phase: "Waiting", agoMs: minute, isReleased: false },
    { reason: "its first step began before", phase: "Removing", agoMs: minute + 1, isReleased: false },
  ])("gives the agent its whole time from now ($isReleased) where $reason", async ({ phase, agoMs, isReleased }) => {
    const since = timeOf(startMs - agoMs);
    // An agent that cannot be reached is given up a quarter of an hour after the first step could run.
    const { run, setNow, stateOf } = await open({
      state: { leave: { commit: "abc", since } },
      status: { leave: { commit: "abc", since, phase } } as never,
      protocol: {
        offboardingSteps: () => [{ kind: "ask-agent", write: { ref: clusterRef, status: {} }, isDone: false }],
      },
    });
    await run();
    expect(stateOf("eu-1")?.leave?.releasedAt).toBe(isReleased ? now : undefined);
    setNow(startMs - agoMs + 15 * minute);
    expect((await run()).kind).toBe("done");
    expect(stateOf("eu-1")?.leave?.isUninstalled).toBe(isReleased ? undefined : true);
    if (!isReleased) return;
    setNow(startMs + 15 * minute);
    await run();
    expect(stateOf("eu-1")?.leave?.isUninstalled).toBe(true);
  });

  it("keeps the cluster while a step waits", async () => {
    const { run, clusterOf } = await open({ protocol: { offboardingSteps: () => [wait] } });
    expect(await run()).toEqual({ kind: "done", requeueAfterMs: 5000 });
    expect(clusterOf("eu-1")?.["status"]).toMatchObject({ leave: { commit: "abc", since: now, phase: "Removing" } });
  });

  it("takes no step when the answer to the status shows that the file is back", async () => {
    const secret = coreObject("Secret", "credential");
    const ref = { type: resourceTypes.secret, namespace: "fleet", name: "credential" };
    const world = await open({
      protocol: { offboardingSteps: () => [{ kind: "delete", purpose: "revoke", refs: [ref] }] },
    });
    await world.put(secret);
    const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
    Object.assign(world.ports.hubApi, {
      apply: async (...[object, options]: Parameters<typeof apply>) => {
        if (options.subresource === "status")
          await world.hub.api.mergePatch(
            clusterRef,
            { metadata: { annotations: { [annotationKeys.leave]: null } } },
            { fieldManager: "rollcall-git" },
          );
        return apply(object, options);
      },
    });
    expect(await world.run()).toEqual({ kind: "done", requeueAfterMs: 1 });
    expect([world.clusterOf("eu-1"), world.get(secret)].map((object) => object !== undefined)).toEqual([true, true]);
    expect(world.events).toEqual([]);
  });

  it("deletes the very version of the Cluster that it saw, and reports as of which commit it left", async () => {
    const world = await open({ protocol: { offboardingSteps: () => [] } });
    const before = world.clusterOf("eu-1")?.metadata;
    expect(await world.run()).toEqual({ kind: "done", requeueAfterMs: undefined });
    const { uid, resourceVersion } = before ?? {};
    expect(world.requests.at(-1)).toEqual({ verb: "delete", name: "Cluster/eu-1", object: { uid, resourceVersion } });
    expect(uid).toBeDefined();
    const message = "The cluster has left the fleet, as of commit abc.";
    expect(world.events).toMatchObject([{ type: "Normal", reason: "Left", message, regarding: { metadata: { uid } } }]);
    expect(world.logged).toContainEqual({ cluster: "fleet/eu-1", commit: "abc" });
  });

  const works = Array.from({ length: 22 }, (_, index) => coreObject("Secret", `w-${index}`));

  it.each([
    { placedResources: "Keep", stays: "Its agent stays.", names: ["Secret/fleet/w-0", "Secret/fleet/w-19"] },
    { placedResources: "Keep", stays: undefined, names: ["Secret/fleet/w-0", "Secret/fleet/w-19"] },
    { placedResources: "Remove", stays: "Its agent stays.", names: [] },
  ] as const)("names what stays in the cluster: $stays and $names", async ({ placedResources, stays, names }) => {
    const repository = { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository" };
    const world = await open({
      spec: { placedResources },
      labels: { [labelKeys.repository]: "rollcall-system.fleet" },
      protocol: { offboardingSteps: () => [], placedObjects: () => works, whatStaysDownstream: () => stays },
    });
    const { metadata } = { metadata: { namespace: "rollcall-system", name: "fleet" } };
    await world.hub.api.apply({ ...repository, metadata, spec: {} }, { fieldManager: "x" });
    await world.run();
    const [{ message = "" } = {}] = world.events;
    expect(message.includes("Its agent stays.")).toBe(stays !== undefined);
    expect(message).not.toContain("w-20");
    for (const name of names) expect(message).toContain(name);
    const told = world.logged.find((fields) => "commit" in fields) as { staysDownstream?: string } | undefined;
    expect(told?.staysDownstream).toBe(message.split("commit abc. ")[1]);
    const patches = world.requests.filter(({ verb }) => verb === "patch");
    expect(patches.map(({ name }) => name)).toEqual(names.length === 0 ? [] : ["Repository/fleet"]);
  });

  it.each([
    { code: "E_KUBE_FORBIDDEN", isThrown: true },
    { code: "E_KUBE_CONFLICT", isThrown: true },
    { code: "E_KUBE_INVALID", isThrown: false },
  ] as const)(
    "does not remove the cluster ($isThrown) when the protocol's status is refused with $code",
    async ({ code, isThrown }) => {
      const refusal = new AppError(code, "apply");
      const status = { ref: { type: resourceTypes.clusterReport, namespace: "fleet", name: "eu-1" }, status: { a: 1 } };
      const world = await open({
        protocol: { offboardingSteps: () => [wait], offboardingStatusWrites: () => [status] },
      });
      const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
      Object.assign(world.ports.hubApi, {
        apply: (...[object, options]: Parameters<typeof apply>) =>
          object.kind === "ClusterReport" ? Promise.reject(refusal) : apply(object, options),
      });
      if (isThrown) await expect(world.run()).rejects.toBe(refusal);
      else expect(await world.run()).toEqual({ kind: "done", requeueAfterMs: 5000 });
    },
  );

  it("shows revoked credentials only when this offboarding revoked them", async () => {
    const shownFor = async (leave: MemberState["leave"]) => {
      const { run, clusterOf } = await open({
        state: { ...(leave ? { leave } : {}) },
        protocol: { offboardingSteps: () => [wait] },
      });
      await run();
      return JSON.stringify(clusterOf("eu-1")?.["status"]).includes("The credentials are revoked");
    };
    expect(await shownFor({ commit: "abc", since: now, revokedAt: now })).toBe(true);
    expect(await shownFor({ commit: "abc", since: now })).toBe(false);
    expect(await shownFor({ commit: "old", since: now, revokedAt: now })).toBe(false);
  });

  it("keeps the Cluster whose file came back while the last of its objects was deleted", async () => {
    const ref = { type: resourceTypes.secret, namespace: "fleet", name: "credential" };
    const world = await open({
      protocol: { offboardingSteps: () => [{ kind: "delete", purpose: "revoke", refs: [ref] }] },
    });
    await world.put(coreObject("Secret", "credential"));
    const remove = world.ports.hubApi.delete.bind(world.ports.hubApi);
    Object.assign(world.ports.hubApi, {
      delete: async (...of: Parameters<typeof remove>) => {
        const back = { metadata: { annotations: { [annotationKeys.leave]: null } } };
        await world.hub.api.mergePatch(clusterRef, back, { fieldManager: "rollcall-git" });
        return remove(...of);
      },
    });
    expect(await world.run()).toEqual({ kind: "done", requeueAfterMs: undefined });
    expect([world.clusterOf("eu-1") !== undefined, world.events]).toEqual([true, []]);
  });
});
