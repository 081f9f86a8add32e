import { describe, expect, it } from "vitest";
import { serviceHooks } from "../../../../src/embedded-hub/resources/service-hooks.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectsAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function service(type: string, ports: readonly JsonObject[]): KubeObject {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { type, clusterIP: "10.96.0.9", ports } };
}

const a = { name: "a", port: 80, nodePort: 31_980 };
const b = { name: "b", port: 81, nodePort: 31_981 };
const old = service("NodePort", [a, b]);

const rows: readonly { readonly reason: string; readonly ports: readonly JsonObject[]; readonly kept: unknown }[] = [
  { reason: "all stay", ports: [a, b], kept: [undefined, undefined] },
  { reason: "one is removed", ports: [b], kept: [undefined] },
  {
    reason: "they change places, and one is new",
    ports: [b, { port: 82 }, a],
    kept: [undefined, undefined, undefined],
  },
  {
    reason: "one has a number that the Service did not have",
    ports: [a, { ...b, nodePort: 31_982 }],
    kept: [31_980, 31_982],
  },
];

describe("a Service that is of type NodePort no more", () => {
  it.each(rows)("gives up its node ports, unless a client means one: $reason", ({ ports, kept }) => {
    const context = { now: "2026-01-01T00:00:00Z", user: { username: "a", groups: [] }, warnings: [] };
    const changed = serviceHooks.prepareForUpdate?.(service("ClusterIP", ports), old, context);
    expect(objectsAt(changed, "spec", "ports").map(({ nodePort }) => nodePort)).toEqual(kept);
  });
});
