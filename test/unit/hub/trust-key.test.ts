import { generateKeyPairSync, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/digest.ts";
import { AppError } from "../../../src/core/errors.ts";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { ensureTrustKey, readTrustKey, trustKeySecretName } from "../../../src/hub/trust-key.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";

const keyOf = (type: "ed25519" | "x25519"): string => {
  const pair = type === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519");
  return pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString();
};
const pem = keyOf("ed25519");
const encode = (text: string): string => Buffer.from(text).toString("base64");

function open(data?: Readonly<Record<string, string>>) {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "rollcall", name: trustKeySecretName },
    data: Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, encode(value)])),
  };
  const hub = createSimulatedHub(data === undefined ? [] : [secret], () => 0);
  const ensure = (url: string, nowMs: number, hubApi: KubeApi = hub.api) =>
    ensureTrustKey({
      hubApi,
      namespace: "rollcall",
      endpoint: { url, caBundle: "ca" },
      nowMs,
      makeKey: () => pem,
    });
  return { hub, ensure, read: () => readTrustKey({ hubApi: hub.api, namespace: "rollcall" }) };
}

describe("ensureTrustKey", () => {
  it("makes a key once, and signs with it", async () => {
    const { hub, ensure } = open();
    const first = await ensure("https://a", 0);
    const again = await ensure("https://a", 60_000);
    expect(again.hubId).toBe(first.hubId);
    expect(hub.writes.map(({ verb }) => verb)).toEqual(["create", "update"]);
    const publicKey = { key: Buffer.from(first.trust.publicKey, "base64"), format: "der", type: "spki" } as const;
    expect(verify(null, Buffer.from("x"), publicKey, first.trust.sign(Buffer.from("x")))).toBe(true);
  });

  it("moves validFrom when the endpoint changes, and only then", async () => {
    const { ensure } = open();
    const times = [];
    for (const [url, nowMs] of [
      ["https://a", 0],
      ["https://a", 60_000],
      ["https://b", 120_000],
    ] as const)
      // oxfmt-ignore
      times.push((await ensure(url, nowMs)).trust.validFrom);
    expect(times).toEqual(["1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T00:02:00Z"]);
  });

  it("moves validFrom forward when the clock was set back: agents take nothing that is older", async () => {
    const { ensure } = open();
    const ahead = await ensure("https://a", Date.parse("2030-01-01T00:00:00Z"));
    const corrected = await ensure("https://b", Date.parse("2026-01-01T00:00:00Z"));
    expect([ahead, corrected].map(({ trust }) => trust.validFrom)).toEqual([
      "2030-01-01T00:00:00Z",
      "2030-01-01T00:00:01Z",
    ]);
  });

  it("uses the key that another daemon creates at the same time", async () => {
    const { hub, ensure } = open({ key: keyOf("ed25519"), epoch: "4" });
    let reads = 0;
    const late = {
      ...hub.api,
      get: (of: ObjectRef) => (reads++ === 0 ? Promise.resolve(undefined) : hub.api.get(of)),
    };
    expect((await ensure("https://a", 0, late)).trust.epoch).toBe(4);
  });

  it("fails when the Secret is deleted while it is read", async () => {
    const { hub, ensure } = open({ key: pem });
    const gone = { ...hub.api, get: () => Promise.resolve(undefined) };
    await expect(ensure("https://a", 0, gone)).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });

  it.each<{ reason: string; data: Record<string, string>; message: string }>([
    { reason: "no key", data: {}, message: "restore it from a backup" },
    { reason: "a key that is no PEM", data: { key: "x" }, message: "cannot be read" },
    { reason: "a key of another algorithm", data: { key: keyOf("x25519") }, message: "not an Ed25519 key" },
  ])("refuses a Secret with $reason", async ({ data, message }) => {
    await expect(open(data).ensure("https://a", 0)).rejects.toThrow(message);
  });

  const hubId = `sha256:${"0".repeat(64)}`;
  it.each<{ reason: string; data: Record<string, string>; message: string }>([
    { reason: "is no JSON", data: { hubId, succession: "{" }, message: '"succession" cannot be read' },
    { reason: "has no number", data: { hubId, succession: '{"replacements":[]}' }, message: '"succession"' },
    { reason: "has the first number", data: { hubId, succession: '{"number":1,"replacements":[]}' }, message: '"succ' },
    { reason: "has a part of one", data: { hubId, succession: '{"number":2.5,"replacements":[]}' }, message: '"succ' },
    { reason: "has no list", data: { hubId, succession: '{"number":2}' }, message: '"succession"' },
    {
      reason: "has a statement without signature",
      data: { hubId, succession: '{"number":2,"replacements":[{"payload":"eA=="}]}' },
      message: '"succession"',
    },
    { reason: "is without the hub's id", data: { succession: '{"number":2,"replacements":[]}' }, message: '"hubId"' },
  ])("refuses a replaced key whose succession $reason", async ({ data, message }) => {
    await expect(open({ key: pem, ...data }).ensure("https://a", 0)).rejects.toThrow(message);
  });
});

