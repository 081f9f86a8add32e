import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { until } from "../../../support/until.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const admission = "admissionregistration.k8s.io/v1";
const integer = { type: "integer" };
const schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { size: integer, breed: { type: "string", default: "any" } } },
    status: { type: "object", properties: { size: integer } },
  },
};

/** A hub with a kind that has its number of replicas in a field of another name, and a policy about its Scale. */
async function startWith(expression: string, objectSelector: object = {}): Promise<HubWorld> {
  const world = await startHubWorld();
  const names = { plural: "herds", singular: "herd", kind: "Herd", listKind: "HerdList" };
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  await world.create({
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "herds.example.org" },
    spec: {
      ...{ group: "example.org", scope: "Namespaced", names },
      versions: [{ ...version, subresources: { status: {}, scale } }],
    },
  });
  await until(
    () => Promise.resolve(world.operations.definitionOf("example.org", "herds")),
    (definition) => definition !== undefined,
  );
  const metadata = { name: "a", namespace: "shop", labels: { team: "blue" } };
  await world.create({ apiVersion: "example.org/v1", kind: "Herd", metadata, spec: { size: 1 } });
  const rule = { apiGroups: ["example.org"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["herds/scale"] };
  await world.create({
    ...{ apiVersion: admission, kind: "ValidatingAdmissionPolicy", metadata: { name: "p" } },
    spec: {
      failurePolicy: "Ignore",
      matchConstraints: { resourceRules: [rule], objectSelector },
      validations: [{ expression, message: "not so many" }],
    },
  });
  await world.create({
    ...{ apiVersion: admission, kind: "ValidatingAdmissionPolicyBinding", metadata: { name: "b" } },
    spec: { policyName: "p", validationActions: ["Deny"] },
  });
  return world;
}

function scaleTo({ operations }: HubWorld, replicas: number): Promise<KubeObject> {
  const definition = operations.definitionOf("example.org", "herds");
  if (definition === undefined) throw new Error("herds are not served");
  const target = { definition, namespace: "shop", name: "a", subresource: "scale" };
  const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a", namespace: "shop" } };
  return operations.update(contextOf(administrator), target, { ...scale, spec: { replicas } });
}

describe("A82 an admission policy about a Scale", () => {
  it("refuses a number, wherever the object has it", async () => {
    const world = await startWith("object.spec.replicas <= 5");
    expect(await refusalOf(scaleTo(world, 6))).toContain("denied request: not so many");
    expect((await scaleTo(world, 5))["spec"]).toEqual({ replicas: 5 });
  });

  it("sees the Scale before and after, and its kind", async () => {
    const world = await startWith(
      "request.kind.group == 'autoscaling' && object.kind == 'Scale' && object.apiVersion == 'autoscaling/v1' && " +
        "oldObject.kind == 'Scale' && oldObject.spec.replicas == 1 && object.spec.replicas == 2",
    );
    expect((await scaleTo(world, 2))["spec"]).toEqual({ replicas: 2 });
    expect(await refusalOf(scaleTo(world, 2))).toContain("denied request");
  });

  it("is not selected by labels, which a Scale has none of", async () => {
    const world = await startWith("false", { matchLabels: { team: "blue" } });
    expect((await scaleTo(world, 2))["spec"]).toEqual({ replicas: 2 });
  });
});

it("brings the defaults of a part that a Scale is the first to write", async () => {
  const world = await startWith("true");
  const definition = world.operations.definitionOf("example.org", "herds");
  if (definition === undefined) throw new Error("herds are not served");
  const target = { definition, namespace: "shop", name: "a" };
  await world.operations.patch(contextOf(administrator), target, { kind: "merge", patch: { spec: null } });
  await scaleTo(world, 2);
  expect(world.operations.get(target)?.["spec"]).toEqual({ size: 2, breed: "any" });
});
