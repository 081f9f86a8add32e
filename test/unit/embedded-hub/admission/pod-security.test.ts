import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const template = { spec: { hostNetwork: true, restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } };
const deployed = {
  ...template,
  metadata: { labels: { app: "a" } },
  spec: { ...template.spec, restartPolicy: "Always" },
};

describe("a kind with a template of Pods", () => {
  it.each<readonly [string, string, JsonObject]>([
    ["v1", "ReplicationController", { selector: { app: "a" }, template: deployed }],
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

describe("a change of the labels of a namespace", () => {
  const prefix = "pod-security.kubernetes.io/";
  type Labels = Readonly<Record<string, string>>;
  const labelsOf = (levels: Labels): Labels =>
    Object.fromEntries(Object.entries(levels).map(([mode, level]) => [`${prefix}${mode}`, level]));
  const podOf = (name: string, spec: JsonObject = {}): KubeObject => ({
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name, namespace: "watched" },
    spec: { containers: [{ name: "a", image: "a" }], ...spec },
  });
  /** A namespace with Pods whose labels were `before`: its warnings and its refusal when they are `after`. */
  const change = async (before: Labels, after: Labels, pods: readonly KubeObject[] = []) => {
    const { operations, create } = await startHubWorld();
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "watched", labels: labelsOf(before) } };
    const { metadata, ...rest } = await create(object);
    for (const pod of pods) await create(pod);
    const definition = operations.definitionOf("", "namespaces");
    if (definition === undefined) throw new Error("Namespaces are not served");
    const context = contextOf(administrator);
    const changed = { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, ...labelsOf(after) } } };
    const refusal = await refusalOf(operations.update(context, { definition, name: "watched" }, changed));
    return { warnings: context.warnings, refusal };
  };

  it("is refused where it makes a label wrong", async () => {
    const { refusal } = await change({}, { enforce: "strict" });
    expect(refusal).toContain("metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value");
  });

  it("warns of the Pods that are there by what they violate, in order, where the level becomes stricter", async () => {
    const open = { hostNetwork: true };
    const privileged = { name: "a", image: "a", securityContext: { privileged: true } };
    const pods = [
      podOf("c", open),
      podOf("b", { containers: [privileged] }),
      podOf("d", open),
      podOf("a", open),
      podOf("fine"),
    ];
    expect((await change({}, { enforce: "baseline" }, pods)).warnings).toEqual([
      'existing pods in namespace "watched" violate the new PodSecurity enforce level "baseline:latest"',
      "a (and 2 other pods): host namespaces",
      "b: privileged",
    ]);
  });

  it.each<readonly [string, Labels, Labels]>([
    ["less strict", { enforce: "restricted" }, { enforce: "privileged" }],
    ["the same", { enforce: "baseline" }, { enforce: "baseline" }],
    ["another one of warnings", {}, { warn: "baseline" }],
  ])("warns of none where the level is %s", async (_what, before, after) => {
    expect((await change(before, after)).warnings).toEqual([]);
  });
});

it("names the enforced level in the audit event, and no version where nothing is evaluated", async () => {
  const { operations, create } = await startHubWorld();
  const definition = operations.definitionOf("", "pods");
  if (definition === undefined) throw new Error("Pods are not served");
  const recorded = async (name: string, labels: Readonly<Record<string, string>>) => {
    await create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
    await create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: name } });
    const annotations: Record<string, string> = {};
    const annotate = (key: string, value: string): void => void Object.assign(annotations, { [key]: value });
    const spec = { serviceAccountName: "robot", containers: [{ name: "a", image: "a" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: name }, spec };
    await operations.create({ ...contextOf(administrator), annotate }, { definition, namespace: name }, pod);
    return annotations["pod-security.kubernetes.io/enforce-policy"];
  };
  const version = { "pod-security.kubernetes.io/enforce-version": "v1.24" };
  expect(await recorded("open", version)).toBe("privileged:latest");
  expect(await recorded("audited", { ...version, "pod-security.kubernetes.io/audit": "baseline" })).toBe(
    "privileged:v1.24",
  );
  expect(await recorded("held", { ...version, "pod-security.kubernetes.io/enforce": "baseline" })).toBe(
    "baseline:v1.24",
  );
});
