import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { numberAt, textAt } from "../../../../src/core/read-json.ts";
import { createEventRecorder } from "../../../../src/embedded-hub/controllers/event-recorder.ts";
import type { FeedEvent } from "../../../../src/embedded-hub/controllers/object-feed.ts";
import { expectedScale } from "../../../../src/embedded-hub/controllers/pod-scale.ts";
import { createStrayIndex } from "../../../../src/embedded-hub/controllers/stray-index.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { startMemoryHub } from "../verbs/memory-hub.ts";
import { administrator, configMap, contextOf, ownedBy } from "./hub-world.ts";
import { podTemplate } from "./workloads.ts";

const context = contextOf(administrator);

describe("how many Pods the controllers of some ask for", () => {
  const selector = { matchLabels: { app: "web" } };
  const workload = (kind: string, name: string, replicas: number): KubeObject => {
    const metadata = { name, namespace: "shop" };
    return { apiVersion: "apps/v1", kind, metadata, spec: { replicas, selector, template: podTemplate("web:1") } };
  };
  const podOf = (owner?: ReturnType<typeof ownedBy>): KubeObject => ({
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: "p", namespace: "shop", ...(owner === undefined ? {} : { ownerReferences: [owner] }) },
  });

  it("is the sum of each once, of a Deployment in place of its ReplicaSets, and nothing of Pods without one", async () => {
    const { operations, definitionOf } = await startMemoryHub();
    const create = (object: KubeObject): Promise<KubeObject> =>
      operations.create(
        context,
        { definition: definitionOf(object.apiVersion, object.kind), namespace: "shop" },
        object,
      );
    const deployment = await create(workload("Deployment", "d", 7));
    const owned = workload("ReplicaSet", "owned", 3);
    const ownerReferences = [ownedBy(deployment, { controller: true })];
    const ofDeployment = await create({ ...owned, metadata: { ...owned.metadata, ownerReferences } });
    const alone = await create(workload("ReplicaSet", "alone", 2));
    const map = await create(configMap("m"));
    const controlled = (owner: KubeObject) => podOf(ownedBy(owner, { controller: true }));
    const scaleOf = (...pods: KubeObject[]): number | string => {
      try {
        return expectedScale(operations, pods);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(scaleOf(podOf(), podOf(ownedBy(alone)))).toBe(0);
    expect(scaleOf(controlled(alone), controlled(alone), controlled(ofDeployment), controlled(ofDeployment))).toBe(9);
    expect(scaleOf(controlled(map))).toBe("configmaps does not implement the scale subresource");
    const lost = 'found no controllers for pod "p"';
    expect(scaleOf(podOf({ ...ownedBy(alone), uid: "other", controller: true }))).toBe(lost);
    expect(scaleOf(podOf({ ...ownedBy(alone), name: "none", controller: true }))).toBe(lost);
    expect(scaleOf(podOf({ ...ownedBy(alone), kind: "None", controller: true }))).toBe(lost);
  });
});

describe("an Event of a controller", () => {
  it("is counted when it comes again, and is another one for another object, reason or message", async () => {
    const { operations, clock, definitionOf } = await startMemoryHub();
    const record = createEventRecorder({ operations, clock, log: silentLog }, "tester");
    const definition = definitionOf("v1", "Event");
    const list = () => operations.list({ definition }).items;
    const map = { ...configMap("m"), metadata: { ...configMap("m").metadata, uid: "1", resourceVersion: "5" } };
    const event = { type: "Normal", reason: "Tested", message: "hello" } as const;
    const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "2" } };
    record(map, event);
    await expect.poll(() => list().length).toBe(1);
    await clock.advance(5000);
    record(map, event);
    record(map, { ...event, type: "Warning" });
    record(map, { ...event, reason: "Other" });
    record(map, { ...event, message: "bye" });
    record(node, event);
    await expect.poll(() => list().length).toBe(5);
    const [first] = list().filter((one) => numberAt(one, "count") === 2);
    expect(first).toMatchObject({
      metadata: { namespace: "shop" },
      involvedObject: {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "m",
        namespace: "shop",
        uid: "1",
        resourceVersion: "5",
      },
      ...event,
      ...{ source: { component: "tester" }, reportingComponent: "tester" },
    });
    expect(Date.parse(textAt(first, "lastTimestamp") ?? "") - Date.parse(textAt(first, "firstTimestamp") ?? "")).toBe(
      5000,
    );
    expect(list().filter(({ metadata }) => metadata.namespace === "default")).toMatchObject([
      { involvedObject: { kind: "Node", name: "n", uid: "2" } },
    ]);
    // One that a user deleted is written anew.
    const { name, namespace = "" } = first?.metadata ?? { name: "" };
    await operations.delete(context, { definition, name, namespace }, {});
    record(map, event);
    await expect.poll(() => list().filter((one) => numberAt(one, "count") === 1).length).toBe(5);
  });
});

describe("objects that no controller owns", () => {
  it("are known by their namespace, until they have one or are deleted", () => {
    const index = createStrayIndex();
    const observe = (kind: FeedEvent["kind"], object: KubeObject): void =>
      index.observe({
        group: "",
        plural: "pods",
        kind,
        isFirst: false,
        object,
        previous: undefined,
        mentions: () => true,
      });
    const [free, owned] = [
      configMap("a"),
      configMap("a", { ownerReferences: [ownedBy(configMap("o"), { controller: true })] }),
    ];
    const other = { ...configMap("b"), metadata: { name: "b", namespace: "market" } };
    observe("added", free);
    observe("added", owned.metadata.name === "a" ? { ...owned, metadata: { ...owned.metadata, name: "c" } } : owned);
    observe("added", other);
    expect([index.namesIn("shop"), index.namesIn("market"), index.namesIn("none")]).toEqual([["a"], ["b"], []]);
    observe("modified", owned);
    observe("deleted", other);
    expect([index.namesIn("shop"), index.namesIn("market")]).toEqual([[], []]);
    observe("modified", configMap("a", { ownerReferences: [ownedBy(configMap("o"))] }));
    expect(index.namesIn("shop")).toEqual(["a"]);
  });
});
