import { expect, it } from "vitest";
import { volumeContent } from "../../../src/embedded-node/volume-files.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "n" } };

function filesOf(volume: object, data: Readonly<Record<string, Buffer>>) {
  const context = {
    pod,
    node: { nodeName: "n", address: "127.0.0.1", allocatable: {} },
    read: () => Promise.resolve(data),
    token: () => Promise.resolve(Buffer.from("t")),
  };
  const content = volumeContent({ ...volume }, context);
  if (content.kind !== "files") throw new Error("no files");
  return content.read();
}

it("a key that every object inherits is missing where the source has none", async () => {
  const items = [{ key: "constructor", path: "f" }];
  await expect(filesOf({ configMap: { name: "c", items } }, {})).rejects.toThrow(
    "references non-existent configMap key",
  );
});

it.each([
  { reason: "its own", fields: { expirationSeconds: 600, audience: "vault" }, expected: [600, "vault"] },
  { reason: "those of every token", fields: {}, expected: [3600, ""] },
])("a token has a lifetime and an audience: $reason", async ({ fields, expected }) => {
  const asked: unknown[] = [];
  const context = {
    pod,
    node: { nodeName: "n", address: "127.0.0.1", allocatable: {} },
    read: () => Promise.resolve({}),
    token: (request: { readonly expirationSeconds: number; readonly audience: string }) => {
      asked.push(request.expirationSeconds, request.audience);
      return Promise.resolve(Buffer.from("t"));
    },
  };
  const content = volumeContent(
    { projected: { sources: [{ serviceAccountToken: { path: "t", ...fields } }] } },
    context,
  );
  expect(content.kind === "files" && Object.keys(await content.read())).toEqual(["t"]);
  expect(asked).toEqual(expected);
});

it("a key may be __proto__", async () => {
  const data = Object.fromEntries([["__proto__", Buffer.from("v")]]);
  const sources = [{ configMap: { name: "c" } }];
  expect(Object.keys(await filesOf({ projected: { sources } }, data))).toEqual(["__proto__"]);
});

it.each([
  { downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "spec.other" } }] } },
  { projected: { sources: [{ downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "spec.other" } }] } }] } },
])("a field that no Pod has is an error, not an empty file: %j", async (volume) => {
  await expect((async () => filesOf(volume, {}))()).rejects.toThrow("unsupported fieldPath: spec.other");
});
