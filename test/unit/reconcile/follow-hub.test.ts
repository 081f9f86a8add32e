import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import type { Given } from "./followed-hub.ts";
import { byGit, byHand, commit, denied, fileOf, openFollower, race, repositoryOf } from "./followed-hub.ts";

const ofOtherHub = {
  ...{ type: "WriteBackReady", status: "False" as const, reason: "BranchOfOtherHub", message: "" },
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const proposal = { onHubObjects: [{ policy: "Propose" as const, deletions: "Propose" as const }] };
const path = "clusters/fleet/a.yaml";
const branch = "rollcall/hub/fleet/clusters.rollcall.dev/a";

describe("a Cluster that a person made", () => {
  const objects = [byHand("a")];

  it("is committed, and the run plans what has it", async () => {
    const { follow, events } = await openFollower(commit, { objects });
    const { scope, pushed, branches } = await follow();
    expect([pushed, branches, events]).toEqual([[`main ${path}`], [], ["Committed a"]]);
    expect([...(scope.snapshot?.files.keys() ?? [])]).toEqual([path]);
  });

  it.each<[string, Partial<Repository["spec"]>, Given, Partial<RunScope>]>([
    ["under the policy Propose", proposal, {}, {}],
    ["where commits must be signed", { ...commit, verify: { mode: "Head" } } as never, {}, {}],
    ["where the newest commit is not verified", commit, {}, { unverified: new AppError("E_UNVERIFIED", "no") }],
    ["where the repository is another hub's", commit, { status: { conditions: [ofOtherHub] } }, {}],
    ["where commits to the branch are refused", commit, { errors: [denied] }, {}],
    ["where the branch is locked", commit, { errors: [new AppError("E_GIT_LOCKED", "push")] }, {}],
  ])("is proposed on a branch %s", async (_reason, spec, given, fields) => {
    const { follow, events } = await openFollower(spec, { objects, ...given });
    const { pushed, branches } = await follow(fields);
    expect([pushed.at(-1), branches]).toEqual([`${branch} ${path}`, [branch]]);
    expect(events).toEqual(["Proposed a"]);
  });

  it.each([
    { reason: "after a lost race", errors: [race], pushes: 2, isCommitted: true },
    { reason: "after two lost races", errors: [race, race], pushes: 3, isCommitted: true },
    { reason: "not more than three times", errors: [race, race, race], pushes: 3, isCommitted: false },
  ])("is committed again $reason", async ({ errors, pushes, isCommitted }) => {
    const { follow, events } = await openFollower(commit, { objects, errors });
    const { pushed } = await follow();
    expect(pushed).toHaveLength(pushes);
    expect(events.includes("Committed a")).toBe(isCommitted);
  });

  it("waits for the next run when git does not answer", async () => {
    const error = new AppError("E_GIT_REMOTE", "push");
    const { follow, events } = await openFollower(commit, { objects, errors: [error] });
    const { scope, branches } = await follow();
    expect([scope.followError, branches, events]).toEqual([error, [], []]);
    expect((await follow()).pushed).toEqual([`main ${path}`]);
  });

  it.each<[string, Partial<Repository["spec"]>, Partial<RunScope>]>([
    ["without a policy for it", {}, {}],
    ["without a commit", commit, { snapshot: undefined }],
    ["when the branch could not be read", commit, { sourceError: new Error("away") }],
  ])("stays on the hub alone %s", async (_reason, spec, fields) => {
    const { follow } = await openFollower(spec, { objects });
    expect(await follow(fields)).toMatchObject({ pushed: [], branches: [] });
  });

  it("ends with the run when that is stopped", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    const { follow } = await openFollower(commit, { objects, errors: [new AppError("E_GIT_REMOTE", "push")] });
    await expect(follow({ signal })).rejects.toThrow("stopped");
  });

  it("is reported once, and again when something else comes of it", async () => {
    const { follow, events, scene } = await openFollower(proposal, { objects });
    await follow();
    await follow();
    expect(events).toEqual(["Proposed a"]);
    scene.repository = repositoryOf(commit);
    await follow();
    expect(events).toEqual(["Proposed a", "Committed a"]);
  });

  it("is not proposed any more when its policy is taken away", async () => {
    const { follow, scene, remote } = await openFollower(proposal, { objects });
    await follow();
    expect([...remote.keys()]).toEqual([branch]);
    scene.repository = repositoryOf({});
    expect((await follow()).branches).toEqual([]);
    expect([...remote.keys()]).toEqual([]);
  });

  it("is refused with the reason when its file would be", async () => {
    const wrong = { ...byHand("a"), spec: { displayName: 5 } } as unknown as KubeObject;
    const { follow, events } = await openFollower(commit, { objects: [wrong] });
    expect([(await follow()).pushed, events]).toEqual([[], ["NotProposed a"]]);
  });
});

