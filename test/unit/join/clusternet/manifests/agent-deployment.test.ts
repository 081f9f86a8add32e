import { describe, expect, it } from "vitest";
import { objectsAt, textAt, valueAt } from "../../../../../src/core/read-json.ts";
import { agentDeployment } from "../../../../../src/join/clusternet/manifests/agent-deployment.ts";
import type { Cluster } from "../../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { clusternetMemberOf } from "../clusternet-scene.ts";

const place = { namespace: "clusternet-system", labels: { app: "clusternet-agent" } };
const whoFlags = { "cluster-reg-name": "eu-1", "cluster-labels": "a=b" };

function deploymentOf(spec: Cluster["spec"] = {}, bootstrap?: Record<string, string>): KubeObject {
  return agentDeployment(clusternetMemberOf({ spec }), place, { whoFlags, bootstrap });
}
const templateOf = (spec?: Cluster["spec"], bootstrap?: Record<string, string>): unknown =>
  valueAt(deploymentOf(spec, bootstrap), "spec", "template");
const containerOf = (spec?: Cluster["spec"]) => objectsAt(templateOf(spec), "spec", "containers")[0];
const commandOf = (spec?: Cluster["spec"]) => valueAt(containerOf(spec), "command") as string[];

describe("agentDeployment of Clusternet", () => {
  it.each<[Cluster["spec"], string]>([
    [{}, "ghcr.io/clusternet/clusternet-agent:v0.18.0"],
    [{ agent: { version: "v0.17.0" } }, "ghcr.io/clusternet/clusternet-agent:v0.17.0"],
    [{ agent: { image: "mine/agent:1", version: "v0.17.0" } }, "mine/agent:1"],
    [{ agent: { image: "mine:5000/agent" } }, "mine:5000/agent:v0.18.0"],
    [{ agent: { image: "agent:1" } }, "agent:1"],
    [{ agent: { image: "mine/agent@sha256:0" } }, "mine/agent@sha256:0"],
  ])("%j runs %s", (spec, image) => {
    expect(textAt(containerOf(spec), "image")).toBe(image);
  });

  it("starts with who it is, the place of its lock and the credential of its Secret", () => {
    expect(commandOf()).toEqual([
      "/usr/local/bin/clusternet-agent",
      "--cluster-reg-parent-url=$(PARENT_URL)",
      "--cluster-reg-token=$(REG_TOKEN)",
      "--cluster-reg-name=eu-1",
      "--cluster-labels=a=b",
      "--cluster-sync-mode=Pull",
      "--cluster-status-update-frequency=180s",
      "--cluster-status-collect-frequency=20s",
      "--leader-elect=true",
      "--leader-elect-resource-namespace=clusternet-system",
      "--v=2",
    ]);
  });

  it.each<[Cluster["spec"], readonly string[]]>([
    [{ clusternet: { syncMode: "Push" } }, ["--cluster-sync-mode=Push", "--feature-gates=AppPusher=true"]],
    [{ clusternet: { clusterType: "EdgeCluster" } }, ["--cluster-reg-type=EdgeCluster"]],
    [
      { heartbeat: { periodSeconds: 10 } },
      ["--cluster-status-update-frequency=10s", "--cluster-status-collect-frequency=10s"],
    ],
    [{ agent: { logLevel: "trace" } }, ["--v=8"]],
  ])("%j starts with %j", (spec, flags) => {
    expect(commandOf(spec)).toEqual(expect.arrayContaining([...flags]));
  });

  it("has the variables and the resources of the Cluster beside its own", () => {
    const resources = { limits: { memory: "2Gi" } };
    const container = containerOf({ agent: { env: [{ name: "A", value: "b" }], resources } });
    expect(objectsAt(container, "env").map(({ name }) => name)).toEqual(["PARENT_URL", "REG_TOKEN", "A"]);
    expect(valueAt(container, "resources")).toEqual(resources);
    expect(containerOf()).not.toHaveProperty("resources");
  });

  it("starts a new Pod for another credential, and when the Cluster asks for one", () => {
    const annotationsOf = (spec?: Cluster["spec"], bootstrap?: Record<string, string>): unknown =>
      valueAt(templateOf(spec, bootstrap), "metadata", "annotations");
    expect(annotationsOf()).toBeUndefined();
    expect(annotationsOf({ agent: { redeployGeneration: 3 } })).toEqual({ "rollcall.dev/redeploy-generation": "3" });
    const one = annotationsOf({}, { regToken: "one" });
    expect(one).toEqual(annotationsOf({}, { regToken: "one" }));
    expect(one).not.toEqual(annotationsOf({}, { regToken: "two" }));
  });
});
