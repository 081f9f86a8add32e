import { expect, it } from "vitest";
import { withTextTtl } from "../../../src/manifests/plain-zero.ts";

it("takes the number 0 of a token's ttl for text, and keeps its other fields", () => {
  const token = { kind: "ClusterRegistrationToken", metadata: { name: "a" }, spec: { ttl: 0, clusterNames: ["b"] } };
  expect(withTextTtl(token)).toEqual({ ...token, spec: { ttl: "0", clusterNames: ["b"] } });
  expect(token.spec.ttl).toBe(0);
});

it.each([
  { kind: "ClusterRegistrationToken", spec: { ttl: 1 } },
  { kind: "ClusterRegistrationToken", spec: { ttl: "5m" } },
  { kind: "ClusterRegistrationToken", spec: { ttl: null } },
  { kind: "ClusterRegistrationToken", spec: null },
  { kind: "ClusterRegistrationToken" },
  { kind: "Cluster", spec: { ttl: 0 } },
])("leaves %j as it is", (value) => {
  expect(withTextTtl(value)).toBe(value);
});
