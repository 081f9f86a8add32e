import { describe, expect, it } from "vitest";
import { rollcallProtocol as protocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { clusterRights, namespaceRights } from "../../../src/join/rollcall/manifests/agent-rights.ts";
import { objectAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { AgentSettings } from "../../../src/model/generated/agent-settings.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Member } from "../../../src/model/member.ts";
import { everyAgentSetting } from "../../support/every-agent-setting.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, workspace } from "./hub-scene.ts";

const values = {
  hub: { url: "https://hub.example.com:6443", caBundle: "ca", id: `sha256:${"0".repeat(64)}` },
  workspace,
  token: { name: "eu-1.bootstrap", credential: "credential", proofKey: Buffer.alloc(32, 7).toString("base64") },
};

function manifestOf(agent: AgentSettings | undefined, more: Partial<Member> = {}): KubeObject[] {
  const member = {
    ...memberOf("eu-1", { spec: { kubeConfigSecretRef: { name: "k" }, ...(agent ? { agent } : {}) } }),
    ...more,
  };
  return protocol.agentManifest(member, hubFacts(), values);
}

const deploymentOf = (objects: readonly KubeObject[]) => objects.find(({ kind }) => kind === "Deployment");
const podOf = (objects: readonly KubeObject[]) => objectAt(deploymentOf(objects), "spec", "template", "spec");

describe("agentManifest", () => {
  it("is this, when nothing is set", async () => {
    const text = `${JSON.stringify(manifestOf(undefined), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot("golden/agent-manifest-default.json");
  });

  it("is this, when everything is set", async () => {
    const text = `${JSON.stringify(manifestOf(everyAgentSetting), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot("golden/agent-manifest-everything.json");
  });

  it.each([
    [undefined, undefined, "registry.example.com/rollcall:0.1.0"],
    [undefined, "0.2.0", "registry.example.com/rollcall:0.2.0"],
    ["mirror:5000/rollcall", undefined, "mirror:5000/rollcall:0.1.0"],
    ["mirror:5000/rollcall:edge", "0.2.0", "mirror:5000/rollcall:edge"],
    [`rollcall@sha256:${"a".repeat(64)}`, "0.2.0", `rollcall@sha256:${"a".repeat(64)}`],
  ])("makes of image %s and version %s %s", (image, version, expected) => {
    const objects = manifestOf({ ...(image ? { image } : {}), ...(version ? { version } : {}) });
    expect(textAt(podOf(objects), "containers", 0, "image")).toBe(expected);
  });

  it("does not let a Cluster set the agent's own variables", () => {
    const env = objectsAt(podOf(manifestOf(everyAgentSetting)), "containers", 0, "env");
    expect(env.filter(({ name }) => name === "ROLLCALL_HEALTH_PORT")).toEqual([
      { name: "ROLLCALL_HEALTH_PORT", value: "8765" },
    ]);
  });

  it("takes no version away before the next is ready, but in the node's network", () => {
    const strategy = (objects: KubeObject[]) => objectAt(deploymentOf(objects), "spec", "strategy", "rollingUpdate");
    expect(strategy(manifestOf(undefined))).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(strategy(manifestOf({ hostNetwork: true }))).toEqual({ maxSurge: 0, maxUnavailable: 1 });
  });

  it("is applied where an agent that a user installed reports that it runs", () => {
    const report = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterReport",
      metadata: { name: "eu-1", namespace: workspace },
      spec: { agentNamespace: "my-agents" },
    };
    const parts = { state: memberStateOf(makeAgent()), children: [report] };
    const objects = protocol.agentManifest(memberOf("eu-1", parts), hubFacts());
    expect(deploymentOf(objects)?.metadata.namespace).toBe("my-agents");
    const malformed = { ...parts, children: [{ ...report, spec: { agentNamespace: "../x" } }] };
    expect(deploymentOf(protocol.agentManifest(memberOf("eu-1", malformed), hubFacts()))?.metadata.namespace).toBe(
      "rollcall-agent",
    );
  });

  it("A9: has values to join by in a Secret alone, and in no manifest that the agent reads", () => {
    const objects = manifestOf(undefined);
    for (const object of objects.filter(({ metadata }) => metadata.name !== "rollcall-agent-values"))
      expect(JSON.stringify(object)).not.toContain(values.token.proofKey);
    expect(objects.filter(({ metadata }) => metadata.name === "rollcall-agent-values").map(({ kind }) => kind)).toEqual(
      ["Secret"],
    );
  });

  it("is the one that the hub offers, by digest", () => {
    const member = memberOf("eu-1", { state: memberStateOf(makeAgent()) });
    const offered = protocol
      .desiredObjects(member, hubFacts())
      .find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "rollcall-agent-eu-1");
    const digest = "rollcall.dev/manifest-digest";
    expect(deploymentOf(protocol.agentManifest(member, hubFacts()))?.metadata.annotations?.[digest]).toBe(
      offered?.metadata.annotations?.[digest],
    );
    expect(offered?.metadata.annotations?.[digest]).toMatch(/^sha256:/u);
  });
});

describe("the agent's rights downstream", () => {
  const rights = [...clusterRights("rollcall-agent"), ...namespaceRights()];

  it("A6: have no wildcard, no Pod, no escalation, and a reason each", () => {
    for (const { why, verbs, resources = [], apiGroups = [] } of rights) {
      expect(why).not.toBe("");
      expect([...verbs, ...resources, ...apiGroups]).not.toContain("*");
      expect(verbs).not.toContain("create");
      expect(verbs).not.toContain("escalate");
      expect(verbs).not.toContain("bind");
      expect(verbs).not.toContain("impersonate");
      expect(resources).not.toContain("pods");
      expect(resources).not.toContain("serviceaccounts/token");
    }
  });

  it("name every object that they let the agent change or read secrets of", () => {
    for (const { verbs, resourceNames = [], nonResourceURLs = [], resources = [] } of rights) {
      const isReadingNodes = resources.includes("nodes") && verbs.every((verb) => verb === "get" || verb === "list");
      if (!isReadingNodes) expect([...resourceNames, ...nonResourceURLs]).not.toEqual([]);
    }
  });
});