describe("what comes of a change on the hub", () => {
  it.each<[string, Partial<Repository["spec"]>, Given, string]>([
    ["committed", commit, { objects: [byHand("a")] }, `Normal: create Cluster/fleet/a: ${path}, commit 000000000000.`],
    [
      "proposed",
      proposal,
      { objects: [byHand("a")] },
      `Normal: create Cluster/fleet/a: ${path}, branch ${branch}. It is served when the branch is merged.`,
    ],
    ["refused", commit, { objects: [{ ...byHand("a"), spec: { displayName: 5 } }] }, "Warning: "],
  ])("is in an Event when it is %s", async (_what, spec, given, expected) => {
    const { follow, messages } = await openFollower(spec, given);
    await follow();
    expect(messages.map((message) => message.replace(/commit [0-9a-f]{12}/u, "commit 000000000000"))).toEqual([
      expect.stringContaining(expected),
    ]);
  });

  it("reports of a deletion that the file is removed with the merge", async () => {
    const { follow, remove, clock, messages } = await openFollower(proposal, {
      objects: [byGit("a")],
      files: { "a.yaml": fileOf("a") },
    });
    await remove(byGit("a"));
    await clock.advance(10_000);
    expect((await follow()).branches).toEqual([branch]);
    expect(messages).toEqual([expect.stringContaining("It is removed when the branch is merged.")]);
  });

  it("names what a person may do about too many proposals, and about one whose branch was deleted", async () => {
    const objects = Array.from({ length: 21 }, (_, index) => byHand(`n${index + 10}`));
    const { follow, messages, events, view, remote } = await openFollower(proposal, { objects });
    await follow();
    expect([events.length, events.at(-1)]).toEqual([21, "NotProposed n30"]);
    expect(messages.at(-1)).toMatch(
      /^Warning: .* Too many proposals of fleet are open\. Merge or delete some of them\.$/u,
    );
    view.recordDeleted({ type: resourceTypes.cluster, namespace: "fleet", name: "n30" });
    remote.delete("rollcall/hub/fleet/clusters.rollcall.dev/n29");
    await follow();
    expect(events.at(-1)).toBe("Declined n29");
    expect(messages.at(-1)).toMatch(/^Warning: .*\/n29 was deleted\. Change the object to propose it again\.$/u);
  });
});

describe("a branch that cannot be read any more", () => {
  const away = new AppError("E_GIT_REMOTE", "fetch");
  it("leaves an open proposal as it is", async () => {
    const { follow } = await openFollower(proposal, { objects: [byHand("a")] });
    await follow();
    expect((await follow({ sourceError: away })).pushed).toEqual([]);
    expect((await follow()).pushed).toEqual([]);
  });

  it("leaves an open proposal as it is when it fails after a commit of another object lost a race", async () => {
    const spec = { onHubObjects: [{ policy: "Propose" as const, deletions: "Commit" as const }] };
    const files = { "y.yaml": fileOf("y"), "z.yaml": fileOf("z") };
    const given = { objects: [byHand("a"), byGit("y"), byGit("z")], files };
    const errors = { errors: [undefined, race], readErrors: [away] };
    const { follow, remove, clock } = await openFollower(spec, { ...given, ...errors });
    expect((await follow()).branches).toEqual([branch]);
    await remove(byGit("z"));
    await clock.advance(10_000);
    const { pushed, branches, scope } = await follow();
    expect([pushed, branches, scope.sourceError]).toEqual([["main -z.yaml"], [], away]);
    expect(await follow()).toMatchObject({ pushed: ["main -z.yaml"], branches: [branch] });
  });
});

