import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { clusternetHubObjects } from "../../../../src/model/dialects/clusternet-hub-objects.ts";
import { contextOf, refusalOf, startHubWorld } from "../../embedded-hub/controllers/hub-world.ts";

const budgets = [
  { apiGroups: ["policy"], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["poddisruptionbudgets"] },
];

/** The policy of ManagedClusters and its binding, for a kind that needs no definition. */
const policies = clusternetHubObjects
  .filter(({ apiVersion, metadata }) => apiVersion.includes("admission") && metadata.name.endsWith("-clusters"))
  .map((object): KubeObject => {
    if (object.kind !== "ValidatingAdmissionPolicy") return object;
    const spec = object["spec"] as object;
    return { ...object, spec: { ...spec, matchConstraints: { resourceRules: budgets } } };
  });

const owned = { "rollcall.dev/cluster": "eu-1", env: "dev" };

/** Whether an agent may give its object these labels instead of those before. */
async function mayLabel(labels: Record<string, string>, before: Record<string, string> = owned): Promise<boolean> {
  const { create, get, operations, settle } = await startHubWorld();
  for (const object of policies) await create(object);
  const metadata = { name: "eu-1", namespace: "shop" };
  const budget: KubeObject = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata,
    spec: { minAvailable: 1 },
  };
  await create({ ...budget, metadata: { ...metadata, labels: before } });
  await settle();
  const made = get("poddisruptionbudgets", "eu-1") ?? budget;
  const definition = operations.definitionOfKind("policy/v1", "PodDisruptionBudget");
  if (definition === undefined) throw new Error("PodDisruptionBudgets are not served");
  const agent = { username: "system:serviceaccount:shop:clusternet-agent.an-id", groups: ["system:serviceaccounts"] };
  const changed = { ...made, metadata: { ...made.metadata, labels } };
  const refusal = await refusalOf(
    operations.update(contextOf(agent), { definition, namespace: "shop", name: "eu-1" }, changed),
  );
  if (refusal !== undefined) expect(refusal).toContain("are not the agent's to change");
  return refusal === undefined;
}

describe("the policy of ManagedClusters", () => {
  const zone = { "node.clusternet.io/zone": "a" };

  it("lets an agent set and take away the labels of its nodes", async () => {
    expect(await mayLabel({ ...owned, ...zone })).toBe(true);
    expect(await mayLabel(owned, { ...owned, ...zone })).toBe(true);
    expect(await mayLabel(zone, {})).toBe(true);
    expect(await mayLabel({}, zone)).toBe(true);
  });

  it.each([
    ["one of the hub", { ...owned, "rollcall.dev/cluster": "eu-2" }],
    ["one of the file", { ...owned, env: "prod" }],
    ["a new one", { ...owned, tier: "gold" }],
    ["one less", { "rollcall.dev/cluster": "eu-1" }],
    ["none", {}],
  ])("A2: refuses other labels: %s", async (_name, labels) => {
    expect(await mayLabel(labels)).toBe(false);
  });
});
