import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { ChangeOutcome } from "../../../src/hub/execute-changes.ts";
import { executeChanges } from "../../../src/hub/execute-changes.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { withUidOf } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { coreObject } from "./objects.ts";

type Write = Extract<PlannedChange, { kind: "create" | "update" }>;

function write(kind: "create" | "update", object: KubeObject, changes: Partial<Write> = {}): Write {
  const type = object.kind === "RoleBinding" ? resourceTypes.roleBinding : resourceTypes.secret;
  const ref = { type, namespace: "fleet", name: object.metadata.name };
  return { kind, ref, object, manager: "rollcall-hub", fields: [], ...changes };
}

const secret = (name: string, fields: object = {}) => coreObject("Secret", name, {}, fields);
const fields = [{ path: "/data/a", to: "1" }];
const target = { type: resourceTypes.secret, namespace: "fleet", name: "a" };
const cluster: ObjectRef = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };

/** What the hub was asked for, and what the view received, in order. */
async function run(
  changes: readonly PlannedChange[],
  refuse: Readonly<Record<string, Error>> = {},
  {
    signal,
    live,
    appeared,
  }: { readonly signal?: AbortSignal; readonly live?: KubeObject; readonly appeared?: KubeObject } = {},
) {
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const told: string[] = [];
  const ask = async <T>(verb: string, name: string, body: unknown, answer: T): Promise<T> => {
    await Promise.resolve();
    asked.push(`${verb} ${name}`);
    bodies.push(body);
    if (refuse[name] !== undefined) throw refuse[name];
    return answer;
  };
  const hubApi: Partial<KubeApi> = {
    apply: (object) => ask("apply", object.metadata.name, object, object),
    get: ({ name }) => {
      asked.push(`get ${name}`);
      return Promise.resolve(name === appeared?.metadata.name ? appeared : undefined);
    },
    mergePatch: (ref, patch) => ask("patch", ref.name, patch, coreObject("Secret", ref.name)),
    delete: (ref, options) => ask("delete", ref.name, options, undefined),
  };
  const outcomes = await executeChanges(changes, {
    hubApi: hubApi as KubeApi,
    known: {
      get: ({ name }) => (name === live?.metadata.name ? live : undefined),
      listsAll: () => appeared !== undefined,
    },
    recordWritten: (_type, { metadata }) => void told.push(`written ${metadata.name}`),
    ...(signal ? { signal } : {}),
    recordDeleted: ({ name }) => void told.push(`deleted ${name}`),
  });
  return { asked, bodies, told, codes: outcomes.map(({ error }: ChangeOutcome) => error?.code) };
}

