import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createHubWriter } from "../../../src/hub/hub-writer.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { memberStateName, memberStateObject } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { clusterOf, coreObject } from "./objects.ts";

const { signal } = new AbortController();
const secret = coreObject("Secret", "s");
const ref: ObjectRef = { type: resourceTypes.secret, namespace: "fleet", name: "s" };
const clusterRef: ObjectRef = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
const place = { workspace: "fleet", name: "eu-1", state: undefined };
const origin = { isDeclared: true };

interface Given {
  /** What the view shows under every name. */
  readonly live?: KubeObject | undefined;
  /** What the hub answers to a write; an error: the hub refuses it. */
  readonly answer?: KubeObject | Error;
}

/** A writer over a view that receives nothing but the writer's own writes. */
function open({ live, answer = secret }: Given = {}) {
  const requests: unknown[] = [];
  const noted: string[] = [];
  const logged: unknown[] = [];
  const request = <T>(made: unknown, value: T): Promise<T> => {
    requests.push(made);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(value);
  };
  const written = answer instanceof Error ? secret : answer;
  const hubApi: Partial<KubeApi> = {
    apply: (object, options) => request({ verb: "apply", object, ...options }, written),
    create: (object, options) => request({ verb: "create", object, ...options }, written),
    mergePatch: (to, patch, options) => request({ verb: "patch", to: to.name, patch, ...options }, written),
    delete: (to, options) => request({ verb: "delete", to: to.name, ...options }, undefined),
  };
  const view = {
    get: () => live,
    listsAll: () => false,
    memberStateOf: () => undefined,
    recordWritten: ({ kind }: { kind: string }, { metadata }: KubeObject) =>
      void noted.push(`${kind}/${metadata.name} written`),
    recordDeleted: ({ type, name }: ObjectRef) => void noted.push(`${type.kind}/${name} deleted`),
  };
  const log = { ...silentLog, warn: (_text: string, fields?: object) => void logged.push(fields) };
  return { write: createHubWriter({ hubApi: hubApi as KubeApi, view, log }, signal), requests, noted, logged };
}

const manager = "rollcall-hub";
const refused = new AppError("E_KUBE_FORBIDDEN", "write");
const version = { uid: "u", resourceVersion: "7" };

