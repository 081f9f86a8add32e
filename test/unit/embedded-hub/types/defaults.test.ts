import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { decodeBuiltIn } from "../../../../src/embedded-hub/types/decode-built-in.ts";
import { completeBuiltIn } from "../../../../src/embedded-hub/types/defaults.ts";
import { messageType } from "../../../../src/embedded-hub/types/type-registry.ts";

function complete(name: string, object: JsonObject): JsonObject {
  const message = messageType(name);
  return completeBuiltIn(message, decodeBuiltIn(message, object).object);
}

describe("completeBuiltIn", () => {
  it.each([
    ["0.0001", "1m"],
    ["1500u", "2m"],
    ["1.0005", "1001m"],
    ["1e-4", "1e-3"],
    ["-0.0001", "-1m"],
    ["1500m", "1500m"],
    ["0.1Ki", "102400m"],
  ])("rounds the amount %s of a Pod, a quota and a Node up to %s", (given, rounded) => {
    const resources = { requests: { cpu: given } };
    const containers = [{ name: "c", image: "i", resources }];
    expect(complete("core.Pod", { spec: { containers } })).toMatchObject({
      spec: { containers: [{ resources: { requests: { cpu: rounded } } }] },
    });
    expect(complete("core.ResourceQuota", { spec: { hard: { cpu: given } } })).toMatchObject({
      spec: { hard: { cpu: rounded } },
    });
    expect(complete("core.Node", { status: { capacity: { cpu: given } } })).toMatchObject({
      status: { capacity: { cpu: rounded } },
    });
  });

  it("fills in a Pod", () => {
    const pod = complete("core.Pod", {
      spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 1 }] }] },
    });
    expect(pod["spec"]).toMatchObject({
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      schedulerName: "default-scheduler",
      terminationGracePeriodSeconds: 30,
      enableServiceLinks: true,
      securityContext: {},
      containers: [
        {
          imagePullPolicy: "Always",
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          resources: {},
          ports: [{ containerPort: 1, protocol: "TCP" }],
        },
      ],
    });
  });

  it.each([
    ["i", "Always"],
    ["i:latest", "Always"],
    ["i:1.2", "IfNotPresent"],
    ["host:5000/i", "Always"],
    ["host:5000/i:1", "IfNotPresent"],
    ["i@sha256:0123456789012345678901234567890123456789012345678901234567890123", "IfNotPresent"],
  ])("pulls %s %s", (image, policy) => {
    const pod = complete("core.Pod", { spec: { containers: [{ name: "c", image }] } });
    expect(pod).toMatchObject({ spec: { containers: [{ imagePullPolicy: policy }] } });
  });

  it("takes limits for requests that are not given", () => {
    const resources = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } };
    const pod = complete("core.Pod", { spec: { containers: [{ name: "c", image: "i", resources }] } });
    expect(pod).toMatchObject({ spec: { containers: [{ resources: { requests: { cpu: "500m", memory: "1Gi" } } }] } });
  });

  it("fills in a Deployment", () => {
    expect(complete("apps.Deployment", { spec: { template: { spec: { containers: [] } } } })["spec"]).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
    });
    const recreate = complete("apps.Deployment", { spec: { strategy: { type: "Recreate" }, template: {} } });
    expect((recreate["spec"] as JsonObject)["strategy"]).toEqual({ type: "Recreate" });
  });

  it("turns the texts of a Secret into bytes, over what was there", () => {
    const secret = complete("core.Secret", { data: { a: "b2xk", b: "Yg==" }, stringData: { a: "new" } });
    expect(secret).toMatchObject({ type: "Opaque", data: { a: "bmV3", b: "Yg==" } });
  });

  it("names the group of roles and users", () => {
    const binding = complete("rbac.RoleBinding", {
      roleRef: { kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s" },
      ],
    });
    expect(binding).toMatchObject({
      roleRef: { apiGroup: "rbac.authorization.k8s.io" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io" }, { kind: "ServiceAccount" }],
    });
    expect(binding).not.toHaveProperty("subjects.1.apiGroup");
  });

  it("does not change what needs nothing", () => {
    const lease = { kind: "Lease", apiVersion: "coordination.k8s.io/v1", metadata: { name: "x" }, spec: {} };
    expect(complete("coordination.Lease", lease)).toEqual(lease);
  });
});
