import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "./hub-world.ts";

export interface DeploymentOptions {
  readonly replicas?: number;
  readonly image?: string;
  readonly strategy?: Record<string, unknown>;
  readonly spec?: Record<string, unknown>;
  readonly annotations?: Record<string, string>;
}

export function deployment(options: DeploymentOptions = {}): KubeObject {
  const { replicas = 2, image = "web:1", strategy, spec = {}, annotations } = options;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", ...(annotations ? { annotations } : {}) },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      progressDeadlineSeconds: 600,
      strategy: strategy ?? { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      template: podTemplate(image),
      ...spec,
    },
  };
}

export function podTemplate(image: string): Record<string, unknown> {
  return { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image }] } };
}

/** Sets the image of the deployment's template. */
export function withImage(image: string): (object: KubeObject) => KubeObject {
  return (object) => ({ ...object, spec: { ...(object["spec"] as object), template: podTemplate(image) } });
}

/** Changes fields of the spec. */
export function withSpec(changes: Record<string, unknown>): (object: KubeObject) => KubeObject {
  return (object) => ({ ...object, spec: { ...(object["spec"] as object), ...changes } });
}

export function imagesOf(pods: readonly KubeObject[]): string[] {
  return pods.map((pod) => (pod["spec"] as { containers: { image: string }[] }).containers[0]?.image ?? "").sort();
}

/** `web:1=2 web:2=1`: the sizes of the ReplicaSets by the image in their template. */
export function sizesOf(world: HubWorld): string {
  return world
    .list("replicasets")
    .map((set) => {
      const spec = set["spec"] as { replicas: number; template: { spec: { containers: { image: string }[] } } };
      return `${spec.template.spec.containers[0]?.image}=${spec.replicas}`;
    })
    .sort()
    .join(" ");
}

/** What a node would do: Pods that fit become ready, Pods that are being deleted go. */
export async function runPods(world: HubWorld, isReady: (pod: KubeObject) => boolean = () => true): Promise<void> {
  for (const pod of world.list("pods")) {
    const conditions = (pod["status"] as { conditions?: { type: string }[] }).conditions ?? [];
    if (conditions.some(({ type }) => type === "Ready") || !isReady(pod)) continue;
    const now = new Date(world.clock.nowMs()).toISOString().replace(/\.\d+/u, "");
    const ready = { type: "Ready", status: "True", lastTransitionTime: now };
    await world.change(
      "pods",
      pod.metadata.name,
      (object) => ({ ...object, status: { phase: "Running", conditions: [ready] } }),
      { subresource: "status" },
    );
  }
  await world.settle();
}

/** Lets Pods become ready until nothing changes any more. */
export async function rollOut(world: HubWorld, isReady?: (pod: KubeObject) => boolean): Promise<void> {
  for (let before = -1; before !== world.operations.revision();) {
    before = world.operations.revision();
    await world.settle();
    await runPods(world, isReady);
  }
}

export function statusOf(object: KubeObject | undefined): Record<string, unknown> {
  return (object?.["status"] ?? {}) as Record<string, unknown>;
}

/** `Available=True/MinimumReplicasAvailable ...`, sorted. */
export function conditionsOf(object: KubeObject | undefined): string[] {
  const conditions = (statusOf(object)["conditions"] ?? []) as Record<string, string>[];
  return conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`).sort();
}
