import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const annotation = "kubernetes.io/enforce-mountable-secrets";
const main: JsonObject = { name: "main", image: "shop:1" };
const envOf = (secret: string): JsonObject => ({
  env: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: secret, key: "k" } } }],
});
const envFrom = (secret: string): JsonObject => ({ envFrom: [{ secretRef: { name: secret } }] });

function pod(name: string, spec: JsonObject): KubeObject {
  const all = { serviceAccountName: "strict", automountServiceAccountToken: false, containers: [main], ...spec };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop" }, spec: all };
}

function account(value: string): KubeObject {
  const metadata = { name: "strict", namespace: "shop", annotations: { [annotation]: value } };
  const named = { secrets: [{ name: "own" }], imagePullSecrets: [{ name: "registry" }] };
  return { apiVersion: "v1", kind: "ServiceAccount", metadata, ...named };
}

const because = "is not allowed because service account strict does not reference that secret";

describe("a Pod of an account that enforces mountable Secrets", () => {
  let world: HubWorld;
  beforeEach(async () => {
    world = await startHubWorld();
  });

  it("is refused with a Secret that the account does not name, wherever it names it", async () => {
    await world.create(account("true"));
    const refusal = async (spec: JsonObject) => refusalOf(world.create(pod("p", spec)));
    const named = 'pods "p" is forbidden: ';
    expect(await refusal({ volumes: [{ name: "v", secret: { secretName: "other" } }] })).toBe(
      `${named}volume with secret.secretName="other" ${because}`,
    );
    expect(await refusal({ initContainers: [{ ...main, name: "init", ...envOf("other") }] })).toBe(
      `${named}init container init with envVar PASSWORD referencing secret.secretName="other" ${because}`,
    );
    expect(await refusal({ containers: [{ ...main, ...envFrom("other") }] })).toBe(
      `${named}container main with envFrom referencing secret.secretName="other" ${because}`,
    );
    expect(await refusal({ imagePullSecrets: [{ name: "registry" }, { name: "other" }] })).toBe(
      `${named}imagePullSecrets[1].name="other" is not allowed because service account strict does not reference that imagePullSecret`,
    );
    const volumes = [{ name: "v", secret: { secretName: "own" } }];
    const containers = [{ ...main, ...envOf("own"), ...envFrom("own") }];
    expect(await refusal({ volumes, containers })).toBeUndefined();
  });

  it("gets no ephemeral container with another Secret", async () => {
    await world.create(account("1"));
    await world.create(pod("p", {}));
    const debug = (secret: string) => (live: KubeObject) => ({
      ...live,
      spec: {
        ...(live["spec"] as JsonObject),
        ephemeralContainers: [{ name: "debug", image: "d", ...envFrom(secret) }],
      },
    });
    const at = { subresource: "ephemeralcontainers" };
    expect(await refusalOf(world.change("pods", "p", debug("other"), at))).toBe(
      `pods "p" is forbidden: ephemeral container debug with envFrom referencing secret.secretName="other" ${because}`,
    );
    expect(await refusalOf(world.change("pods", "p", debug("own"), at))).toBeUndefined();
  });

  it("is not limited when the annotation is not true; who sets it is warned that it is deprecated", async () => {
    const definition = world.operations.definitionOf("", "serviceaccounts");
    if (definition === undefined) throw new Error("ServiceAccounts are not served");
    const context = contextOf(administrator);
    await world.operations.create(context, { definition, namespace: "shop" }, account("yes"));
    expect(context.warnings).toEqual([expect.stringContaining(`metadata.annotations[${annotation}]: deprecated`)]);
    const volumes = [{ name: "v", secret: { secretName: "other" } }];
    expect(await refusalOf(world.create(pod("p", { volumes })))).toBeUndefined();
  });
});