describe("executeChanges", () => {
  it.each<{ reason: string; change: PlannedChange; asked: string[]; told: string[] }>([
    { reason: "an object to create", change: write("create", secret("a")), asked: ["apply a"], told: ["written a"] },
    {
      reason: "fields to update",
      change: write("update", secret("a"), { fields }),
      asked: ["apply a"],
      told: ["written a"],
    },
    {
      reason: "annotations alone",
      change: write("update", secret("a"), { patchAnnotations: { x: null } }),
      asked: ["patch a"],
      told: ["written a"],
    },
    {
      reason: "annotations and fields: the patch may be refused, so it is the first",
      change: write("update", secret("a"), { fields, patchAnnotations: { x: "y" } }),
      asked: ["patch a", "apply a"],
      told: ["written a", "written a"],
    },
    {
      reason: "a successor: its predecessor is marked before",
      change: write("create", secret("a"), {
        former: { ref: { ...target, name: "old" }, uid: "u", resourceVersion: "7", patchAnnotations: {} },
      }),
      asked: ["patch old", "apply a"],
      told: ["written old", "written a"],
    },
    {
      reason: "a deletion",
      change: { kind: "delete", ref: target, uid: "u", resourceVersion: "7", reason: "test" },
      asked: ["delete a"],
      told: ["deleted a"],
    },
    {
      reason: "an offboarding",
      change: { kind: "leave", ref: cluster, commit: "abc", uid: "u", resourceVersion: "9", reason: "test" },
      asked: ["patch eu-1"],
      told: ["written eu-1"],
    },
  ])("writes $reason", async ({ change, asked, told }) => {
    expect(await run([change])).toMatchObject({ asked, told, codes: [undefined] });
  });

  it("sends the preconditions of a change, and the values of a Secret", async () => {
    const { bodies } = await run([
      { kind: "delete", ref: target, uid: "u", resourceVersion: "7", reason: "test" },
      { kind: "leave", ref: cluster, commit: "abc", uid: "u", resourceVersion: "9", reason: "test" },
      write("update", secret("a"), { patchAnnotations: { x: null }, resourceVersion: "8" }),
      write("create", secret("b"), { reveal: () => secret("b", { data: { key: "value" } }) }),
    ]);
    expect(bodies).toMatchObject([
      { uid: "u", resourceVersion: "7" },
      { metadata: { uid: "u", resourceVersion: "9", annotations: { "rollcall.dev/leave": "abc" } } },
      { metadata: { annotations: { x: null }, resourceVersion: "8" } },
      { data: { key: "value" } },
    ]);
  });

  it("writes role bindings and Secrets of account tokens after all others", async () => {
    const token = secret("token", { type: "kubernetes.io/service-account-token" });
    const binding = { ...coreObject("RoleBinding", "binding"), apiVersion: "rbac.authorization.k8s.io/v1" };
    const { asked } = await run(
      [binding, token, secret("one"), secret("two")].map((object) => write("create", object)),
    );
    expect(asked).toEqual(["apply one", "apply two", "apply binding", "apply token"]);
  });

  const ownedBy = (owner?: string): KubeObject =>
    coreObject("Secret", "a", owner === undefined ? {} : { labels: { "rollcall.dev/repository": owner } });
  const former = { ref: { ...target, name: "old" }, uid: "u", resourceVersion: "7", patchAnnotations: {} };

  it.each<{ reason: string; kind: "create" | "update"; live: KubeObject; isWritten: boolean }>([
    { reason: "creates what another Repository has made", kind: "create", live: ownedBy("b.two"), isWritten: false },
    { reason: "creates what a user has made without a file", kind: "create", live: ownedBy(), isWritten: false },
    {
      reason: "changes what has become another Repository's",
      kind: "update",
      live: ownedBy("b.two"),
      isWritten: false,
    },
    { reason: "creates what was made again", kind: "create", live: ownedBy("a.one"), isWritten: true },
    { reason: "changes its own", kind: "update", live: ownedBy("a.one"), isWritten: true },
    { reason: "changes what its file adopts", kind: "update", live: ownedBy(), isWritten: true },
  ])("$reason since the plan was made: $isWritten", async ({ kind, live, isWritten }) => {
    const { asked, codes } = await run([write(kind, ownedBy("a.one"), { fields, former })], {}, { live });
    expect(asked).toEqual(isWritten ? ["patch old", "apply a"] : []);
    expect(codes).toEqual([isWritten ? undefined : "E_KUBE_CONFLICT"]);
  });

  it("A78 does not create a child of a member over an object of another program", async () => {
    const child = coreObject("Secret", "a", { labels: { "rollcall.dev/cluster": "eu-1" } });
    const { asked, codes } = await run([write("create", child)], {}, { live: secret("a") });
    expect(asked).toEqual([]);
    expect(codes).toEqual(["E_KUBE_EXISTS"]);
  });

  it("A262 takes over no namespace of another team that appears while a member is reconciled", async () => {
    const home = coreObject("Secret", "a", { labels: { "rollcall.dev/cluster": "eu-1" } });
    const appeared = secret("a", { data: { of: "another team" } });
    const adopting = write("create", home, { labelsToAdopt: { "clusternet.io/created-by": "clusternet-agent" } });
    const refuse = { a: new AppError("E_KUBE_CONFLICT", "apply") };
    const { asked, told, codes } = await run([adopting], refuse, { appeared });
    expect(asked).toEqual(["apply a", "get a"]);
    expect(told).toEqual(["written a"]); // the next pass refuses it by its name
    expect(codes).toEqual(["E_KUBE_EXISTS"]);
  });

  it("does not begin a change after it was aborted", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(run([write("create", secret("a"))], {}, { signal })).rejects.toThrow("stopped");
  });

  it("reports a failure of one change, and executes the others", async () => {
    const refuse = { a: new AppError("E_KUBE_FORBIDDEN", "apply"), b: new TypeError("x is undefined") };
    const { codes, told } = await run(
      ["a", "b", "c"].map((name) => write("create", secret(name))),
      refuse,
    );
    expect(codes).toEqual(["E_KUBE_FORBIDDEN", "E_BUG", undefined]);
    expect(told).toEqual(["written c"]);
  });
});

describe("withUidOf", () => {
  it("names the live object, so that a late request creates no other", () => {
    expect(withUidOf(secret("a"), coreObject("Secret", "a", { uid: "other" })).metadata.uid).toBe("uid-a");
    const unknown = coreObject("Secret", "a", { uid: "other" });
    expect(withUidOf(undefined, unknown)).toBe(unknown);
  });

  describe("with removals of clusters and of the tokens that admit them", () => {
    const remove = (ref: ObjectRef): PlannedChange => ({
      kind: "delete",
      ref,
      uid: "u",
      resourceVersion: "7",
      reason: "test",
    });
    const leave = (ref: ObjectRef): PlannedChange => ({
      kind: "leave",
      ref,
      uid: "u",
      resourceVersion: "7",
      commit: "c",
      reason: "test",
    });
    const token: ObjectRef = { type: resourceTypes.clusterRegistrationToken, namespace: "fleet", name: "door" };
    const elsewhere: ObjectRef = { ...cluster, namespace: "labs", name: "lab-1" };

    it("removes a token before clusters: their agents may still ask to join", async () => {
      const { asked } = await run([leave(cluster), write("create", secret("a")), remove(token)]);
      expect(asked).toEqual(["delete door", "patch eu-1", "apply a"]);
    });

    it("leaves clusters of the workspace as they are while its token stays: it would let them in again", async () => {
      const refuse = { door: new AppError("E_KUBE_UNREACHABLE", "delete door") };
      const { asked, codes } = await run(
        [leave(cluster), leave(elsewhere), remove(token), write("create", secret("a"))],
        refuse,
      );
      expect(asked).toEqual(["delete door", "patch lab-1", "apply a"]);
      expect(codes.filter((code) => code === "E_KUBE_UNREACHABLE")).toHaveLength(2);
    });
  });
});
