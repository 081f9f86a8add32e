import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { removePlaced } from "../../../../src/hub/members/remove-placed.ts";
import type { OffboardingStep } from "../../../../src/join/join.ts";
import type { PlacedRemoval } from "../../../../src/model/member-state.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { clusterOf } from "../objects.ts";
import { startMs } from "../../join/hub-scene.ts";
import { openMemberWorld } from "./member-world.ts";

const home = "fleet-member-eu-1";
const ref = { type: resourceTypes.work, namespace: home, name: "web" };
const time = new Date(startMs).toISOString().replace(".000", "");
const name = `Work.placement.kubernetes-fleet.io/${home}/web`;
const held = ["kubernetes-fleet.io/work-cleanup"];

interface Given {
  readonly finalizers?: readonly string[];
  /** It was deleted before; its finalizers hold it. */
  readonly isDeleted?: boolean;
  /** What the hub answers to a patch, and to the deletion of what a finalizer holds. */
  readonly refusal?: Error;
  readonly placed?: PlacedRemoval;
  readonly step?: Partial<Extract<OffboardingStep, { kind: "remove-placed" }>>;
}

/** One run over a Work, and what was asked and recorded meanwhile, in order. */
async function run({ finalizers = held, placed, step = {}, isDeleted = false, refusal }: Given) {
  const world = await openMemberWorld();
  await world.put({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: home,
      labels: { "rollcall.dev/cluster": "eu-1", "rollcall.dev/owner-workspace": "fleet" },
    },
  });
  const work = { apiVersion: "placement.kubernetes-fleet.io/v1beta1", kind: "Work" };
  await world.put({ ...work, metadata: { namespace: home, name: "web", finalizers: [...finalizers] } });
  if (isDeleted) await world.ports.hubApi.delete(ref);
  await world.addCluster("eu-1", { spec: { protocol: "kubefleet" }, state: {} });
  const scope = world.scopeOf("eu-1", "kubefleet");
  const patch: typeof scope.write.patch = (...patched) =>
    refusal === undefined ? scope.write.patch(...patched) : Promise.reject(refusal);
  const deletions: string[] = [];
  const write: typeof scope.write = {
    ...scope.write,
    patch,
    delete: (...of) => {
      deletions.push("delete");
      return scope.write.delete(...of);
    },
    deleteHeld: (...of) => {
      deletions.push("delete held");
      return refusal === undefined ? scope.write.deleteHeld(...of) : Promise.reject(refusal);
    },
  };
  const uid = world.ports.view.get(ref)?.metadata.uid;
  const done: unknown[] = [];
  const asked: string[] = [];
  const leave = { commit: "c", since: time, ...(placed === undefined ? {} : { placed }) };
  const waitMs = await removePlaced(
    { ...world.ports, write },
    { kind: "remove-placed", refs: [ref], isReleased: false, isDone: false, untilMs: startMs + 1, ...step },
    {
      member: { workspace: "fleet", name: "eu-1", cluster: clusterOf("eu-1"), state: { leave }, children: [] },
      signal: world.signal,
      record: (recorded) => {
        asked.push(...world.asked());
        world.requests.length = 0;
        done.push(recorded.placed);
        return Promise.resolve();
      },
      reportLeft: (names) => Promise.resolve(void done.push(names)),
    },
  );
  return {
    waitMs,
    done,
    before: asked,
    after: world.asked(),
    isThere: world.ports.view.get(ref) !== undefined,
    uid,
    deletions,
    requests: world.requests,
  };
}

