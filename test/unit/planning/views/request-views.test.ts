import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { requestViews } from "../../../../src/planning/views/request-views.ts";

const cluster: Cluster = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: "fleet" },
  spec: { clientID: "uid-1" },
};

function request(name: string, spec: object, status: object, namespace = "fleet"): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistration",
    metadata: { name, namespace },
    spec,
    status,
  };
}
const refused = (minute: number) => ({
  decision: "Refused",
  reason: "ClientIDTaken",
  message: "Another agent is this cluster already.",
  decidedTime: `2027-01-01T00:0${minute}:00Z`,
});

describe("requestViews", () => {
  it("shows who asked by the cluster's name or clientID and was not admitted, and nothing that the agent reports", () => {
    const views = requestViews(cluster, [
      request("by-name", { clusterName: "eu-1", clientID: "<b>" }, refused(1)),
      request("by-client-id", { clientID: "uid-1" }, { ...refused(2), decision: "Proposed", reason: "AwaitingMerge" }),
      request("of-another", { clusterName: "eu-2" }, refused(3)),
      request("elsewhere", { clusterName: "eu-1" }, refused(3), "other"),
      request("let-in", { clusterName: "eu-1" }, { decision: "Granted" }),
      request("undecided", { clusterName: "eu-1" }, {}),
    ]);
    const message = "Another agent is this cluster already.";
    expect(views).toEqual([
      { name: "by-client-id", decision: "Proposed", reason: "AwaitingMerge", message, time: "2027-01-01T00:02:00Z" },
      { name: "by-name", decision: "Refused", reason: "ClientIDTaken", message, time: "2027-01-01T00:01:00Z" },
    ]);
  });

  it("shows the last three, and none of the time before the agent joined", () => {
    const all = [4, 1, 3, 5, 2].map((minute) => request(`at-${minute}`, { clusterName: "eu-1" }, refused(minute)));
    expect(requestViews(cluster, all).map(({ name }) => name)).toEqual(["at-5", "at-4", "at-3"]);
    const joined = { ...cluster, status: { join: { time: "2027-01-01T00:05:00Z" } } };
    expect(requestViews(joined, all).map(({ name }) => name)).toEqual(["at-5"]);
  });
});
