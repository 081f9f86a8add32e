import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  withoutTolerance,
  withoutUngated,
  withoutUngatedIn,
} from "../../../../src/embedded-hub/resources/drop-ungated.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

function containers(container: JsonObject): JsonObject {
  return { containers: [{ name: "main", ...container }] };
}

function debugging(container: JsonObject): JsonObject {
  return { ephemeralContainers: [{ name: "debug", ...container }] };
}

const mounts = [
  { name: "image", mountPath: "/a" },
  { name: "scratch", mountPath: "/b" },
];
const sources = [
  { podCertificate: { keyType: "ED25519" } },
  { clusterTrustBundle: { path: "a" } },
  { secret: { name: "a" } },
];

const rows: readonly [field: string, given: JsonObject, kept: JsonObject][] = [
  ["lifecycle.stopSignal", containers({ lifecycle: { stopSignal: "SIGTERM" } }), containers({})],
  [
    "lifecycle.stopSignal beside others",
    containers({ lifecycle: { stopSignal: "SIGTERM", preStop: { sleep: { seconds: 1 } } } }),
    containers({ lifecycle: { preStop: { sleep: { seconds: 1 } } } }),
  ],
  [
    "env.valueFrom.fileKeyRef",
    containers({ env: [{ name: "a", valueFrom: { fileKeyRef: { key: "k" } } }] }),
    containers({ env: [{ name: "a", valueFrom: {} }] }),
  ],
  ["hostnameOverride", { ...containers({}), hostnameOverride: "x" }, containers({})],
  ["restartPolicy of a container", containers({ restartPolicy: "Never" }), containers({})],
  ["restartPolicy of a debug container", debugging({ restartPolicy: "Never" }), debugging({})],
  ["restartPolicyRules of a debug container", debugging({ restartPolicyRules: [{}] }), debugging({})],
  ["restartPolicyRules without a policy", containers({ restartPolicyRules: [{}] }), containers({})],
  [
    "sources of a projected volume",
    { ...containers({}), volumes: [{ name: "a", projected: { sources } }] },
    { ...containers({}), volumes: [{ name: "a", projected: { sources: [{}, {}, { secret: { name: "a" } }] } }] },
  ],
  [
    "a volume of an image, and its mounts",
    {
      ...containers({ volumeMounts: mounts }),
      volumes: [
        { name: "image", image: {} },
        { name: "scratch", emptyDir: {} },
      ],
    },
    { ...containers({ volumeMounts: mounts.slice(1) }), volumes: [{ name: "scratch", emptyDir: {} }] },
  ],
];

describe("a PodSpec", () => {
  it.each(rows)("has no %s while its feature gate is off", (_field, given, kept) => {
    expect(withoutUngated(given, undefined)).toEqual(kept);
  });

  it.each(rows)("keeps a %s that was stored before", (_field, given) => {
    expect(withoutUngated(given, given)).toEqual(given);
  });

  it("keeps everything else, the policy Always of an init container too", () => {
    const spec = { ...containers({ lifecycle: {} }), initContainers: [{ name: "i", restartPolicy: "Always" }] };
    expect(withoutUngated(spec, undefined)).toEqual(spec);
  });

  it("is found in a template, and compared with the old one there", () => {
    const template = (spec: JsonObject) => ({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "a" },
      spec: { template: { spec } },
    });
    const given = template({ ...containers({}), hostnameOverride: "x" });
    expect(withoutUngatedIn(given, "spec.template")).toEqual(template(containers({})));
    expect(withoutUngatedIn(given, "spec.template", given)).toEqual(given);
    expect(withoutUngatedIn({ ...given, spec: {} }, "spec.template")).toEqual({ ...given, spec: {} });
  });
});

describe("a tolerance of an autoscaler", () => {
  const rules = { stabilizationWindowSeconds: 3 };
  const autoscaler = (scaleUp: JsonObject): KubeObject => ({
    ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "a" } },
    spec: { maxReplicas: 3, behavior: { scaleUp, scaleDown: rules } },
  });
  const without = autoscaler(rules);
  const tolerant = autoscaler({ ...rules, tolerance: "100m" });

  it("is dropped, unless the autoscaler had one before", () => {
    expect(withoutTolerance(tolerant)).toEqual(without);
    expect(withoutTolerance(tolerant, without)).toEqual(without);
    expect(withoutTolerance(tolerant, tolerant)).toBe(tolerant);
    expect(withoutTolerance(without)).toBe(without);
  });
});
