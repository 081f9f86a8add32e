import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { administrator, contextOf, startHubWorld } from "../controllers/hub-world.ts";

const template = { spec: { hostNetwork: true, restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } };
const deployed = {
  ...template,
  metadata: { labels: { app: "a" } },
  spec: { ...template.spec, restartPolicy: "Always" },
};

describe("a kind with a template of Pods", () => {
  it.each<readonly [string, string, JsonObject]>([
    ["apps/v1", "Deployment", { selector: { matchLabels: { app: "a" } }, template: deployed }],
    ["apps/v1", "ReplicaSet", { selector: { matchLabels: { app: "a" } }, template: deployed }],
    ["batch/v1", "Job", { template }],
    ["batch/v1", "CronJob", { schedule: "@daily", jobTemplate: { spec: { template } } }],
  ])(
    "gets a warning and an annotation of the level that its Pods would violate: %s %s",
    async (apiVersion, kind, spec) => {
      const { operations, create } = await startHubWorld();
      const labels = { "pod-security.kubernetes.io/warn": "baseline", "pod-security.kubernetes.io/audit": "baseline" };
      await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "watched", labels } });
      const definition = operations.definitionOfKind(apiVersion, kind);
      if (definition === undefined) throw new Error(`${kind} is not served`);
      const annotations: (readonly [string, string])[] = [];
      const context = {
        ...contextOf(administrator),
        annotate: (key: string, value: string) => void annotations.push([key, value]),
      };
      const object = { apiVersion, kind, metadata: { name: "a", namespace: "watched" }, spec };
      await operations.create(context, { definition, namespace: "watched" }, object);
      const text = 'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)';
      expect(context.warnings).toContain(text);
      expect(annotations).toEqual([["pod-security.kubernetes.io/audit-violations", text]]);
    },
  );
});
