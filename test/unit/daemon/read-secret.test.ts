import { describe, expect, it } from "vitest";
import { readSecret } from "../../../src/daemon/read-secret.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const read = (secret: KubeObject | undefined) =>
  readSecret({ get: async () => secret } as unknown as KubeApi, { namespace: "fleet", name: "keys" });
const secretOf = (metadata: object, data?: unknown): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "keys", ...metadata },
  ...(data === undefined ? {} : { data }),
});
const encode = (text: string) => Buffer.from(text).toString("base64");

describe("readSecret", () => {
  it("has each entry as text", async () => {
    const { entries } = await read(secretOf({}, { token: encode("größe\n"), empty: "" }));
    expect([...entries]).toEqual([
      ["token", "größe\n"],
      ["empty", ""],
    ]);
  });

  it.each([
    ["no data", undefined],
    ["data that is no object", "text"],
    ["an entry that is no text", { token: 5 }],
  ])("has no entry of a Secret with %s", async (_, data) => {
    expect([...(await read(secretOf({}, data))).entries]).toEqual([]);
  });

  it("has another version when the Secret changes, or is another one of the same name", async () => {
    const versions = await Promise.all(
      [
        { uid: "a", resourceVersion: "1" },
        { uid: "a", resourceVersion: "2" },
        { uid: "b", resourceVersion: "1" },
        {},
      ].map(async (metadata) => (await read(secretOf(metadata))).version),
    );
    expect(new Set(versions).size).toBe(4);
  });

  it("names the Secret that is not there, and how to list those that are", async () => {
    await expect(read(undefined)).rejects.toMatchObject({
      code: "E_KUBE_NOT_FOUND",
      message: "read Secret/fleet/keys: it is not on the hub",
      remedy: expect.stringContaining("kubectl --namespace fleet get secrets") as string,
    });
  });
});
