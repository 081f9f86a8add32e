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

const item = (fields: object) => ({ key: "a", path: "a", ...fields });
const fieldItem = (fields: object) => ({ path: "a", fieldRef: { fieldPath: "metadata.name" }, ...fields });

it.each([
  { reason: "no mode", volume: { configMap: { name: "c" } }, mode: 0o644 },
  { reason: "that of its volume", volume: { secret: { secretName: "s", defaultMode: 0o555 } }, mode: 0o555 },
  {
    reason: "its own",
    volume: { configMap: { name: "c", defaultMode: 0o400, items: [item({ mode: 0o755 })] } },
    mode: 0o755,
  },
  {
    reason: "that of its volume as an item",
    volume: { configMap: { name: "c", defaultMode: 0o400, items: [item({})] } },
    mode: 0o400,
  },
  { reason: "its own as a field", volume: { downwardAPI: { items: [fieldItem({ mode: 0o400 })] } }, mode: 0o400 },
  {
    reason: "that of its volume as a field",
    volume: { downwardAPI: { defaultMode: 0o500, items: [fieldItem({})] } },
    mode: 0o500,
  },
  ...[
    { configMap: { name: "c" } },
    { secret: { name: "s" } },
    { downwardAPI: { items: [fieldItem({})] } },
    { serviceAccountToken: { path: "a" } },
  ].map((source) => ({
    reason: `that of the volume as a projected ${Object.keys(source).join()}`,
    volume: { projected: { defaultMode: 0o500, sources: [source] } },
    mode: 0o500,
  })),
  {
    reason: "its own as a projected item",
    volume: {
      projected: { defaultMode: 0o400, sources: [{ configMap: { name: "c", items: [item({ mode: 0o700 })] } }] },
    },
    mode: 0o700,
  },
])("a file of a volume has a mode: $reason", async ({ volume, mode }) => {
  expect(await filesOf(volume, { a: Buffer.from("v") })).toMatchObject({ a: { mode } });
});

it.each([
  { downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "spec.other" } }] } },
  { projected: { sources: [{ downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "spec.other" } }] } }] } },
])("a field that no Pod has is an error, not an empty file: %j", async (volume) => {
  await expect((async () => filesOf(volume, {}))()).rejects.toThrow("unsupported fieldPath: spec.other");
});
