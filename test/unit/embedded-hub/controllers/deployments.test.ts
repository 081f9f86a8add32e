import { describe, expect, it } from "vitest";
import { namesOf, startHubWorld } from "./hub-world.ts";
import {
  conditionsOf,
  deployment,
  imagesOf,
  podTemplate,
  rollOut,
  runPods,
  sizesOf,
  statusOf,
  withImage,
  withSpec,
} from "./workloads.ts";

describe("a Deployment", () => {
  it("becomes a ReplicaSet and Pods, and reports when it is available", async () => {
    const world = await startHubWorld();
    await world.create(deployment({ replicas: 3 }));
    await world.settle();
    const [set] = world.list("replicasets");
    const hash = set?.metadata.labels?.["pod-template-hash"] ?? "";
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/u);
    expect(set?.metadata).toMatchObject({
      name: `web-${hash}`,
      annotations: {
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [{ kind: "Deployment", name: "web", controller: true, blockOwnerDeletion: true }],
    });
    expect(world.list("pods").map(({ metadata }) => metadata.generateName)).toEqual(Array(3).fill(`web-${hash}-`));
    expect(conditionsOf(world.get("deployments", "web"))).toEqual([
      "Available=False/MinimumReplicasUnavailable",
      "Progressing=True/ReplicaSetUpdated",
    ]);
    await runPods(world);
    const after = world.get("deployments", "web");
    expect(statusOf(after)).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(statusOf(after)).not.toHaveProperty("unavailableReplicas");
    expect(conditionsOf(after)).toEqual([
      "Available=True/MinimumReplicasAvailable",
      "Progressing=True/NewReplicaSetAvailable",
    ]);
    expect(after?.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
  });

  it("does nothing more when nothing changes", async () => {
    const world = await startHubWorld();
    await world.create(deployment());
    await rollOut(world);
    const before = world.operations.revision();
    await world.clock.advance(3_000_000);
    await world.settle();
    const writes = world.operations.revision() - before;
    // Only the Events of the rollout expire meanwhile.
    expect(writes).toBeLessThanOrEqual(world.list("events").length + 10);
    expect(statusOf(world.get("deployments", "web"))).toMatchObject({ availableReplicas: 2 });
  });

  it("replaces Pods step by step, within maxSurge and maxUnavailable", async () => {
    const world = await startHubWorld();
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    await world.create(deployment({ replicas: 3, strategy }));
    await rollOut(world);
    await world.change("deployments", "web", withImage("web:2"));
    const steps: string[] = [];
    for (let step = 0; step < 10; step++) {
      await world.settle();
      steps.push(sizesOf(world));
      await runPods(world);
      if (sizesOf(world) === "web:1=0 web:2=3") break;
    }
    expect([...new Set(steps)]).toEqual(["web:1=3 web:2=1", "web:1=2 web:2=2", "web:1=1 web:2=3"]);
    expect(imagesOf(world.list("pods"))).toEqual(["web:2", "web:2", "web:2"]);
    expect(world.get("deployments", "web")?.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
  });

  it("keeps the old Pods while the new ones do not become ready, and reports it after its deadline", async () => {
    const world = await startHubWorld();
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    await world.create(deployment({ replicas: 2, strategy, spec: { progressDeadlineSeconds: 60 } }));
    await rollOut(world);
    await world.change("deployments", "web", withImage("bad:1"));
    const isGood = (pod: object) => !JSON.stringify(pod).includes("bad:1");
    await rollOut(world, isGood);
    expect(sizesOf(world)).toBe("bad:1=1 web:1=2");
    await world.clock.advance(70_000);
    await world.settle();
    expect(conditionsOf(world.get("deployments", "web"))).toEqual([
      "Available=True/MinimumReplicasAvailable",
      "Progressing=False/ProgressDeadlineExceeded",
    ]);
    // kubectl rollout undo writes the old template.
    await world.change("deployments", "web", withImage("web:1"));
    await rollOut(world, isGood);
    expect(sizesOf(world)).toBe("bad:1=0 web:1=2");
    const back = world.list("replicasets").find((set) => JSON.stringify(set).includes("web:1"));
    expect(back?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
    expect(conditionsOf(world.get("deployments", "web"))).toContain("Progressing=True/NewReplicaSetAvailable");
  });

  it("waits for the last old Pod when it recreates", async () => {
    const world = await startHubWorld();
    await world.create(deployment({ strategy: { type: "Recreate" } }));
    await rollOut(world);
    const [held] = namesOf(world.list("pods"));
    await world.change("pods", held ?? "", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, finalizers: ["example.com/hold"] },
    }));
    await world.change("deployments", "web", withImage("web:2"));
    await world.settle();
    expect(sizesOf(world)).toBe("web:1=0");
    await world.change("pods", held ?? "", (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: [] } }));
    await rollOut(world);
    expect(sizesOf(world)).toBe("web:1=0 web:2=2");
  });

  it("scales without a rollout, and in the middle of one in proportion", async () => {
    const world = await startHubWorld();
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
    await world.create(deployment({ replicas: 10, strategy }));
    await rollOut(world);
    await world.change("deployments", "web", withImage("bad:1"));
    const isGood = (pod: object) => !JSON.stringify(pod).includes("bad:1");
    await rollOut(world, isGood);
    expect(sizesOf(world)).toBe("bad:1=5 web:1=8");
    await world.change("deployments", "web", withSpec({ replicas: 15 }));
    await rollOut(world, isGood);
    // The example of the Kubernetes documentation, "Proportional scaling".
    expect(sizesOf(world)).toBe("bad:1=7 web:1=11");
  });

  it("rolls nothing out while it is paused, but scales", async () => {
    const world = await startHubWorld();
    await world.create(deployment());
    await rollOut(world);
    await world.change("deployments", "web", withSpec({ paused: true, template: podTemplate("web:2") }));
    await rollOut(world);
    expect(sizesOf(world)).toBe("web:1=2");
    expect(conditionsOf(world.get("deployments", "web"))).toContain("Progressing=Unknown/DeploymentPaused");
    await world.change("deployments", "web", withSpec({ replicas: 4 }));
    await rollOut(world);
    expect(sizesOf(world)).toBe("web:1=4");
    await world.change("deployments", "web", withSpec({ paused: false }));
    await rollOut(world);
    expect(sizesOf(world)).toBe("web:1=0 web:2=4");
  });

  it("keeps as many old ReplicaSets as it declares", async () => {
    const world = await startHubWorld();
    await world.create(deployment({ replicas: 1, spec: { revisionHistoryLimit: 1 } }));
    await rollOut(world);
    for (const image of ["web:2", "web:3", "web:4"]) {
      await world.change("deployments", "web", withImage(image));
      await rollOut(world);
    }
    expect(sizesOf(world)).toBe("web:3=0 web:4=1");
  });

  it("is deleted with everything below it", async () => {
    const world = await startHubWorld();
    await world.create(deployment());
    await rollOut(world);
    await world.remove("deployments", "web", { propagationPolicy: "Foreground" });
    await world.settle();
    expect([...world.list("deployments"), ...world.list("replicasets"), ...world.list("pods")]).toEqual([]);
  });

  it("takes on a ReplicaSet and Pods that have no owner and that fit", async () => {
    const world = await startHubWorld();
    await world.create(deployment());
    await rollOut(world);
    await world.remove("deployments", "web", { propagationPolicy: "Orphan" });
    await world.settle();
    const [set] = world.list("replicasets");
    expect(set?.metadata.ownerReferences).toBeUndefined();
    await world.create(deployment());
    await rollOut(world);
    expect(namesOf(world.list("replicasets"))).toEqual([set?.metadata.name]);
    expect(world.list("replicasets")[0]?.metadata.ownerReferences?.[0]?.name).toBe("web");
  });

  it("continues from the revision of the ReplicaSet that it adopts, as far as 64 bits reach", async () => {
    const world = await startHubWorld();
    const annotations = { "deployment.kubernetes.io/revision": "3546343826724305832" };
    const metadata = { name: "older", namespace: "shop", labels: { app: "web" }, annotations };
    const { spec } = deployment({ image: "web:0", replicas: 1 }) as unknown as { spec: Record<string, unknown> };
    const { replicas, selector, template } = spec;
    await world.create({ apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { replicas, selector, template } });
    await world.settle();
    await world.create(deployment({ replicas: 1 }));
    await rollOut(world);
    expect(world.get("deployments", "web")?.metadata.annotations).toEqual({
      "deployment.kubernetes.io/revision": "3546343826724305833",
    });
  });

  it("counts a Pod as available after minReadySeconds", async () => {
    const world = await startHubWorld();
    await world.create(deployment({ spec: { minReadySeconds: 30 } }));
    await rollOut(world);
    expect(statusOf(world.get("deployments", "web"))).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    await world.clock.advance(31_000);
    await world.settle();
    expect(statusOf(world.get("deployments", "web"))).toMatchObject({ availableReplicas: 2 });
  });
});