describe("ensureTrustKey, of a hub whose key was replaced", () => {
  const hubId = `sha256:${"0".repeat(64)}`;
  const replacements = [{ payload: "cGF5bG9hZA==", signature: "c2lnbmF0dXJl" }];
  const data = { key: pem, epoch: "3", hubId, succession: JSON.stringify({ number: 2, replacements }) };

  it("keeps the id of the hub, and sends agents how the key came after the first one", async () => {
    const { ensure, read } = open(data);
    const expected = { hubId, trust: { epoch: 3, succession: { number: 2, replacements } } };
    expect(await ensure("https://a", 0)).toMatchObject(expected);
    expect(await read()).toMatchObject(expected);
  });

  it("has no succession of a first key, and its id is the digest of the public half", async () => {
    const { hubId: ownId, trust } = await open({ key: pem }).ensure("https://a", 0);
    expect("succession" in trust).toBe(false);
    expect(ownId).toBe(`sha256:${sha256Hex(Buffer.from(trust.publicKey, "base64"))}`);
    expect(trust.epoch).toBe(1);
  });
});

describe("ensureTrustKey, request by request", () => {
  const { signal } = new AbortController();

  /** What a daemon that starts asks of an API server. */
  async function start(
    secret: KubeObject | undefined,
    { caBundle = "ca", refusal }: { caBundle?: string; refusal?: Error } = {},
  ) {
    const asked: unknown[] = [];
    let keys = 0;
    let held = secret;
    const hubApi: Partial<KubeApi> = {
      get: (_ref, options) => {
        asked.push({ verb: "get", ...options });
        return Promise.resolve(held);
      },
      create: (object, options) => {
        asked.push({ verb: "create", type: object["type"], ...options });
        if (refusal !== undefined) return Promise.reject(refusal);
        held = object;
        return Promise.resolve(object);
      },
      mergePatch: (_ref, patch, options) => {
        asked.push({ verb: "patch", keys: Object.keys(patch["data"] as object), ...options });
        const { data = {} } = (held ?? {}) as { data?: object };
        held = { ...held, data: { ...data, ...(patch["data"] as object) } } as KubeObject;
        return Promise.resolve(held);
      },
    };
    const makeKey = (): string => {
      keys += 1;
      return pem;
    };
    const endpoint = { url: "https://a", caBundle };
    const options = { hubApi: hubApi as KubeApi, namespace: "rollcall", endpoint, nowMs: 0, makeKey, signal };
    const error = await ensureTrustKey(options).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { asked, keys, secret: held, error };
  }

  it("ends each of its requests with the daemon, and writes as the hub", async () => {
    const { asked, keys } = await start(undefined);
    const fieldManager = "rollcall-hub";
    expect(asked).toEqual([
      { verb: "get", signal },
      { verb: "create", type: "Opaque", fieldManager, signal },
      { verb: "patch", keys: ["endpoint", "validFrom"], fieldManager, signal },
    ]);
    expect(keys).toBe(1);
  });

  it("makes no key and writes nothing where all is as it was, and announces another CA", async () => {
    const { secret } = await start(undefined);
    expect(await start(secret)).toMatchObject({ asked: [{ verb: "get" }], keys: 0 });
    expect(await start(secret, { caBundle: "other" })).toMatchObject({
      asked: [{ verb: "get" }, { verb: "patch" }],
      keys: 0,
    });
  });

  it("fails where the key cannot be made, and takes one that another daemon made", async () => {
    const refused = new AppError("E_KUBE_FORBIDDEN", "create");
    expect((await start(undefined, { refusal: refused })).error).toBe(refused);
    const { asked, error } = await start(undefined, { refusal: new AppError("E_KUBE_EXISTS", "create") });
    expect(asked).toMatchObject([{ verb: "get" }, { verb: "create" }, { verb: "get" }]);
    expect(error).toMatchObject({ code: "E_KUBE_NOT_FOUND" });
  });
});

describe("readTrustKey", () => {
  it("reads what was announced, and writes nothing", async () => {
    const { ensure, read, hub } = open();
    expect(await read()).toBeUndefined();
    expect(hub.writes).toEqual([]);
    const { hubId } = await ensure("https://a", 0);
    expect(await read()).toMatchObject({ hubId, trust: { epoch: 1, validFrom: "1970-01-01T00:00:00Z" } });
    expect(await open({ key: pem }).read()).toBeUndefined();
  });
});
