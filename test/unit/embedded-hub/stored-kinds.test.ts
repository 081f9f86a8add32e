import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { objectAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "./controllers/hub-world.ts";
import type { HubWorld } from "./controllers/hub-world.ts";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "none" }] } };

function object(apiVersion: string, kind: string, spec: JsonObject): KubeObject {
  return { apiVersion, kind, metadata: { name: "a", namespace: "shop" }, spec };
}

const kinds: readonly (readonly [string, KubeObject, string])[] = [
  ["jobs", object("batch/v1", "Job", { template }), "runs Jobs"],
  [
    "cronjobs",
    object("batch/v1", "CronJob", { schedule: "* * * * *", jobTemplate: { spec: { template } } }),
    "makes Jobs of CronJobs",
  ],
  [
    "horizontalpodautoscalers",
    object("autoscaling/v2", "HorizontalPodAutoscaler", {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
      maxReplicas: 2,
    }),
    "scales by HorizontalPodAutoscalers",
  ],
];

async function created(world: HubWorld, one: KubeObject) {
  const definition = world.operations.definitionOfKind(one.apiVersion, one.kind);
  if (definition === undefined) throw new Error(`${one.kind} is not served`);
  const context = contextOf(administrator);
  const target = { definition, namespace: "shop", name: "a" };
  const live = await world.operations.create(context, target, one);
  return { context, target, live };
}

describe("a kind that is stored only", () => {
  it.each(kinds)("%s: each write is answered with a warning, its status is not", async (_plural, one, does) => {
    const world = await startHubWorld();
    const { context, target, live } = await created(world, one);
    const warning = `${one.kind} "a" is stored and has no effect: this hub has no controller that ${does}`;
    expect(context.warnings).toEqual([warning]);
    await world.operations.update(context, target, { ...live, metadata: { ...live.metadata, labels: { a: "b" } } });
    expect(context.warnings).toEqual([warning, warning]);
    const status = contextOf(administrator);
    await world.operations.patch(
      status,
      { ...target, subresource: "status" },
      { kind: "merge", patch: { status: {} } },
    );
    expect(status.warnings).toEqual([]);
    await world.settle();
    expect(world.list("pods")).toEqual([]);
  });

  it.each([
    { reason: "neither has labels", ofTemplate: undefined, expected: {} },
    { reason: "its template has some", ofTemplate: { x: "y" }, expected: { x: "y" } },
  ])("a Job has the labels of its Pods where $reason", async ({ ofTemplate, expected }) => {
    const world = await startHubWorld();
    const labelled = ofTemplate === undefined ? template : { ...template, metadata: { labels: ofTemplate } };
    const { live } = await created(world, object("batch/v1", "Job", { template: labelled }));
    const { uid = "" } = live.metadata;
    expect(live.metadata.labels).toEqual({
      ...expected,
      "batch.kubernetes.io/controller-uid": uid,
      "batch.kubernetes.io/job-name": "a",
      "controller-uid": uid,
      "job-name": "a",
    });
  });

  it("a Job keeps labels of its own", async () => {
    const world = await startHubWorld();
    const job = object("batch/v1", "Job", { template });
    const { live } = await created(world, { ...job, metadata: { ...job.metadata, labels: { own: "1" } } });
    expect(live.metadata.labels).toEqual({ own: "1" });
  });

  it("a Job selects Pods by its own uid, and keeps its template", async () => {
    const world = await startHubWorld();
    const { target, live } = await created(world, object("batch/v1", "Job", { template }));
    const { uid = "" } = live.metadata;
    expect(objectAt(live, "spec", "selector")).toEqual({ matchLabels: { "batch.kubernetes.io/controller-uid": uid } });
    expect(objectAt(live, "spec", "template", "metadata", "labels")).toEqual({
      "batch.kubernetes.io/controller-uid": uid,
      "batch.kubernetes.io/job-name": "a",
      "controller-uid": uid,
      "job-name": "a",
    });
    const other = { ...objectAt(live, "spec"), completionMode: "Indexed" };
    const refusal = await refusalOf(
      world.operations.update(contextOf(administrator), target, { ...live, spec: other }),
    );
    expect(refusal).toContain('spec.completionMode: Invalid value: "Indexed": field is immutable');
    const context = contextOf(administrator);
    await world.operations.delete(context, target, {});
    expect(context.warnings).toEqual([expect.stringContaining("child pods are preserved by default")]);
  });
});
