import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const group = "admissionregistration.k8s.io/v1";
const subresources = ["serviceaccounts/token", "pods/binding", "bindings", "pods/eviction"];

/** A hub with a Pod, an account, and a policy about what is posted to them. */
async function startWith(validation: JsonObject): Promise<HubWorld> {
  const world = await startHubWorld();
  await world.create({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "shop" } },
    spec: { containers: [{ name: "main", image: "none" }] },
  });
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: subresources };
  await world.create({
    ...{ apiVersion: group, kind: "ValidatingAdmissionPolicy", metadata: { name: "p" } },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [validation] },
  });
  await world.create({
    ...{ apiVersion: group, kind: "ValidatingAdmissionPolicyBinding", metadata: { name: "b" } },
    spec: { policyName: "p", validationActions: ["Deny"] },
  });
  return world;
}

const posts = [
  {
    to: "serviceaccounts/token",
    name: "default",
    object: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
  },
  { to: "pods/binding", name: "a", object: { apiVersion: "v1", kind: "Binding", target: { name: "n" } } },
  { to: "bindings", name: "a", object: { apiVersion: "v1", kind: "Binding", target: { name: "n" } } },
  { to: "pods/eviction", name: "a", object: { apiVersion: "policy/v1", kind: "Eviction" } },
] as const;

function post({ operations }: HubWorld, { to, name, object }: (typeof posts)[number]): Promise<unknown> {
  const [plural = "", subresource] = to.split("/");
  const definition = operations.definitionOf("", plural);
  if (definition === undefined) throw new Error(`${plural} are not served`);
  const target = { definition, namespace: "shop", ...(subresource === undefined ? {} : { name, subresource }) };
  return operations.create(contextOf(administrator), target, { ...object, metadata: { name } });
}

describe("A82 an admission policy", () => {
  it.each(posts)("refuses what is posted to $to", async (what) => {
    const world = await startWith({ expression: "request.operation != 'CREATE'", message: "not here" });
    expect(await refusalOf(post(world, what))).toContain("denied request: not here");
    expect(world.get("pods", "a")).toMatchObject({ spec: expect.not.objectContaining({ nodeName: "n" }) as object });
  });

  it.each(posts)("sees once, with its own kind, what is posted to $to", async (what) => {
    const expression = `request.kind.kind == '${what.object.kind}' && object.kind == request.kind.kind`;
    const world = await startWith({ expression });
    expect(await refusalOf(post(world, what))).toBeUndefined();
  });
});
