import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { Condition } from "../../../../src/model/kubernetes.ts";
import type { ProtocolName } from "../../../../src/model/generated/protocol.ts";
import { agentLogCommand } from "../../../../src/planning/views/agent-log.ts";
import { explainConditions } from "../../../../src/planning/views/explain-condition.ts";

function clusterOf(rest: Pick<Cluster, "spec" | "status">): Cluster {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name: "edge-1", namespace: "fleet" },
    ...rest,
  };
}

describe("agentLogCommand", () => {
  it.each<[ProtocolName | undefined, string]>([
    [undefined, "kubectl -n rollcall-agent logs deployment/rollcall-agent"],
    ["fleet", "kubectl -n cattle-fleet-system logs deployment/fleet-agent"],
    ["kubefleet", "kubectl -n fleet-system logs deployment/member-agent"],
    ["clusternet", "kubectl -n clusternet-system logs deployment/clusternet-agent"],
  ])("names the agent of the protocol: %s", (protocol, command) => {
    expect(agentLogCommand(clusterOf({ spec: protocol === undefined ? {} : { protocol } }))).toBe(command);
  });

  it("prefers the namespace that the agent reports to that of the file", () => {
    const spec = { agent: { namespace: "wanted" } };
    expect(agentLogCommand(clusterOf({ spec }))).toContain("-n wanted ");
    expect(agentLogCommand(clusterOf({ spec, status: { agent: { namespace: "seen" } } }))).toContain("-n seen ");
  });

  it("is what a cluster of another project's agent shows to type when it does not report", () => {
    const condition: Condition = {
      type: "Healthy",
      status: "Unknown",
      reason: "WaitingForReport",
      message: "m",
      lastTransitionTime: "2027-01-15T08:00:00Z",
    };
    const [view] = explainConditions(clusterOf({ spec: { protocol: "fleet" }, status: { conditions: [condition] } }));
    expect(view?.next).toContain("kubectl -n cattle-fleet-system logs deployment/fleet-agent");
  });
});
