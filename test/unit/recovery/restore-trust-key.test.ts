import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { ensureTrustKey, trustKeySecretName } from "../../../src/hub/trust-key.ts";
import { keyDigest } from "../../../src/join/rollcall/messages.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { replaceTrustKey } from "../../../src/recovery/replace-trust-key.ts";
import type { HubKey } from "../../../src/recovery/restore-trust-key.ts";
import { foreignHubKey, isEpoch, publishHubKey, readHubKey } from "../../../src/recovery/restore-trust-key.ts";
import { makeTrustKey } from "../../support/trust-key.ts";

const namespace = "rollcall";
const { signal } = new AbortController();
const ref = { type: resourceTypes.secret, namespace, name: trustKeySecretName };
const encode = (text: string) => Buffer.from(text).toString("base64");
const decodeAll = (secret: KubeObject | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries((secret?.["data"] ?? {}) as Record<string, string>).map(([key, text]) => [
      key,
      Buffer.from(text, "base64").toString(),
    ]),
  );

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "rollcall-trust-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The file of a backup with these entries, or with this text. */
async function backupOf(content: Readonly<Record<string, string>> | string): Promise<string> {
  const path = join(folder, `backup-${Math.abs(JSON.stringify(content).length)}-${Object.keys(content).length}.yaml`);
  const data =
    typeof content === "string"
      ? {}
      : Object.fromEntries(Object.entries(content).map(([key, text]) => [key, encode(text)]));
  await writeFile(path, typeof content === "string" ? content : JSON.stringify({ kind: "Secret", data }));
  return path;
}

const openHub = () => createSimulatedHub(crds, () => 0).api;
const read = (trustKeyFile?: string, hubApi = openHub()) =>
  readHubKey({ hubApi, namespace, signal, ...(trustKeyFile === undefined ? {} : { trustKeyFile }) });

describe("readHubKey", () => {
  it("takes the key of a hub that has one, whatever the backup is", async () => {
    const hubApi = openHub();
    const endpoint = { url: "https://hub", caBundle: "ca" };
    const { hubId, trust } = await ensureTrustKey({ hubApi, namespace, endpoint, nowMs: 0, makeKey: makeTrustKey });
    const key = await read(await backupOf({ key: makeTrustKey() }), hubApi);
    expect(key).toMatchObject({ hubId, publicText: trust.publicKey, epoch: 1, isOnHub: true, earlierKeys: [] });
    expect(key.place).toBe(`Secret/rollcall/${trustKeySecretName}`);
  });

  it("takes the key of the backup for a hub without one, in the epoch that the backup has", async () => {
    const pem = makeTrustKey();
    const file = await backupOf({ key: pem, epoch: "7" });
    const publicText = createPublicKey(createPrivateKey(pem))
      .export({ type: "spki", format: "der" })
      .toString("base64");
    expect(await read(file)).toMatchObject({
      pem,
      publicText,
      hubId: keyDigest(publicText),
      epoch: 7,
      isOnHub: false,
      place: file,
      earlierKeys: [],
    });
  });

  it("has the keys that the present one replaced, newest first", async () => {
    const hubApi = openHub();
    const endpoint = { url: "https://hub", caBundle: "ca" };
    const first = await ensureTrustKey({ hubApi, namespace, endpoint, nowMs: 0, makeKey: makeTrustKey });
    const replace = { hubApi, namespace, nowMs: 0, makeKey: makeTrustKey, isOldRevoked: false, signal };
    await replaceTrustKey(replace);
    const second = await read(undefined, hubApi);
    await replaceTrustKey(replace);
    const third = await read(undefined, hubApi);
    const textOf = (key: HubKey) =>
      key.earlierKeys.map((one) => one.export({ type: "spki", format: "der" }).toString("base64"));
    expect(textOf(third)).toEqual([second.publicText, first.trust.publicKey]);
    expect(third.hubId).toBe(first.hubId);
  });

  const rsa = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
  it.each([
    ["without a key", {}, "has no trust key"],
    ["whose key is none", { key: "PEM" }, "has no trust key"],
    ["with a key of another kind", { key: rsa }, "has no trust key"],
    [
      "of a replaced key without the hub's id",
      { key: makeTrustKey(), succession: '{"number":2,"replacements":[]}' },
      "does not record",
    ],
    ["whose succession is none", { key: makeTrustKey(), hubId: "sha256:1", succession: "{}" }, "does not record"],
    ["of epoch 0", { key: makeTrustKey(), epoch: "0" }, "has no epoch"],
    ["of an epoch that is no number", { key: makeTrustKey(), epoch: "new" }, "has no epoch"],
  ])("refuses a backup %s", async (_, content, message) => {
    await expect(read(await backupOf(content))).rejects.toMatchObject({
      code: "E_HUB_INFO",
      message: expect.stringContaining(message) as string,
      remedy: expect.stringContaining("--trust-key-file") as string,
    });
  });

  it("needs a backup where the hub has no key, and one that is YAML", async () => {
    await expect(read()).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.stringContaining("--trust-key-file") as string,
    });
    await expect(read(await backupOf("a: [b"))).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.stringMatching(/it is not what `rollcall backup` wrote \(line \d+: .+\)$/u) as string,
    });
  });
});

