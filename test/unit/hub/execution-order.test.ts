import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { executeChanges } from "../../../src/hub/execute-changes.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { coreObject } from "./objects.ts";

const refOfName = (type: ResourceType, name: string, namespace = "fleet"): ObjectRef => ({ type, namespace, name });
const cluster = (name: string, namespace?: string) => refOfName(resourceTypes.cluster, name, namespace);
const token = (name: string, namespace?: string) => refOfName(resourceTypes.clusterRegistrationToken, name, namespace);
const precondition = { uid: "u", resourceVersion: "7", reason: "test" };
const remove = (ref: ObjectRef): PlannedChange => ({ kind: "delete", ref, ...precondition });
const leave = (ref: ObjectRef): PlannedChange => ({ kind: "leave", ref, commit: "c", ...precondition });
const put = (kind: "create" | "update", ref: ObjectRef, changes: object = {}): PlannedChange => ({
  kind,
  ref,
  object: coreObject(ref.type.kind, ref.name),
  manager: "rollcall-git",
  fields: [{ path: "/spec", to: "1" }],
  ...changes,
});
const unreachable = new AppError("E_KUBE_UNREACHABLE", "delete door", { remedy: "Start the hub." });

interface Call {
  readonly what: string;
  readonly type?: string;
  readonly manager?: string | undefined;
  readonly body?: unknown;
}

/** The calls in their order, what the view received, and the outcomes. */
async function run(
  changes: readonly PlannedChange[],
  refuse: Readonly<Record<string, Error>> = {},
  {
    onCall,
    live,
    ...limits
  }: { onCall?: () => void; live?: KubeObject; signal?: AbortSignal; concurrency?: number } = {},
) {
  const calls: Call[] = [];
  const noted: string[] = [];
  let [open, mostOpen] = [0, 0];
  const call = async <T>(made: Call, name: string, answer: T): Promise<T> => {
    calls.push(made);
    mostOpen = Math.max(mostOpen, ++open);
    onCall?.();
    await Promise.resolve();
    open -= 1;
    if (refuse[name] !== undefined) throw refuse[name];
    return answer;
  };
  const hubApi: Partial<KubeApi> = {
    get: () => Promise.resolve(undefined),
    apply: (object, { fieldManager }) => {
      const { name } = object.metadata;
      return call({ what: `apply ${name}`, manager: fieldManager, body: object }, name, object);
    },
    mergePatch: (ref, body, { fieldManager }) =>
      call({ what: `patch ${ref.name}`, manager: fieldManager, body }, ref.name, coreObject(ref.type.kind, ref.name)),
    delete: ({ name }, options) => call({ what: `delete ${name}`, body: options }, name, undefined),
  };
  const outcomes = await executeChanges(changes, {
    hubApi: hubApi as KubeApi,
    known: { get: () => live, listsAll: () => false },
    recordWritten: ({ kind }, { metadata }) => void noted.push(`written ${kind}/${metadata.name}`),
    recordDeleted: ({ type, name }) => void noted.push(`deleted ${type.kind}/${name}`),
    ...limits,
  });
  return { calls, asked: calls.map(({ what }) => what), noted, outcomes, mostOpen };
}

