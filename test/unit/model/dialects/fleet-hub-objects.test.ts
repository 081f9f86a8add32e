import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { tokenAccountName } from "../../../../src/model/dialects/fleet.ts";
import { fleetHubObjects } from "../../../../src/model/dialects/fleet-hub-objects.ts";
import { configMap, refusalOf, startHubWorld } from "../../embedded-hub/controllers/hub-world.ts";

const uid = "0b7c1d2e-3f40-4a5b-8c6d-7e8f90a1b2c3";
const configMaps = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];

/** The policy and its binding, for ConfigMaps: they need no definition. */
const policies = fleetHubObjects
  .filter(({ apiVersion }) => apiVersion.startsWith("admissionregistration.k8s.io/"))
  .map((object): KubeObject => {
    if (object.kind !== "ValidatingAdmissionPolicy") return object;
    const spec = object["spec"] as object;
    return { ...object, spec: { ...spec, matchConstraints: { resourceRules: configMaps } } };
  });

/** Why the account of a token may not make this request; undefined when it may. */
async function refusalOfRequest(account: string, metadata: Partial<KubeObject["metadata"]>) {
  const { create } = await startHubWorld();
  for (const object of policies) await create(object);
  const user = { username: `system:serviceaccount:shop:${account}`, groups: ["system:serviceaccounts"] };
  return refusalOf(create(configMap("asked", metadata), user));
}

/** Whether the account of one token may ask in the name of another. */
async function mayAsk(account: string, tokenName: string): Promise<boolean> {
  const labels = { "fleet.cattle.io/registration-token": tokenName };
  const refusal = await refusalOfRequest(account, { labels });
  if (refusal !== undefined) expect(refusal).toContain("must name the token that is asked by");
  return refusal === undefined;
}

describe("the policy of Fleet's registrations", () => {
  const lengths = [1, 26, 27, 30, 42, 47, 48, 54, 55, 56, 57, 63];

  it.each(lengths)("lets the account of a token of %i characters ask by it", async (length) => {
    const token = "t".repeat(length);
    expect(await mayAsk(tokenAccountName(token, uid), token)).toBe(true);
  });

  it.each([
    ["production-clusters-of-europe", "production-clusters-of-europe-west"],
    ["production-clusters-of-europe", "production-clusters-of-europe-2"],
    ["production-clusters-of-europe", "production-clusters-of-europes"],
    ["production-clusters-of-europe", `production-clusters-of-europe-${"a".repeat(33)}`],
    // 26 characters: what follows in a longer token's account is as long as a dash and a uid.
    ["production-clusters-europe", "production-clusters-europe-west"],
    ["production-clusters-europe", "production-clusters-europe-2-a"],
    ["edge", "edge-2"],
    ["edge", `edge-${"a".repeat(30)}`],
  ])("A72: refuses to ask by %s with the account of %s", async (token, other) => {
    expect(await mayAsk(tokenAccountName(other, uid), token)).toBe(false);
  });

  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid };
  it.each([
    ["finalizers", { finalizers: ["example.com/stay"] }],
    ["owners", { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }],
  ])("A7: refuses a request with %s, which would stay after it was deleted", async (_what, metadata) => {
    const named = { labels: { "fleet.cattle.io/registration-token": "edge" } };
    for (const labels of [named, {}])
      expect(await refusalOfRequest(tokenAccountName("edge", uid), { ...labels, ...metadata })).toContain(
        "a request may have no finalizers and no owners",
      );
  });
});