describe("publishHubKey", () => {
  const keyOf = async (more: Partial<HubKey> = {}): Promise<HubKey> => ({
    ...(await read(await backupOf({ key: makeTrustKey() }))),
    ...more,
  });

  it.each([
    { reason: "after the epoch of the branch", recorded: 4, own: 1, isOnHub: false, epoch: 5 },
    { reason: "after that of a newer backup", recorded: 4, own: 7, isOnHub: false, epoch: 8 },
    { reason: "after the epoch of the branch", recorded: 4, own: 4, isOnHub: true, epoch: 5 },
    { reason: "that the hub has already begun, when it was interrupted", recorded: 4, own: 5, isOnHub: true, epoch: 5 },
    { reason: "that the hub began by a restore of a newer backup", recorded: 4, own: 8, isOnHub: true, epoch: 8 },
  ])("begins an epoch $reason: $epoch", async ({ recorded, own, isOnHub, epoch }) => {
    const hubApi = openHub();
    if (isOnHub) {
      const kept = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: trustKeySecretName, namespace },
        data: { key: encode("kept"), epoch: encode("1") },
      };
      await hubApi.create(kept, { fieldManager: "test" });
    }
    const key = await keyOf({ epoch: own, isOnHub });
    expect(await publishHubKey({ hubApi, namespace, signal }, key, recorded)).toBe(epoch);
    const data = decodeAll(await hubApi.get(ref));
    expect(data).toEqual({ key: isOnHub ? "kept" : key.pem, epoch: String(epoch) });
  });

  it("puts a key that replaced others on the hub with how it did, and raises the format of the data before", async () => {
    const hubApi = openHub();
    const key = await keyOf({ succession: '{"number":2,"replacements":[]}', hubId: "sha256:1" });
    await publishHubKey({ hubApi, namespace, signal }, key, 1);
    expect(decodeAll(await hubApi.get(ref))).toMatchObject({ hubId: "sha256:1", succession: key.succession });
    const definition = { type: resourceTypes.customResourceDefinition, name: "clusters.rollcall.dev" };
    expect((await hubApi.get(definition))?.metadata.annotations?.["rollcall.dev/data-format"]).toBe("2");
    const plain = openHub();
    await publishHubKey({ hubApi: plain, namespace, signal }, await keyOf(), 1);
    expect((await plain.get(definition))?.metadata.annotations?.["rollcall.dev/data-format"]).not.toBe("2");
  });
});

describe("an epoch", () => {
  it.each([
    [1, true],
    [1_000_000, true],
    [0, false],
    [1_000_001, false],
    [1.5, false],
    [Number.NaN, false],
  ])("of a hub can be %s: %s", (value, expected) => {
    expect(isEpoch(value)).toBe(expected);
  });
});

describe("foreignHubKey", () => {
  it("has the advice for the place that the key is from", async () => {
    const key = await read(await backupOf({ key: makeTrustKey() }));
    expect(foreignHubKey(key).remedy).toContain("newest file of `rollcall backup`");
    expect(foreignHubKey({ ...key, isOnHub: true }).remedy).toContain("Check that the kubeconfig is of the right hub");
  });
});
