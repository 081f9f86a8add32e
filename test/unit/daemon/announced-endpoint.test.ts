import type { KeyObject } from "node:crypto";
import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { announcedEndpoint } from "../../../src/daemon/announced-endpoint.ts";
import type { HubIdentity } from "../../../src/hub/trust-key.ts";
import { keyDigest } from "../../../src/join/rollcall/messages.ts";
import { signHubInfo } from "../../../src/join/rollcall/signed-hub-info.ts";
import type { Signed } from "../../../src/model/generated/signed.ts";
import type { KeySuccession } from "../../../src/model/member.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

interface TrustKeyPair {
  readonly spki: string;
  readonly key: KeyObject;
}

function makeKey(): TrustKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { spki: publicKey.export({ type: "spki", format: "der" }).toString("base64"), key: privateKey };
}

const [first, second] = [makeKey(), makeKey()];
const hubId = keyDigest(first.spki);
const validFrom = "2026-01-01T00:00:00Z";

function identity({ spki, key }: TrustKeyPair, succession?: KeySuccession): HubIdentity {
  const signBytes = (payload: Uint8Array): Uint8Array => sign(null, payload, key);
  const trust = { publicKey: spki, epoch: 1, validFrom, sign: signBytes };
  return { hubId, trust: succession === undefined ? trust : { ...trust, succession } };
}

function infoAt(url: string, { spki, key }: TrustKeyPair, succession?: KeySuccession): Signed {
  const info = { hubId, trustKey: spki, endpoints: [{ url, caBundle: "" }], validFrom, epoch: 1 };
  return signHubInfo(succession === undefined ? info : { ...info, succession }, (payload) => sign(null, payload, key));
}

/** A hub with this public info, and with reports that hold these. */
function hubWith(published: Partial<Signed> | undefined, ...reported: readonly Signed[]) {
  const metadata = { name: "hub-info", namespace: "rollcall-public" };
  const data = { signed: JSON.stringify(published) };
  const object: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  const items = reported.map((hubInfo, index): KubeObject => {
    const name = `c${index}`;
    return { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterReport", metadata: { name }, status: { hubInfo } };
  });
  return {
    get: () => Promise.resolve(published === undefined ? undefined : object),
    list: () => Promise.resolve({ items, resourceVersion: "1" }),
  };
}

const { signal } = new AbortController();
const here = "https://hub.example.com";
const elsewhere = "https://elsewhere.example.com";

describe("announcedEndpoint", () => {
  it("is that of the public info, whatever reports contain", async () => {
    const hub = hubWith(infoAt(here, first), infoAt(elsewhere, first));
    expect(await announcedEndpoint(hub, identity(first), signal)).toEqual({ url: here, caBundle: "" });
  });

  it("is that of a public info from before the trust key was replaced", async () => {
    const replaced = identity(second, { number: 2, replacements: [] });
    expect((await announcedEndpoint(hubWith(infoAt(here, first)), replaced, signal))?.url).toBe(here);
  });

  it("is that of a report of a replaced trust key that has the number of the present one", async () => {
    const succession = { number: 2, replacements: [] };
    const hub = hubWith(undefined, infoAt(here, second, succession));
    expect((await announcedEndpoint(hub, identity(second, succession), signal))?.url).toBe(here);
    expect(await announcedEndpoint(hub, identity(second, { ...succession, number: 3 }), signal)).toBeUndefined();
  });

  it.each([{}, { payload: infoAt(elsewhere, first).payload }, { signature: infoAt(elsewhere, first).signature }])(
    "is that of a report where the public info lacks a part: %#",
    async (published) => {
      const hub = hubWith(published, infoAt(here, first));
      expect((await announcedEndpoint(hub, identity(first), signal))?.url).toBe(here);
    },
  );

  it("is that of a report where nothing is public", async () => {
    expect((await announcedEndpoint(hubWith(undefined, infoAt(here, first)), identity(first), signal))?.url).toBe(here);
  });

  it.each([undefined, 2, 7])(
    "A2 is not that of a report which the key of its writer signed, as number %s",
    async (number) => {
      const succession = number === undefined ? undefined : { number, replacements: [] };
      const forged = infoAt(elsewhere, second, succession);
      expect(await announcedEndpoint(hubWith(undefined, forged), identity(first), signal)).toBeUndefined();
      const both = hubWith(undefined, forged, infoAt(here, first));
      expect((await announcedEndpoint(both, identity(first), signal))?.url).toBe(here);
    },
  );
});