describe("removePlaced", () => {
  it("records when it begins before it deletes anything, and keeps what a finalizer holds in view", async () => {
    expect(await run({})).toMatchObject({
      waitMs: 1000,
      done: [{ since: time, names: [name] }],
      before: [],
      after: ["delete Work/web"],
      isThere: true,
    });
  });

  it("removes finalizers where no agent waits by them", async () => {
    const { after, isThere } = await run({ step: { isReleased: true } });
    expect(after).toEqual(["patch Work/web", "delete Work/web"]);
    expect(isThere).toBe(false);
  });

  const placed = { since: "2030-01-01T00:00:00Z", names: ["Work/a"], heartbeatMarker: "m" };

  it("is over when the agent has removed what it applied", async () => {
    const { waitMs, done } = await run({ placed, step: { refs: [], isDone: true } });
    expect([waitMs, done]).toEqual([0, [{ ...placed, overAt: time }]]);
  });

  it.each([
    ["what is left on the hub", {}, [name]],
    ["what was deleted, where nothing is left on the hub", { refs: [] }, ["Work/a"]],
  ])("names %s, when the time is over", async (_what, step, names) => {
    const { waitMs, done } = await run({ placed, step: { ...step, untilMs: startMs } });
    expect([waitMs, done]).toEqual([0, [names, { ...placed, overAt: time }]]);
  });

  it("deletes the very object that it saw, held or not, and releases no other", async () => {
    for (const given of [{}, { finalizers: [] }, { step: { isReleased: true } }]) {
      const { requests, uid } = await run(given);
      expect(uid).toBeDefined();
      const requested = requests.map(({ verb, object }) => ({ verb, object }));
      const release = { verb: "patch", object: { metadata: { uid, finalizers: null } } };
      const deletion = { verb: "delete", object: { uid, resourceVersion: undefined } };
      expect(requested).toEqual("step" in given ? [release, deletion] : [deletion]);
    }
  });

  it.each([
    { reason: "its agent has to remove what it applied", step: {}, after: [] },
    { reason: "no agent waits by its finalizers", step: { isReleased: true }, after: ["patch Work/web"] },
  ])("does not delete again what is being deleted, where $reason", async ({ step, after }) => {
    expect(await run({ isDeleted: true, step })).toMatchObject({ after });
  });

  it("deletes at once what no finalizer holds", async () => {
    expect(await run({ finalizers: [] })).toMatchObject({ after: ["delete Work/web"], isThere: false });
  });

  it("skips what is not there any more", async () => {
    const { after, waitMs } = await run({ step: { refs: [{ ...ref, name: "other" }] } });
    expect([after, waitMs]).toEqual([[], 1000]);
  });

  it.each([
    { code: "E_KUBE_NOT_FOUND", isThrown: false },
    { code: "E_KUBE_FORBIDDEN", isThrown: true },
  ] as const)("fails ($isThrown) where a release is answered with $code", async ({ code, isThrown }) => {
    const running = run({ step: { isReleased: true }, refusal: new AppError(code, "patch") });
    if (isThrown) await expect(running).rejects.toMatchObject({ code });
    else expect((await running).after).toEqual(["delete Work/web"]);
  });

  it("A100 waits for what its agent fills until it cannot be marked as deleted, and names it when the time is over", async () => {
    const refusal = new AppError("E_KUBE_SERVER", "etcdserver: request is too large");
    expect(await run({ refusal })).toMatchObject({ waitMs: 1000, deletions: ["delete held"], isThere: true });
    const { waitMs, done } = await run({ refusal, placed, step: { untilMs: startMs } });
    expect([waitMs, done]).toEqual([0, [[name], { ...placed, overAt: time }]]);
  });

  it("records the heartbeat after which an answer counts, and names twenty objects at most", async () => {
    const refs = Array.from({ length: 25 }, (_, index) => ({ ...ref, name: `w-${index}` }));
    const { done } = await run({ step: { refs, heartbeatMarker: "m" } });
    expect(done).toMatchObject([{ since: time, heartbeatMarker: "m" }]);
    expect((done[0] as PlacedRemoval).names).toHaveLength(20);
  });

  it("keeps the time and the names of the first run, and waits until the time is over", async () => {
    expect(await run({ placed })).toMatchObject({ waitMs: 1000, done: [] });
    expect(await run({ placed, step: { isDone: true, untilMs: startMs } })).toMatchObject({
      waitMs: 0,
      done: [{ ...placed, overAt: time }],
    });
  });

  it.each([
    { reason: "its agent has to remove finalizers", finalizers: held, isReleased: false, deletions: ["delete held"] },
    { reason: "the hub has removed them", finalizers: held, isReleased: true, deletions: ["delete"] },
    { reason: "there are none", finalizers: [], isReleased: false, deletions: ["delete"] },
    { reason: "there are none to remove", finalizers: [], isReleased: true, deletions: ["delete"] },
  ])("asks for $deletions when $reason", async ({ finalizers, isReleased, deletions }) => {
    const done = await run({ finalizers, step: { isReleased } });
    expect(done.deletions).toEqual(deletions);
    expect(done.after.filter((request) => request.startsWith("patch"))).toHaveLength(
      isReleased && finalizers.length > 0 ? 1 : 0,
    );
  });
});
