import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import type { WorkQueue } from "../../../../src/core/work-queue.ts";
import { startNamespaceController } from "../../../../src/embedded-hub/controllers/namespace-controller.ts";
import type { FeedListener, ObjectFeed } from "../../../../src/embedded-hub/controllers/object-feed.ts";
import { createOwnerIndex } from "../../../../src/embedded-hub/controllers/owner-index.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { realRandom } from "../../../support/real-time.ts";
import { countingTurns } from "../../../support/turns-during.ts";
import { configMap, namesOf, refusalOf, startHubWorld } from "./hub-world.ts";

describe("a new hub", () => {
  it("has the system namespaces, the default roles and priority classes", async () => {
    const { list } = await startHubWorld();
    expect(namesOf(list("namespaces"))).toEqual(["default", "kube-node-lease", "kube-public", "kube-system", "shop"]);
    expect(list("clusterroles")).toHaveLength(68);
    expect(list("roles", "kube-system")).toHaveLength(6);
  });

  it("gives every namespace its account and the CA, again when they are deleted", async () => {
    const { get, list, remove, change, settle } = await startHubWorld();
    for (const namespace of ["default", "kube-system", "shop"]) {
      expect(namesOf(list("serviceaccounts", namespace))).toEqual(["default"]);
      expect(get("configmaps", "kube-root-ca.crt", namespace)?.["data"]).toEqual({ "ca.crt": "the CA\n" });
    }
    await remove("serviceaccounts", "default");
    await remove("configmaps", "kube-root-ca.crt");
    await settle();
    expect(get("serviceaccounts", "default")).toBeDefined();
    await change("configmaps", "kube-root-ca.crt", (object) => ({ ...object, data: { "ca.crt": "forged" } }));
    await settle();
    expect(get("configmaps", "kube-root-ca.crt")?.["data"]).toEqual({ "ca.crt": "the CA\n" });
  });
});

describe("deleting a namespace", () => {
  it("A248 reads its objects again when one loses a finalizer, not when it changes otherwise", async () => {
    const { operations, clock, ...world } = await startHubWorld();
    const held = await world.create(configMap("held", { finalizers: ["example.com/a", "example.com/b"] }));
    await world.remove("namespaces", "shop");
    await world.settle();
    const listeners: FeedListener[] = [];
    const queues: WorkQueue[] = [];
    const feed: ObjectFeed = {
      on: (_, plural, listener) => void (plural === "namespaces" && listeners.push(listener)),
      onAny: (listener) => void listeners.push(listener),
      start: () => () => undefined,
    };
    const owners = createOwnerIndex();
    const scope = {
      operations,
      feed,
      owners,
      clock,
      random: realRandom,
      log: silentLog,
      turns: countingTurns(),
      queues,
    };
    const controller = startNamespaceController(scope);
    const report = async (object: KubeObject | undefined, previous?: KubeObject): Promise<number> => {
      const event = { group: "", plural: "", kind: "modified", isFirst: false, mentions: () => true } as const;
      const [ofNamespaces, ofAll] = listeners;
      if (object?.kind === "Namespace") ofNamespaces?.({ ...event, object, previous });
      else if (object !== undefined) ofAll?.({ ...event, object, previous });
      await Promise.all(queues.map((queue) => queue.whenIdle()));
      return queues.reduce((sum, { counts }) => sum + counts.done, 0);
    };
    const done = await report(world.get("namespaces", "shop"));
    expect(await report({ ...held, metadata: { ...held.metadata, labels: { a: "b" } } }, held)).toBe(done);
    expect(await report({ ...held, metadata: { ...held.metadata, finalizers: ["example.com/a"] } }, held)).toBe(
      done + 1,
    );
    await controller.stop();
  });

  it("reports what may not be deleted, deletes the rest, and ends when it may", async () => {
    const world = await startHubWorld();
    const { create, remove, settle, get, list, clock } = world;
    const policy = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name: "keep" } };
    const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["configmaps"] }];
    const validations = [{ expression: "oldObject.metadata.name != 'kept'", message: "it is to stay" }];
    const spec = { matchConstraints: { resourceRules }, validations };
    await create({ ...policy, kind: "ValidatingAdmissionPolicy", spec });
    const binding = { policyName: "keep", validationActions: ["Deny"] };
    await create({ ...policy, kind: "ValidatingAdmissionPolicyBinding", spec: binding });
    await create(configMap("kept"));
    await create({ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "shop" } });
    await remove("namespaces", "shop");
    await settle();
    expect([namesOf(list("configmaps")), namesOf(list("secrets"))]).toEqual([["kept"], []]);
    const status = get("namespaces", "shop")?.["status"] as { conditions: Record<string, string>[] };
    expect(status.conditions.find(({ type }) => type === "NamespaceDeletionContentFailure")).toMatchObject({
      status: "True",
      reason: "ContentDeletionFailed",
      message:
        'Failed to delete all resource types, 1 remaining: configmaps "kept" is forbidden: ' +
        "ValidatingAdmissionPolicy 'keep' with binding 'keep' denied request: it is to stay",
    });
    await remove("validatingadmissionpolicybindings", "keep");
    await clock.advance(60_000);
    await settle();
    expect(get("namespaces", "shop")).toBeUndefined();
  });

  it("empties it and then lets it go", async () => {
    const { create, get, list, remove, settle } = await startHubWorld();
    await create(configMap("a"));
    await create({ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "shop" } });
    await remove("namespaces", "shop");
    await settle();
    expect(get("namespaces", "shop")).toBeUndefined();
    expect([...list("configmaps"), ...list("secrets"), ...list("serviceaccounts")]).toEqual([]);
  });

  it("waits for finalizers, reports what it waits for, and admits nothing new", async () => {
    const { change, create, get, remove, settle } = await startHubWorld();
    await create(configMap("held", { finalizers: ["example.com/hold"] }));
    await remove("namespaces", "shop");
    await settle();
    const status = get("namespaces", "shop")?.["status"] as { phase: string; conditions: Record<string, string>[] };
    expect(status.phase).toBe("Terminating");
    const messages = status.conditions.filter(({ status }) => status === "True").map(({ message }) => message);
    expect(messages).toEqual([
      "Some resources are remaining: configmaps. has 1 resource instances",
      "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    ]);
    expect(await refusalOf(create(configMap("late")))).toBe(
      'configmaps "late" is forbidden: unable to create new content in namespace shop because it is being terminated',
    );
    await change("configmaps", "held", (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }));
    await settle();
    expect(get("namespaces", "shop")).toBeUndefined();
  });

  it("keeps conditions of others", async () => {
    const { change, create, get, remove, settle } = await startHubWorld();
    await create(configMap("held", { finalizers: ["example.com/hold"] }));
    const own = { type: "Own", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
    await change("namespaces", "shop", (object) => ({ ...object, status: { phase: "Active", conditions: [own] } }), {
      subresource: "status",
    });
    await remove("namespaces", "shop");
    await settle();
    const status = get("namespaces", "shop")?.["status"] as { conditions: Record<string, string>[] };
    expect(status.conditions[0]).toEqual(own);
    expect(status.conditions).toHaveLength(6);
  });

  it("is refused for default, kube-system and kube-public", async () => {
    const { remove } = await startHubWorld();
    expect(await refusalOf(remove("namespaces", "kube-system"))).toBe(
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    );
  });
});