describe("a ReplicaSet", () => {
  const set = (replicas: number) => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "rs", namespace: "shop" },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template: podTemplate("web:1") },
  });

  it("replaces Pods that go, and lets go those that do not fit any more", async () => {
    const world = await startHubWorld();
    await world.create(set(2));
    await world.settle();
    const [first = "", second = ""] = namesOf(world.list("pods"));
    await world.remove("pods", first);
    await world.settle();
    expect(world.list("pods")).toHaveLength(2);
    await world.change("pods", second, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: "other" } } }));
    await world.settle();
    expect(world.list("pods")).toHaveLength(3);
    expect(world.get("pods", second)?.metadata.ownerReferences).toBeUndefined();
  });

  it("takes on a stray Pod instead of making one", async () => {
    const world = await startHubWorld();
    await world.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "stray", namespace: "shop", labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "web:1" }] },
    });
    await world.create(set(1));
    await world.settle();
    expect(namesOf(world.list("pods"))).toEqual(["stray"]);
    expect(world.get("pods", "stray")?.metadata.ownerReferences?.[0]).toMatchObject({ name: "rs", controller: true });
  });

  it("deletes Pods that are not ready before those that are", async () => {
    const world = await startHubWorld();
    await world.create(set(4));
    await world.settle();
    const [ready = ""] = namesOf(world.list("pods"));
    await runPods(world, (pod) => pod.metadata.name === ready);
    await world.change("replicasets", "rs", (object) => withSpec({ replicas: 1 })(object));
    await world.settle();
    expect(namesOf(world.list("pods"))).toEqual([ready]);
  });

  it("reports why it cannot make its Pods, and makes them when it can", async () => {
    const world = await startHubWorld();
    const { spec, ...rest } = set(1);
    const template = {
      ...podTemplate("web:1"),
      spec: { serviceAccountName: "nobody", containers: [{ name: "main", image: "web:1" }] },
    };
    await world.create({ ...rest, spec: { ...spec, template } });
    await world.settle();
    expect(conditionsOf(world.get("replicasets", "rs"))).toEqual(["ReplicaFailure=True/FailedCreate"]);
    const message = JSON.stringify(world.get("replicasets", "rs")?.["status"]);
    expect(message).toContain('error looking up service account shop/nobody: serviceaccount \\"nobody\\" not found');
    await world.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "nobody", namespace: "shop" } });
    await world.clock.advance(5000);
    await world.settle();
    expect(world.list("pods")).toHaveLength(1);
    expect(conditionsOf(world.get("replicasets", "rs"))).toEqual([]);
  });
});
