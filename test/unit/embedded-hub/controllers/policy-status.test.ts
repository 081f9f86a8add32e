import { expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { startHubWorld } from "./hub-world.ts";
import { statusOf } from "./workloads.ts";

const group = "validatingadmissionpolicies";

function policy(name: string, expression: string): KubeObject {
  const resourceRules = [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments"] }];
  return {
    ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy", metadata: { name } },
    spec: { matchConstraints: { resourceRules }, validations: [{ expression }] },
  };
}

it("a policy has what is wrong with the types of its expressions in its status, for each generation once", async () => {
  const world = await startHubWorld();
  await world.create(policy("sound", "object.spec.replicas < 5"));
  await world.create(policy("wrong", "object.spec.replicas < 'five'"));
  await world.settle();
  expect(statusOf(world.get(group, "sound"))).toEqual({ observedGeneration: 1, typeChecking: {} });
  expect(statusOf(world.get(group, "wrong"))).toMatchObject({
    observedGeneration: 1,
    typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression" }] },
  });
  const before = world.operations.revision();
  await world.change(group, "wrong", (one) => ({ ...one, metadata: { ...one.metadata, labels: { a: "b" } } }));
  await world.settle();
  expect(world.operations.revision()).toBe(before + 1);
  await world.change(group, "wrong", (one) => ({
    ...policy("wrong", "object.spec.replicas < 7"),
    metadata: one.metadata,
  }));
  await world.settle();
  expect(statusOf(world.get(group, "wrong"))).toEqual({ observedGeneration: 2 });
  await world.remove(group, "wrong");
  await world.settle();
  expect(world.get(group, "wrong")).toBeUndefined();
});
