import { describe, expect, it } from "vitest";
import { readFieldSelector } from "../../../../src/cli/commands/read-field-selector.ts";

const object = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: {
    ...{ name: "eu-1", namespace: "fleet", labels: { env: "prod", "example.com/tier": "1" } },
    annotations: { "rollcall.dev/reconcile": "disabled" },
  },
  spec: { protocol: "fleet", paused: false, heartbeat: { periodSeconds: 60 } },
  status: { conditions: [{ type: "Ready", status: "False" }] },
};

describe("readFieldSelector", () => {
  it.each([
    [undefined, true],
    ["metadata.name=eu-1", true],
    ["metadata.name==eu-2", false],
    [".spec.protocol=fleet, metadata.namespace=fleet", true],
    ["spec.protocol=fleet,metadata.name!=eu-1", false],
    ["spec.heartbeat.periodSeconds=60,spec.paused=false", true],
    ["Ready=False", true],
    ["Ready!=True", true],
    ["Healthy=True", false],
    ["Healthy=", true],
    ["metadata.generation=", true],
    ["metadata.labels.env=prod,metadata.labels.example.com/tier=1", true],
    ["metadata.annotations.rollcall.dev/reconcile=disabled", true],
    ["metadata.annotations.rollcall.dev/revoked!=", false],
    ["metadata.annotations=", true],
  ])("selects by %s: %s", (text, isSelected) => {
    expect(readFieldSelector(text, "Cluster")(object)).toBe(isSelected);
  });

  it.each(["name", "=x", "a..b=c", "a=b=c"])("refuses %s, with an example", (text) => {
    expect(() => readFieldSelector(text, "Cluster")).toThrow(
      /--field-selector has .*; write it as spec\.protocol=fleet/u,
    );
  });

  it.each([
    ["x=y", "Cluster has no field x; it has apiVersion, kind, metadata, spec, status"],
    ["spec.protocl=fleet", "Cluster.spec has no field protocl; did you mean Cluster.spec.protocol?"],
    ["spec.constructor=x", "Cluster.spec has no field constructor"],
  ])("refuses %s, which would select nothing", (text, message) => {
    expect(() => readFieldSelector(text, "Cluster")).toThrow(message);
  });
});
