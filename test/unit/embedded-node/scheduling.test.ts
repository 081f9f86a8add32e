import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeObject } from "../../../src/embedded-node/node-types.ts";
import { schedulingObstacle } from "../../../src/embedded-node/scheduling.ts";

const labels = { "kubernetes.io/os": "linux", disk: "fast", cores: "8" };

function node(spec: JsonObject = {}): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels }, spec };
}

function pod(spec: JsonObject = {}): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "shop" }, spec };
}

function affine(...nodeSelectorTerms: JsonObject[]): KubeObject {
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
  return pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } });
}

const misfit = "node(s) didn't match Pod's node affinity/selector";

describe("where a Pod may go", () => {
  it("is any node that does not mind", () => {
    expect(schedulingObstacle(pod(), node())).toBeUndefined();
    const preferred = node({ taints: [{ key: "a", effect: "PreferNoSchedule" }] });
    expect(schedulingObstacle(pod(), preferred)).toBeUndefined();
  });

  it("is no cordoned node, unless the Pod tolerates that", () => {
    const cordoned = node({ unschedulable: true });
    expect(schedulingObstacle(pod(), cordoned)).toBe("node(s) were unschedulable");
    expect(schedulingObstacle(pod({ tolerations: [{ operator: "Exists" }] }), cordoned)).toBeUndefined();
  });

  it.each([
    { toleration: { key: "team", value: "a" }, isEnough: true },
    { toleration: { key: "team", operator: "Equal", value: "a", effect: "NoSchedule" }, isEnough: true },
    { toleration: { key: "team", operator: "Exists" }, isEnough: true },
    { toleration: { operator: "Exists", effect: "NoSchedule" }, isEnough: true },
    { toleration: { key: "team", value: "b" }, isEnough: false },
    { toleration: { key: "other", operator: "Exists" }, isEnough: false },
    { toleration: { key: "team", operator: "Exists", effect: "NoExecute" }, isEnough: false },
    { toleration: { value: "a" }, isEnough: false },
  ])("is a tainted node with $toleration: $isEnough", ({ toleration, isEnough }) => {
    const tainted = node({ taints: [{ key: "team", value: "a", effect: "NoSchedule" }] });
    const obstacle = schedulingObstacle(pod({ tolerations: [toleration] }), tainted);
    expect(obstacle).toBe(isEnough ? undefined : "node(s) had untolerated taint(s)");
  });

  it("is a node that is ready, though the taint of a new one is still there", () => {
    const fresh = node({ taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] });
    expect(schedulingObstacle(pod(), fresh)).toBe("node(s) had untolerated taint(s)");
    const ready = { ...fresh, status: { conditions: [{ type: "Ready", status: "True" }] } };
    expect(schedulingObstacle(pod(), ready)).toBeUndefined();
  });

  it("needs every taint tolerated", () => {
    const taints = [
      { key: "a", effect: "NoSchedule" },
      { key: "b", effect: "NoExecute" },
    ];
    const one = pod({ tolerations: [{ key: "a", operator: "Exists" }] });
    expect(schedulingObstacle(one, node({ taints }))).toBe("node(s) had untolerated taint(s)");
  });

  it("has the labels that the Pod selects", () => {
    expect(schedulingObstacle(pod({ nodeSelector: { disk: "fast" } }), node())).toBeUndefined();
    expect(schedulingObstacle(pod({ nodeSelector: { disk: "slow" } }), node())).toBe(misfit);
  });

  it.each([
    { expression: { key: "disk", operator: "In", values: ["slow", "fast"] }, fits: true },
    { expression: { key: "disk", operator: "NotIn", values: ["fast"] }, fits: false },
    { expression: { key: "gpu", operator: "NotIn", values: ["none"] }, fits: true },
    { expression: { key: "disk", operator: "Exists" }, fits: true },
    { expression: { key: "disk", operator: "DoesNotExist" }, fits: false },
    { expression: { key: "cores", operator: "Gt", values: ["4"] }, fits: true },
    { expression: { key: "cores", operator: "Lt", values: ["8"] }, fits: false },
    { expression: { key: "gpu", operator: "Gt", values: ["0"] }, fits: false },
  ])("fits an affinity to $expression: $fits", ({ expression, fits }) => {
    expect(schedulingObstacle(affine({ matchExpressions: [expression] }), node())).toBe(fits ? undefined : misfit);
  });

  it("fits when one of several terms does, and an empty term never does", () => {
    const slow = { matchExpressions: [{ key: "disk", operator: "In", values: ["slow"] }] };
    const here = { matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] };
    expect(schedulingObstacle(affine(slow, here), node())).toBeUndefined();
    expect(schedulingObstacle(affine(slow, {}), node())).toBe(misfit);
  });
});