describe("createHubWriter", () => {
  it("names the live object, its manager and the signal of the pass in an apply", async () => {
    const { write, requests, noted } = open({ live: coreObject("Secret", "s", { uid: "live" }) });
    const wanted = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "fleet", name: "s" } };
    await write.apply(wanted);
    await write.apply(wanted, "rollcall-git");
    const object = { ...wanted, metadata: { ...wanted.metadata, uid: "live" } };
    expect(requests).toEqual([
      { verb: "apply", object, fieldManager: manager, signal },
      { verb: "apply", object, fieldManager: "rollcall-git", signal },
    ]);
    expect(noted).toEqual(["Secret/s written", "Secret/s written"]);
  });

  it("writes an object of a kind that is not known, and shows it in no view", async () => {
    const strange = { apiVersion: "example.com/v1", kind: "Strange", metadata: { name: "s" } };
    const { write, requests, noted } = open({ answer: strange, live: secret });
    expect(await write.apply(strange)).toBe(strange);
    expect(requests).toMatchObject([{ verb: "apply", object: strange }]);
    expect(noted).toEqual([]);
  });

  it("patches in the name of the hub, or of another manager", async () => {
    const { write, requests, noted } = open();
    await write.patch(ref, { data: null });
    await write.patch(ref, { data: null }, "rollcall-git");
    expect(requests).toEqual([
      { verb: "patch", to: "s", patch: { data: null }, fieldManager: manager, signal },
      { verb: "patch", to: "s", patch: { data: null }, fieldManager: "rollcall-git", signal },
    ]);
    expect(noted).toEqual(["Secret/s written", "Secret/s written"]);
  });

  const deletionTimestamp = "2026-01-01T00:00:00Z";

  it.each([
    { reason: "is deleted by it: the last finalizer is taken away", metadata: { deletionTimestamp }, isShown: false },
    {
      reason: "is deleted by it: the list of finalizers is empty",
      metadata: { deletionTimestamp, finalizers: [] },
      isShown: false,
    },
    { reason: "is held further", metadata: { deletionTimestamp, finalizers: ["x/y"] }, isShown: true },
    { reason: "is not being deleted", metadata: { finalizers: [] }, isShown: true },
  ])("shows what a patch wrote ($isShown) of an object that $reason", async ({ metadata, isShown }) => {
    const answer = coreObject("Secret", "s", metadata);
    const { write, noted } = open({ answer });
    expect(await write.patch(ref, { metadata: { finalizers: null } })).toBe(answer);
    expect(noted).toEqual(isShown ? ["Secret/s written"] : []);
  });

  it("deletes the very version that was seen, and keeps in view what finalizers hold", async () => {
    const { write, requests, noted } = open();
    await write.delete(ref, version);
    expect(noted).toEqual(["Secret/s deleted"]);
    await write.deleteHeld(ref, version);
    expect(noted).toEqual(["Secret/s deleted"]);
    const request = { verb: "delete", to: "s", ...version, signal };
    expect(requests).toEqual([request, request]);
  });

  it("shows nothing of a write that the hub refused", async () => {
    const { write, noted } = open({ live: clusterOf("eu-1"), answer: refused });
    const writes = [
      write.apply(secret),
      write.patch(ref, {}),
      write.delete(ref, version),
      write.deleteHeld(ref, version),
      write.applyStatus({ ref: clusterRef, status: { phase: "Joining" } }),
      write.writeState(place, { origin }),
      write.createState(place, { origin }),
    ];
    for (const result of await Promise.allSettled(writes)) expect(result).toMatchObject({ reason: refused });
    expect(noted).toEqual([]);
  });

  it("applies a status to the live object as the status alone, and shows it", async () => {
    const answer = clusterOf("eu-1");
    const { write, requests, noted } = open({ live: clusterOf("eu-1", { metadata: { uid: "live" } }), answer });
    const status = { phase: "Joining" };
    const computedFrom = clusterOf("eu-1", { metadata: { resourceVersion: "5" } });
    expect(await write.applyStatus({ ref: clusterRef, status }, computedFrom)).toBe(true);
    expect(requests).toEqual([
      {
        verb: "apply",
        object: {
          apiVersion: "rollcall.dev/v1alpha1",
          kind: "Cluster",
          metadata: { name: "eu-1", namespace: "fleet", uid: "live", resourceVersion: "5" },
          status,
        },
        fieldManager: manager,
        subresource: "status",
        signal,
      },
    ]);
    expect(noted).toEqual(["Cluster/eu-1 written"]);
  });

  it("applies the status of an object without a namespace, and one that no view shows", async () => {
    const { write, requests } = open();
    const type = resourceTypes.namespace;
    expect(await write.applyStatus({ ref: { type, name: "n" }, status: { phase: "Active" } })).toBe(true);
    expect(requests).toMatchObject([{ object: { metadata: { name: "n" } } }]);
    expect(JSON.stringify(requests)).not.toContain('namespace":');
  });

  const stateOf = (metadata: object): KubeObject => {
    const object = memberStateObject("fleet", "eu-1", { origin });
    return { ...object, metadata: { ...object.metadata, uid: "live", resourceVersion: "7", ...metadata } };
  };

  it.each([
    { reason: "nothing is there", live: undefined, verbs: ["create"] },
    { reason: "it is the same", live: stateOf({}), verbs: [] },
    {
      reason: "it is the same, and others have added labels",
      live: stateOf({ labels: { ...stateOf({}).metadata.labels, added: "x" } }),
      verbs: [],
    },
    { reason: "its label is lost: no controller would find it", live: stateOf({ labels: {} }), verbs: ["apply"] },
    { reason: "it differs", live: { ...stateOf({}), data: { memory: "{}" } }, verbs: ["apply"] },
  ])("writes a state by $verbs when $reason", async ({ live, verbs }) => {
    const { write, requests, noted } = open({ live, answer: stateOf({}) });
    await write.writeState(place, { origin });
    expect(requests).toMatchObject(verbs.map((verb) => ({ verb, fieldManager: manager, signal })));
    expect(noted).toEqual(verbs.map(() => `ConfigMap/${memberStateName("eu-1")} written`));
    if (verbs[0] === "apply")
      expect(requests).toMatchObject([{ object: { metadata: { uid: "live", resourceVersion: "7" } } }]);
  });

  it("fails where another leader created the state at the same time", async () => {
    const exists = new AppError("E_KUBE_EXISTS", "create");
    const { write } = open({ answer: exists });
    await expect(write.writeState(place, { origin })).rejects.toBe(exists);
    expect(await write.createState(place, { origin })).toBe(false);
  });

  it("throws the first refusal of several, and logs each other one with the object that it is of", async () => {
    const { write, logged } = open({ answer: refused });
    const changes = ["a", "b", "c"].map((name) => {
      const object = coreObject("Secret", name);
      return { kind: "create" as const, ref: { ...ref, name }, object, manager, fields: [] } as const;
    });
    await expect(write.execute(changes)).rejects.toBe(refused);
    expect(logged).toEqual(["b", "c"].map((name) => ({ object: `Secret/fleet/${name}`, error: refused })));
  });

  it("shows each change that it executed", async () => {
    const { write, noted } = open();
    await write.execute([{ kind: "delete", ref: { ...ref, name: "old" }, ...version, reason: "test" }]);
    await write.execute([{ kind: "create", ref, object: secret, manager, fields: [] }]);
    expect(noted).toEqual(["Secret/old deleted", "Secret/s written"]);
  });

  it("executes a change on the very object that the view shows", async () => {
    const { write, requests } = open({ live: coreObject("Secret", "s", { uid: "live" }) });
    const fields = [{ path: "/data/a", to: "1" }];
    await write.execute([{ kind: "update", ref, object: secret, manager, fields }]);
    expect(requests).toMatchObject([{ object: { metadata: { uid: "live" } } }]);
  });
});
