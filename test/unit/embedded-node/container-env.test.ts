import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { containerEnv } from "../../../src/embedded-node/container-env.ts";
import { readPodSpec } from "../../../src/embedded-node/pod-spec.ts";

const sources: Readonly<Record<string, Readonly<Record<string, Buffer>>>> = {
  "configMap/c": { A: Buffer.from("of the ConfigMap"), "not a name": Buffer.from("x"), "1st": Buffer.from("x") },
  "secret/s": { A: Buffer.from("of the Secret"), "with.dot": Buffer.from("y") },
};

/** The variables of a container besides those of the service, or why it has none. */
async function variablesOf(container: JsonObject): Promise<Record<string, string> | string> {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u" },
    spec: { containers: [{ name: "main", image: "i", ...container }] },
  };
  const [spec] = readPodSpec(pod).containers;
  if (spec === undefined) throw new Error("the Pod has no container");
  try {
    const values = await containerEnv({
      pod,
      container: spec,
      node: { nodeName: "n", address: "127.0.0.1", allocatable: {} },
      read: async (kind, name) => sources[`${kind}/${name}`],
      service: { host: "10.0.0.1", port: "6443" },
    });
    return Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith("KUBERNETES_")));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const all = (field: string, name: string, more: JsonObject = {}) => ({ [`${field}Ref`]: { name, ...more } });
const one = (field: string, name: string, key: string, optional?: boolean) => ({
  name: "A",
  valueFrom: { [`${field}KeyRef`]: { name, key, ...(optional === undefined ? {} : { optional }) } },
});

describe("containerEnv", () => {
  it.each([
    {
      reason: "all keys that are names",
      container: { envFrom: [all("configMap", "c")] },
      expected: { A: "of the ConfigMap" },
    },
    {
      reason: "all keys of a Secret behind a prefix",
      container: { envFrom: [{ prefix: "S_", ...all("secret", "s") }] },
      expected: { S_A: "of the Secret", "S_with.dot": "y" },
    },
    {
      reason: "a key that is a name only behind the prefix",
      container: { envFrom: [{ prefix: "C_", ...all("configMap", "c") }] },
      expected: { C_A: "of the ConfigMap", C_1st: "x" },
    },
    {
      reason: "the later one of two sources",
      container: { envFrom: [all("secret", "s"), all("configMap", "c")] },
      expected: { A: "of the ConfigMap", "with.dot": "y" },
    },
    {
      reason: "its own value before that of a source",
      container: { envFrom: [all("configMap", "c")], env: [{ name: "A", value: "own, not $(A)" }] },
      expected: { A: "own, not of the ConfigMap" },
    },
    {
      reason: "nothing of an optional source",
      container: { envFrom: [all("secret", "no", { optional: true })] },
      expected: {},
    },
    { reason: "nothing of an optional key", container: { env: [one("configMap", "c", "no", true)] }, expected: {} },
    { reason: "nothing of an optional object", container: { env: [one("secret", "no", "A", true)] }, expected: {} },
    { reason: "an empty value", container: { env: [{ name: "A" }] }, expected: { A: "" } },
    {
      reason: "what it may use, of its own resources",
      container: {
        env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } }],
        resources: { limits: { memory: "64Mi" } },
      },
      expected: { A: "64" },
    },
  ])("has $reason", async ({ container, expected }) => {
    expect(await variablesOf(container)).toEqual(expected);
  });

  it.each([
    { container: { envFrom: [all("configMap", "no")] }, message: 'configmap "no" not found' },
    { container: { envFrom: [all("secret", "no", { optional: false })] }, message: 'secret "no" not found' },
    { container: { env: [one("secret", "no", "A")] }, message: 'secret "no" not found' },
    { container: { env: [one("secret", "s", "no")] }, message: "couldn't find key no in Secret ns/s" },
    { container: { env: [one("configMap", "c", "no")] }, message: "couldn't find key no in ConfigMap ns/c" },
    {
      container: { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.other" } } }] },
      message: "unsupported fieldPath: spec.other",
    },
  ])("waits: $message", async ({ container, message }) => {
    expect(await variablesOf(container)).toBe(message);
  });
});