describe("an object that a person changes while the run plans", () => {
  const files = { "a.yaml": fileOf("a") };
  const objects = [byGit("a")];
  const update: PlannedChange = {
    ...{ kind: "update", ref: { type: resourceTypes.cluster, namespace: "fleet", name: "a" }, object: byGit("a") },
    ...{ manager: "rollcall-git", fields: [] },
  };
  const edited = { ...byGit("a"), spec: { displayName: "B" } };

  it("is not reverted by that plan", async () => {
    const { follow, follower, view } = await openFollower(commit, { objects, files });
    await follow();
    expect(follower.isEditedSince(update)).toBe(false);
    view.recordWritten(resourceTypes.cluster, { ...edited, metadata: { ...edited.metadata, resourceVersion: "9" } });
    expect(follower.isEditedSince(update)).toBe(true);
  });

  it("is reverted where the policy was taken away before", async () => {
    const { follow, follower, view, scene } = await openFollower(commit, { objects, files });
    await follow();
    scene.repository = repositoryOf({});
    await follow();
    view.recordWritten(resourceTypes.cluster, { ...edited, metadata: { ...edited.metadata, resourceVersion: "9" } });
    expect(follower.isEditedSince(update)).toBe(false);
  });
});

describe("an edit of a MemberCluster that the hub has reverted", () => {
  const file =
    "apiVersion: cluster.kubernetes-fleet.io/v1beta1\nkind: MemberCluster\nmetadata: {name: m}\n" +
    "spec: {heartbeatPeriodSeconds: 60, identity: {kind: ServiceAccount, name: m, namespace: fleet-system}}\n";
  const applied = { "rollcall.dev/source-file": "m.yaml" };
  const memberOf = (heartbeatPeriodSeconds: number): KubeObject => ({
    ...{ apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster" },
    metadata: {
      ...{ name: "m", labels: { "rollcall.dev/cluster": "m" } },
      managedFields: [
        {
          ...{ manager: "kubectl-edit", operation: "Update" },
          fieldsV1: { "f:spec": heartbeatPeriodSeconds === 60 ? {} : { "f:heartbeatPeriodSeconds": {} } },
        },
      ],
    },
    spec: { heartbeatPeriodSeconds, identity: { kind: "ServiceAccount", name: "m", namespace: "fleet-system" } },
  });
  const onHubObjects = [{ policy: "Commit" as const, kinds: ["MemberCluster" as const] }];

  it.each([
    { reason: "of its kind", spec: { onHubObjects }, pushed: ["main m.yaml"] },
    { reason: "that came later", spec: {}, pushed: [] },
  ])("is committed under a policy $reason: $pushed", async ({ spec, pushed }) => {
    const world = await openFollower(
      { defaultWorkspace: "fleet", ...spec },
      {
        files: { "m.yaml": file },
        member: memberOf(60),
      },
    );
    const commitId = world.scene.repository.status?.appliedCommit ?? "";
    const annotations = { ...applied, "rollcall.dev/source-commit": commitId };
    const { metadata, ...cluster } = byGit("m");
    world.view.recordWritten(resourceTypes.cluster, {
      ...cluster,
      metadata: { ...metadata, annotations, resourceVersion: "9" },
    });
    await world.edit(memberOf(60), memberOf(30));
    await world.edit(memberOf(30), memberOf(60));
    world.scene.repository = { ...world.scene.repository, spec: { ...world.scene.repository.spec, onHubObjects } };
    expect((await world.follow()).pushed).toEqual(pushed);
  });
});

describe("changes without an end", () => {
  it("are committed ten times in a minute, and wait for the rest of it", async () => {
    const { follow, follower, view, clock } = await openFollower(commit, { objects: [] });
    for (let index = 0; index < 10; index += 1) {
      view.recordWritten(resourceTypes.cluster, {
        ...byHand(`n${index}`),
        metadata: { ...byHand(`n${index}`).metadata, uid: `${index}`, resourceVersion: `${index + 1}` },
      });
      expect((await follow()).pushed).toHaveLength(1);
      await clock.advance(1000);
    }
    expect(follower.dueInMs()).toBeUndefined();
    view.recordWritten(resourceTypes.cluster, {
      ...byHand("last"),
      metadata: { ...byHand("last").metadata, uid: "u", resourceVersion: "99" },
    });
    expect((await follow()).pushed.filter((push) => push.startsWith("main"))).toEqual([]);
    expect(follower.dueInMs()).toBe(50_000);
    await clock.advance(50_000);
    expect((await follow()).pushed).toEqual(["main clusters/fleet/last.yaml"]);
    expect(follower.dueInMs()).toBeUndefined();
  });
});
