import { expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { withPodWarnings, withTemplateWarnings } from "../../../../src/embedded-hub/resources/warn-of-pods.ts";

const odd = { terminationGracePeriodSeconds: -1 };
const text = "must be >= 0; negative values are invalid and will be treated as 1";
function context(subresource?: string) {
  const now = "2026-01-01T00:00:00Z";
  const user = { username: "a", groups: [] };
  return { now, user, warnings: [] as string[], ...(subresource === undefined ? {} : { subresource }) };
}

function object(kind: string, spec: object, name = "a"): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name }, spec };
}

it("warns of a new Pod, and not of one that changes", () => {
  const validate = withPodWarnings(() => []);
  const [created, changed] = [context(), context()];
  const pod = object("Pod", odd, "a.b");
  validate(pod, undefined, created);
  validate(pod, pod, changed);
  expect(created.warnings).toEqual([
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    `spec.terminationGracePeriodSeconds: ${text}`,
  ]);
  expect(changed.warnings).toEqual([]);
});

it("warns of a template whose object has another generation", () => {
  const validate = withTemplateWarnings(() => [], "spec.template");
  const deployment = object("Deployment", { template: { spec: odd } });
  const ofGeneration = (generation: number): KubeObject => ({ ...deployment, metadata: { name: "a", generation } });
  const contexts = [context(), context()] as const;
  validate(ofGeneration(2), ofGeneration(1), contexts[0]);
  validate(ofGeneration(2), ofGeneration(2), contexts[1]);
  expect(contexts.map(({ warnings }) => warnings.length)).toEqual([1, 0]);
});

it("warns of a template that is new or changed, and not of its status or of what is refused", () => {
  const validate = withTemplateWarnings(() => [], "spec.template");
  const refuse = withTemplateWarnings(
    () => [{ field: "a", reason: "FieldValueInvalid", message: "b" }],
    "spec.template",
  );
  const set = object("ReplicaSet", { template: { spec: odd } });
  const other = object("ReplicaSet", { template: { spec: {} } });
  const contexts = [context(), context(), context(), context("status"), context()];
  const [created, changed, same, status, refused] = contexts;
  if (!created || !changed || !same || !status || !refused) throw new Error("a context is missing");
  validate(set, undefined, created);
  validate(set, other, changed);
  validate(set, set, same);
  validate(set, other, status);
  refuse(set, undefined, refused);
  const warning = `spec.template.spec.terminationGracePeriodSeconds: ${text}`;
  expect(contexts.map(({ warnings }) => warnings)).toEqual([[warning], [warning], [], [], []]);
});
