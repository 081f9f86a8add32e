import { describe, expect, it } from "vitest";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { ensureTrustKey, readTrustKey, trustKeySecretName } from "../../../src/hub/trust-key.ts";
import { mostReplacements, isTrusted, predecessorsOf } from "../../../src/join/rollcall/trust-chain.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { replaceTrustKey } from "../../../src/recovery/replace-trust-key.ts";
import { startInstalledHub } from "../../support/installed-hub.ts";
import { makeTrustKey } from "../../support/trust-key.ts";

const namespace = "rollcall";
const endpoint = { url: "https://hub", caBundle: "ca" };
const { signal } = new AbortController();

async function openHub(hubApi: KubeApi = createSimulatedHub(crds, () => 0).api) {
  const first = await ensureTrustKey({ hubApi, namespace, endpoint, nowMs: 0, makeKey: makeTrustKey });
  const replace = (isOldRevoked = false) =>
    replaceTrustKey({ hubApi, namespace, nowMs: 0, makeKey: makeTrustKey, isOldRevoked, signal });
  const read = async () => {
    const identity = await readTrustKey({ hubApi, namespace });
    if (identity === undefined) throw new Error("no trust key");
    return identity;
  };
  return { hubApi, first, replace, read };
}

function failAtSecret(hubApi: KubeApi): KubeApi["mergePatch"] {
  return (ref, ...rest) =>
    ref.type === resourceTypes.secret ? Promise.reject(new Error("killed")) : hubApi.mergePatch(ref, ...rest);
}

describe("replaceTrustKey", () => {
  it("keeps the hub's id, and leads from its first key to the new one", async () => {
    const { first, replace, read } = await openHub();
    await replace();
    expect(await replace()).toMatchObject({ number: 3 });
    const { hubId, trust } = await read();
    expect(hubId).toBe(first.hubId);
    expect(trust.publicKey).not.toBe(first.trust.publicKey);
    expect(isTrusted({ hubId }, trust.publicKey, trust.succession ?? { number: 1, replacements: [] })).toBe(true);
    expect(Date.parse(trust.validFrom)).toBeGreaterThan(Date.parse(first.trust.validFrom));
  });

  it("leads nowhere from a key that was revoked", async () => {
    const { replace, read } = await openHub();
    await replace();
    const { trust: stolen } = await read();
    await replace(true);
    const { trust } = await read();
    expect(trust.succession).toEqual({ number: 3, replacements: [] });
    expect(trust.publicKey).not.toBe(stolen.publicKey);
  });

  it("announces a bounded number of replacements", async () => {
    const { replace, read } = await openHub();
    for (let count = 0; count < mostReplacements + 2; count++) await replace();
    expect((await read()).trust.succession).toMatchObject({ number: mostReplacements + 3 });
    const { hubId, trust } = await read();
    const { replacements } = trust.succession ?? { replacements: [] };
    expect(replacements).toHaveLength(mostReplacements);
    // The newest ones: they lead to the present key.
    expect(predecessorsOf({ hubId, trustKey: trust.publicKey }, { replacements })).toHaveLength(mostReplacements);
  });

  it("replaces no key that another run made meanwhile: what that one signed would lead nowhere", async () => {
    const hub = await startInstalledHub(namespace);
    try {
      const { hubApi, replace, read } = await openHub(hub.api);
      const racing: KubeApi["mergePatch"] = async (ref, ...rest) => {
        if (ref.type === resourceTypes.secret) await replace();
        return hubApi.mergePatch(ref, ...rest);
      };
      const options = { namespace, nowMs: 0, makeKey: makeTrustKey, isOldRevoked: false, signal };
      const refused = replaceTrustKey({ ...options, hubApi: { ...hubApi, mergePatch: racing } });
      await expect(refused).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
      expect((await read()).trust.succession).toMatchObject({ number: 2 });
    } finally {
      await hub.stop();
    }
  });

  it("has an older program refuse the hub", async () => {
    const { hubApi, replace } = await openHub();
    await replace();
    const ref = { type: resourceTypes.customResourceDefinition, name: "clusters.rollcall.dev" };
    expect((await hubApi.get(ref))?.metadata.annotations).toMatchObject({ "rollcall.dev/data-format": "2" });
  });

  it("has an older program refuse the hub also when it is killed before it writes the key", async () => {
    const { hubApi, first, read } = await openHub();
    const ending = { ...hubApi, mergePatch: failAtSecret(hubApi) };
    const options = { namespace, nowMs: 0, makeKey: makeTrustKey, isOldRevoked: false, signal };
    await expect(replaceTrustKey({ ...options, hubApi: ending })).rejects.toThrow("killed");
    const ref = { type: resourceTypes.customResourceDefinition, name: "clusters.rollcall.dev" };
    expect((await hubApi.get(ref))?.metadata.annotations).toMatchObject({ "rollcall.dev/data-format": "2" });
    expect((await read()).trust.publicKey).toBe(first.trust.publicKey);
  });

  it.each([
    ["without a key", undefined],
    ["with the key of a backup, which no daemon has announced yet", makeTrustKey()],
  ])("refuses a hub %s", async (_reason, key) => {
    const { api: hubApi } = createSimulatedHub(crds, () => 0);
    const metadata = { name: trustKeySecretName, namespace };
    const data = { key: Buffer.from(key ?? "").toString("base64") };
    if (key !== undefined)
      await hubApi.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "kubectl" });
    const options = { hubApi, namespace, nowMs: 0, makeKey: makeTrustKey, isOldRevoked: false, signal };
    await expect(replaceTrustKey(options)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });
});
