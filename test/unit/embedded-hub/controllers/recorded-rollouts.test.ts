import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { silentLog } from "../../../../src/core/log.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../../src/core/read-json.ts";
import type { ControllerScope } from "../../../../src/embedded-hub/controllers/controller-scope.ts";
import { startDeploymentController } from "../../../../src/embedded-hub/controllers/deployment-controller.ts";
import { createObjectFeed } from "../../../../src/embedded-hub/controllers/object-feed.ts";
import { createOwnerIndex } from "../../../../src/embedded-hub/controllers/owner-index.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { realRandom } from "../../../support/real-time.ts";
import { countingTurns } from "../../../support/turns-during.ts";
import { startMemoryHub } from "../verbs/memory-hub.ts";
import { administrator, contextOf } from "./hub-world.ts";

/** One change, and what kube-controller-manager 1.34 made of it. No Pods run: the status of the ReplicaSets is given. */
interface Step {
  readonly create?: JsonObject;
  readonly annotations?: Record<string, string>;
  /** A merge patch of the Deployment. */
  readonly patch?: JsonObject;
  /** Pods, ready and available ones of the ReplicaSets, by the image in their template. */
  readonly run?: Readonly<Record<string, readonly [pods: number, ready: number, available: number]>>;
  /** The image of the ReplicaSet that can make no Pods. */
  readonly fail?: string;
  readonly sets: unknown;
  readonly revision: string | null;
  /** Absent where a lost race of kube-controller-manager with itself shows in it. */
  readonly status?: JsonObject;
}

const file = new URL("golden/rollouts.json", import.meta.url);
const scenes = JSON.parse(readFileSync(file, "utf8")) as readonly { readonly name: string; readonly steps: Step[] }[];
const prefix = "deployment.kubernetes.io/";

async function startHub() {
  const { operations, store, clock, definitionOf } = await startMemoryHub();
  const owners = createOwnerIndex();
  const feed = createObjectFeed(store);
  feed.onAny((event) => void owners.observe(event));
  const scope: ControllerScope = {
    ...{ operations, feed, owners, clock, random: realRandom, log: silentLog },
    ...{ turns: countingTurns(), queues: [] },
  };
  const controller = startDeploymentController(scope);
  const stopFeed = feed.start();
  onTestFinished(async () => {
    stopFeed();
    await controller.stop();
  });
  const [deployments, sets] = ["Deployment", "ReplicaSet"].map((kind) => definitionOf("apps/v1", kind));
  if (deployments === undefined || sets === undefined) throw new Error("they are not served");
  const target = { definition: deployments, namespace: "shop", name: "web" };
  return {
    create: (spec: JsonObject, annotations: Record<string, string> = {}) => {
      const metadata = { name: "web", namespace: "shop", annotations };
      const object = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec };
      return operations.create(contextOf(administrator), target, object);
    },
    patch: (patch: Json) =>
      operations.write(contextOf(administrator), target, {
        content: { kind: "merge", patch },
        authorizeCreate: () => undefined,
      }),
    get: () => operations.get(target),
    sets: () => operations.list({ definition: sets, namespace: "shop" }).items,
    report: (set: KubeObject, status: JsonObject) =>
      operations.update(
        contextOf(administrator),
        { definition: sets, namespace: "shop", name: set.metadata.name, subresource: "status" },
        { ...set, status },
      ),
    /** The controller does nothing until the function is called that this returns. */
    hold: () => {
      const releases = scope.queues.map((queue) => queue.hold());
      return () => {
        for (const release of releases) release();
      };
    },
    settle: async () => {
      for (let before = -1; before !== operations.revision();) {
        before = operations.revision();
        await Promise.all(scope.queues.map((queue) => queue.whenIdle()));
      }
    },
  };
}

const imageOf = (set: KubeObject): string =>
  textAt(objectsAt(set, "spec", "template", "spec", "containers")[0], "image") ?? "";

function statusIn({ run, fail }: Step, set: KubeObject): JsonObject | undefined {
  const counts = run?.[imageOf(set)];
  if (counts !== undefined) {
    const [replicas, readyReplicas, availableReplicas] = counts;
    const observedGeneration = set.metadata.generation ?? 0;
    return { replicas, readyReplicas, availableReplicas, fullyLabeledReplicas: replicas, observedGeneration };
  }
  if (fail !== imageOf(set)) return undefined;
  const lastTransitionTime = "2020-01-01T00:00:00Z";
  const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "no", lastTransitionTime };
  return { ...objectAt(set, "status"), conditions: [failure] };
}

function shownSet(set: KubeObject): JsonObject {
  const annotations = Object.entries(set.metadata.annotations ?? {});
  const minReadySeconds = numberAt(set, "spec", "minReadySeconds") ?? 0;
  return {
    replicas: numberAt(set, "spec", "replicas") ?? 1,
    ...(minReadySeconds === 0 ? {} : { minReadySeconds }),
    ...Object.fromEntries(annotations.map(([key, value]) => [key.replace(prefix, ""), value])),
  };
}

function shownStatus(deployment: KubeObject | undefined): JsonObject {
  const { conditions: _, ...counts } = objectAt(deployment, "status") ?? {};
  const conditions = objectsAt(deployment, "status", "conditions").map((one) => {
    const message = (textAt(one, "message") ?? "").replace(/web-[a-z0-9]+/u, "SET");
    return `${textAt(one, "type")}=${textAt(one, "status")} ${textAt(one, "reason")}: ${message}`;
  });
  return { ...counts, conditions: conditions.sort() };
}

describe("a Deployment whose changes were recorded", () => {
  it.each(scenes)("has the same ReplicaSets and the same status: $name", async ({ steps }) => {
    const hub = await startHub();
    for (const [index, step] of steps.entries()) {
      if (step.create !== undefined) await hub.create(step.create, step.annotations);
      if (step.patch !== undefined) await hub.patch(step.patch);
      const release = hub.hold();
      for (const set of hub.sets()) {
        const status = statusIn(step, set);
        if (status !== undefined) await hub.report(set, status);
      }
      release();
      await hub.settle();
      const deployment = hub.get();
      const revision = deployment?.metadata.annotations?.[`${prefix}revision`] ?? null;
      const sets = Object.fromEntries(hub.sets().map((set) => [imageOf(set), shownSet(set)]));
      expect({ index, sets, revision }).toEqual({ index, sets: step.sets, revision: step.revision });
      if (step.status !== undefined) expect({ index, ...shownStatus(deployment) }).toEqual({ index, ...step.status });
    }
  });
});