describe("executeChanges", () => {
  it.each([
    { reason: "removed by a leave", change: leave(cluster("eu-1")), isDone: false },
    { reason: "deleted", change: remove(cluster("eu-1")), isDone: false },
    { reason: "changed", change: put("update", cluster("eu-1")), isDone: true },
    { reason: "created", change: put("create", cluster("eu-1")), isDone: true },
    { reason: "removed in another workspace", change: leave(cluster("eu-1", "labs")), isDone: true },
    { reason: "no cluster", change: remove(refOfName(resourceTypes.clusterGroup, "eu-1")), isDone: true },
  ])("carries out ($isDone) what is $reason while a token of workspace fleet stays", async ({ change, isDone }) => {
    const { asked, outcomes } = await run([change, remove(token("door"))], { door: unreachable });
    expect(asked).toHaveLength(isDone ? 2 : 1);
    expect(outcomes.find((outcome) => outcome.change === change)?.error?.code).toBe(
      isDone ? undefined : "E_KUBE_UNREACHABLE",
    );
  });

  it("names the token for which a cluster waits, and what to do about it", async () => {
    const { outcomes } = await run([leave(cluster("eu-1")), remove(token("door"))], { door: unreachable });
    const { error } = outcomes.find(({ change }) => change.kind === "leave") ?? {};
    expect(error?.message).toContain("waits until ClusterRegistrationToken/fleet/door is removed");
    expect(error).toMatchObject({ code: "E_KUBE_UNREACHABLE", remedy: "Start the hub.", cause: unreachable });
  });

  it("removes clusters when every token of their workspace is removed, also where one of another workspace stays", async () => {
    const changes = [leave(cluster("eu-1")), remove(token("door")), leave(token("gate")), remove(token("lab", "labs"))];
    const { asked } = await run(changes, { lab: unreachable });
    expect(asked).toEqual(["delete door", "patch gate", "delete lab", "patch eu-1"]);
  });

  it("creates and changes tokens in their turn, not before removals", async () => {
    const { asked } = await run([
      put("create", cluster("eu-1")),
      put("create", token("new")),
      put("update", token("old")),
      remove(token("door")),
    ]);
    expect(asked).toEqual(["delete door", "apply eu-1", "apply new", "apply old"]);
  });

  it.each([
    ["RoleBinding", resourceTypes.roleBinding],
    ["ClusterRoleBinding", resourceTypes.clusterRoleBinding],
  ])("writes a %s after the Role that it names", async (_kind, type) => {
    const role = put("create", refOfName(resourceTypes.role, "role"));
    expect((await run([put("create", refOfName(type, "binding")), role])).asked).toEqual([
      "apply role",
      "apply binding",
    ]);
  });

  it("names the manager of each write, and counts each under its kind", async () => {
    const former = { ref: cluster("old"), uid: "u-old", resourceVersion: "3", patchAnnotations: { moved: "eu-1" } };
    const manager = "rollcall-hub";
    const { calls, noted } = await run(
      [
        put("create", cluster("eu-1"), { former, manager, patchAnnotations: { a: "b" } }),
        leave(cluster("eu-2")),
        remove(cluster("eu-3")),
      ],
      {},
      { concurrency: 1 },
    );
    expect(calls.map(({ what, manager: by }) => `${what} ${by ?? ""}`)).toEqual([
      "patch old rollcall-git",
      "patch eu-1 rollcall-hub",
      "apply eu-1 rollcall-hub",
      "patch eu-2 rollcall-git",
      "delete eu-3 ",
    ]);
    expect(calls[0]?.body).toEqual({
      metadata: { uid: "u-old", resourceVersion: "3", annotations: { moved: "eu-1" } },
    });
    expect(noted).toEqual([
      "written Cluster/old",
      "written Cluster/eu-1",
      "written Cluster/eu-1",
      "written Cluster/eu-2",
      "deleted Cluster/eu-3",
    ]);
  });

  const conflict = new AppError("E_KUBE_CONFLICT", "patch");

  it("makes no successor where its predecessor changed since the plan", async () => {
    const former = { ref: cluster("old"), uid: "u", resourceVersion: "3", patchAnnotations: {} };
    const { asked, noted, outcomes } = await run([put("create", cluster("eu-1"), { former })], { old: conflict });
    expect([asked, noted, outcomes.map(({ error }) => error?.code)]).toEqual([["patch old"], [], ["E_KUBE_CONFLICT"]]);
  });

  it("writes nothing else of a change whose annotations come too late", async () => {
    const change = put("update", cluster("eu-1"), { patchAnnotations: { a: "b" }, resourceVersion: "3" });
    const { asked, noted } = await run([change], { "eu-1": conflict });
    expect([asked, noted]).toEqual([["patch eu-1"], []]);
  });

  it.each([
    ["delete", remove(cluster("eu-1"))],
    ["leave", leave(cluster("eu-1"))],
    ["write", put("update", cluster("eu-1"))],
  ])("shows nothing in the view of a %s that was refused", async (_what, change) => {
    const { noted, outcomes } = await run([change], { "eu-1": conflict });
    expect([noted, outcomes.map(({ error }) => error)]).toEqual([[], [conflict]]);
  });

  it("applies to the object that the view shows, so that a late request changes no other", async () => {
    const live = coreObject("Cluster", "eu-1", { uid: "live" });
    const { calls } = await run([put("update", cluster("eu-1"))], {}, { live });
    expect(calls[0]?.body).toMatchObject({ metadata: { uid: "live" } });
  });

  it("writes what no Repository owns over an object of one", async () => {
    const live = coreObject("Secret", "s", { labels: { "rollcall.dev/repository": "b.two" } });
    const change = put("create", refOfName(resourceTypes.secret, "s"), { manager: "rollcall-hub" });
    expect((await run([change], {}, { live })).asked).toEqual(["apply s"]);
  });

  it("ends with the reason of an abort where a request fails because of it, and begins nothing more", async () => {
    const stopping = new AbortController();
    const changes = ["a", "b"].map((name) => put("create", refOfName(resourceTypes.secret, name)));
    const asked: string[] = [];
    const running = run(
      changes,
      { a: new Error("socket closed") },
      {
        signal: stopping.signal,
        concurrency: 1,
        onCall: () => {
          asked.push("call");
          stopping.abort(new Error("stopped"));
        },
      },
    );
    await expect(running).rejects.toThrow("stopped");
    expect(asked).toHaveLength(1);
  });

  it.each([
    { concurrency: 2, mostOpen: 2 },
    { concurrency: undefined, mostOpen: 16 },
  ])("has $mostOpen writes under way at a time with the limit $concurrency", async ({ concurrency, mostOpen }) => {
    const changes = Array.from({ length: 40 }, (_, index) =>
      put("create", refOfName(resourceTypes.secret, `s-${index}`)),
    );
    const done = await run(changes, {}, concurrency === undefined ? {} : { concurrency });
    expect([done.mostOpen, done.asked.length]).toEqual([mostOpen, 40]);
  });
});
