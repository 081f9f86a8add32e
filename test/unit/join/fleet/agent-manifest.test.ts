import { describe, expect, it } from "vitest";
import { fleetAgentManifest } from "../../../../src/join/fleet/manifests/agent-manifest.ts";
import { needsInstall, pendingImport } from "../../../../src/join/fleet/hub/import-state.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../../../src/core/read-json.ts";
import { digestJson } from "../../../../src/core/digest.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubFacts, startMs, workspace } from "../hub-scene.ts";
import { fleetMemberOf, grantedMemory } from "./fleet-scene.ts";

const values = { apiServerURL: "https://hub", token: "secret" };

function manifestOf(spec: Cluster["spec"] = {}): KubeObject[] {
  return fleetAgentManifest(fleetMemberOf("eu-1", { spec }), hubFacts(), values);
}

function find(objects: readonly KubeObject[], kind: string): KubeObject | undefined {
  return objects.find((object) => object.kind === kind);
}

function podOf(spec: Cluster["spec"] = {}): unknown {
  return valueAt(find(manifestOf(spec), "Deployment"), "spec", "template", "spec");
}

const containerOf = (spec: Cluster["spec"] = {}) => objectsAt(podOf(spec), "containers")[0];
const envOf = (spec: Cluster["spec"] = {}): Record<string, string> =>
  Object.fromEntries(
    objectsAt(containerOf(spec), "env").map((one): [string, string] => [
      textAt(one, "name") ?? "",
      textAt(one, "value") ?? "",
    ]),
  );

describe("agentManifest: Fleet's own agent", () => {
  it("is what Fleet installs, the namespace first and the Deployment last, under its names", () => {
    expect(manifestOf().map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "Namespace cattle-fleet-system",
      "ServiceAccount fleet-agent",
      "ClusterRole cattle-fleet-system-fleet-agent-role",
      "ClusterRoleBinding cattle-fleet-system-fleet-agent-role-binding",
      "ConfigMap fleet-agent",
      "NetworkPolicy default-allow-all",
      "Secret fleet-agent-bootstrap",
      "Secret fleet-agent",
      "Deployment fleet-agent",
    ]);
    expect(find(manifestOf(), "Secret")?.["data"]).toEqual({
      apiServerURL: Buffer.from("https://hub").toString("base64"),
      token: Buffer.from("secret").toString("base64"),
    });
  });

  it("holds no secret when it is compared", () => {
    const objects = fleetAgentManifest(fleetMemberOf("eu-1"), hubFacts());
    expect(find(objects, "Secret")).toBeUndefined();
  });

  it("configures how the agent elects, how often it sends the next one and where it is", () => {
    expect(envOf()).toMatchObject({
      CHECKIN_INTERVAL: "900s",
      AGENT_SCOPE: "",
      CATTLE_ELECTION_LEASE_DURATION: "30s",
      CATTLE_ELECTION_RENEW_DEADLINE: "25s",
      CATTLE_ELECTION_RETRY_PERIOD: "10s",
    });
    expect(envOf({ heartbeat: { periodSeconds: 20 } })["CHECKIN_INTERVAL"]).toBe("20s");
    expect(envOf({ agent: { env: [{ name: "HTTPS_PROXY", value: "http://proxy" }] } })["HTTPS_PROXY"]).toBe(
      "http://proxy",
    );
  });

  it("elects by the name of its Pod, so that one which starts again does not wait for its own Lease", () => {
    const named = objectsAt(containerOf(), "env").find(({ name }) => name === "POD_NAME");
    expect(textAt(named, "valueFrom", "fieldRef", "fieldPath")).toBe("metadata.name");
  });

  it("puts everything into the namespace of the Cluster, and configures the agent with it", () => {
    const spec = { agent: { namespace: "edge-fleet" } };
    expect(envOf(spec)["AGENT_SCOPE"]).toBe("edge-fleet");
    const namespaces = manifestOf(spec).map(({ metadata }) => metadata.namespace ?? metadata.name);
    expect(new Set(namespaces)).toEqual(
      new Set(["edge-fleet", "edge-fleet-fleet-agent-role", "edge-fleet-fleet-agent-role-binding"]),
    );
  });

  it("configures the clientID and the TLS mode that the file declares, and no clientID that the agent found itself", () => {
    const config = (spec: Cluster["spec"]): unknown => {
      const member = fleetMemberOf("eu-1", { spec, state: grantedMemory({ clientID: "found" }) });
      return JSON.parse(textAt(find(fleetAgentManifest(member, hubFacts()), "ConfigMap"), "data", "config") ?? "");
    };
    const labels = { "rollcall.dev/token": "import-token-eu-1" };
    expect(config({})).toEqual({ agentTLSMode: "strict", labels });
    expect(config({ clientID: "said", fleet: { agentTLSMode: "system-store" } })).toEqual({
      clientID: "said",
      agentTLSMode: "system-store",
      labels,
    });
  });

  it.each([
    [{}, "rancher/fleet-agent:v0.16.0"],
    [{ agent: { version: "v0.15.6" } }, "rancher/fleet-agent:v0.15.6"],
    [{ agent: { image: "mine/agent:1" } }, "mine/agent:1"],
    [{ agent: { image: "mine:5000/agent" } }, "mine:5000/agent:v0.16.0"],
    [{ fleet: { privateRepoURL: "registry.example.com/" } }, "registry.example.com/rancher/fleet-agent:v0.16.0"],
  ])("%j runs %s", (spec, image) => {
    expect(textAt(containerOf(spec), "image")).toBe(image);
  });

  it("prefers nodes for agents unless the Cluster has an affinity, and adds its tolerations to Fleet's", () => {
    expect(JSON.stringify(objectAt(podOf(), "affinity"))).toContain("fleet.cattle.io/agent");
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } };
    expect(objectAt(podOf({ agent: { affinity } }), "affinity")).toEqual(affinity);
    const tolerations = objectsAt(podOf({ agent: { tolerations: [{ key: "edge" }] } }), "tolerations");
    expect(tolerations.map(({ key }) => key)).toEqual([
      "node.cloudprovider.kubernetes.io/uninitialized",
      "cattle.io/os",
      "edge",
    ]);
  });

  it("has a priority and a disruption budget of its own where the Cluster asks for them", () => {
    const spec = {
      fleet: {
        agentSchedulingCustomization: {
          priorityClass: { value: 1000, preemptionPolicy: "Never" as const },
          podDisruptionBudget: { maxUnavailable: "50%" },
        },
      },
    };
    const objects = manifestOf(spec);
    expect(find(objects, "PriorityClass")).toMatchObject({
      metadata: { name: "fleet-agent-priority-class" },
      value: 1000,
      preemptionPolicy: "Never",
    });
    expect(find(objects, "PodDisruptionBudget")).toMatchObject({
      spec: { selector: { matchLabels: { app: "fleet-agent" } }, maxUnavailable: "50%" },
    });
    expect(valueAt(podOf(spec), "priorityClassName")).toBe("fleet-agent-priority-class");
    const least = (minAvailable: string) => ({
      fleet: { agentSchedulingCustomization: { podDisruptionBudget: { minAvailable } } },
    });
    const budgets = ["2", "50%"].map((text) => objectAt(find(manifestOf(least(text)), "PodDisruptionBudget"), "spec"));
    expect(budgets).toMatchObject([{ minAvailable: 2 }, { minAvailable: "50%" }]);
    const bare = { fleet: { agentSchedulingCustomization: { podDisruptionBudget: {} } } };
    expect(find(manifestOf(bare), "PodDisruptionBudget")).toMatchObject({ spec: { maxUnavailable: 0 } });
  });

  it("starts the Pod anew for another redeployGeneration, and replaces it in place on the node's network", () => {
    const deployment = find(manifestOf({ agent: { redeployGeneration: 3, hostNetwork: true } }), "Deployment");
    expect(textAt(deployment, "spec", "template", "metadata", "annotations", "rollcall.dev/redeploy-generation")).toBe(
      "3",
    );
    expect(textAt(deployment, "spec", "strategy", "type")).toBe("Recreate");
  });

  it("takes away what the agent joined with, whenever it is given another way to join", () => {
    const credentials = manifestOf().filter(({ kind }) => kind === "Secret");
    expect(credentials.map(({ metadata }) => metadata.name)).toEqual(["fleet-agent-bootstrap", "fleet-agent"]);
    expect(JSON.stringify(credentials[1]?.["data"])).not.toContain("secret");
  });

  const templateOf = (objects: readonly KubeObject[]): unknown => {
    const annotations = valueAt(find(objects, "Deployment"), "spec", "template", "metadata", "annotations");
    return valueAt(annotations, "rollcall.dev/installation-digest");
  };

  it.each<[string, Cluster["spec"]]>([
    ["what stands beside the Pod", { fleet: { agentSchedulingCustomization: { podDisruptionBudget: {} } } }],
    ["the configuration", { fleet: { agentTLSMode: "system-store" } }],
    ["how many there are", { agent: { replicas: 2 } }],
    ["the hub's address", { hubEndpoint: { url: "https://other" } }],
  ])("starts the Pod anew for %s, since it registers anew only then", (_what, spec) => {
    expect(templateOf(manifestOf(spec))).not.toEqual(templateOf(manifestOf()));
    expect(templateOf(manifestOf(spec))).toEqual(templateOf(manifestOf(spec)));
  });

  it("starts the Pod anew for another token, too: the one it was installed with is deleted by then", () => {
    const member = fleetMemberOf("eu-1");
    const next = fleetAgentManifest(member, hubFacts(), { ...values, token: "another" });
    expect(templateOf(next)).not.toEqual(templateOf(manifestOf()));
    expect(JSON.stringify(templateOf(next))).not.toContain("another");
  });

  it("names no Secrets for images where the file declares that there are none", () => {
    expect(valueAt(podOf({ agent: { imagePullSecrets: [] } }), "imagePullSecrets")).toBeUndefined();
    expect(valueAt(podOf({ agent: { imagePullSecrets: [{ name: "r" }] } }), "imagePullSecrets")).toEqual([
      { name: "r" },
    ]);
  });
});

describe("pendingBootstrap: when the hub installs Fleet's agent", () => {
  const spec = { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } };
  const account = "import-token-eu-1";
  const tokenSecret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `${account}-token`, namespace: workspace },
    data: { token: Buffer.from("opaque").toString("base64") },
  };
  const installed = (of: Cluster["spec"], redeployGeneration = 0) => ({
    manifestDigest: digestJson(fleetAgentManifest(fleetMemberOf("eu-1", { spec: of }), hubFacts())),
    kubeconfigDigest: "k",
    redeployGeneration,
    time: new Date(startMs).toISOString(),
    bootstrap: 1,
  });

  it("waits for the token of the account that it made for this cluster alone", () => {
    const member = fleetMemberOf("eu-1", { spec });
    expect(needsInstall(member, hubFacts())).toBe(true);
    expect(pendingImport(member, hubFacts())).toBeUndefined();
  });

  it("installs by that token, with every key that an agent reads", () => {
    expect(pendingImport(fleetMemberOf("eu-1", { spec, children: [tokenSecret] }), hubFacts())).toEqual({
      number: 1,
      values: {
        clusterNamespace: workspace,
        apiServerURL: "https://hub.example.com:6443",
        apiServerCA: "ca",
        token: "opaque",
        systemRegistrationNamespace: "cattle-fleet-clusters-system",
        tokenName: account,
      },
    });
  });

  it("configures the agent with the address beside the kubeconfig, unless the file declares another", () => {
    const encode = (text: string): string => Buffer.from(text).toString("base64");
    const data = { value: encode("k"), apiServerURL: encode("https://outside:6443"), apiServerCA: encode("their ca") };
    const kubeconfigSecret = { apiVersion: "v1", kind: "Secret", metadata: { name: "eu-1-kubeconfig" }, data };
    const valuesOf = (said: Cluster["spec"], secret: KubeObject | undefined): unknown => {
      const member = fleetMemberOf("eu-1", { spec: { ...spec, ...said }, children: [tokenSecret] });
      return pendingImport({ ...member, ...(secret ? { kubeconfigSecret: secret } : {}) }, hubFacts())?.values;
    };
    expect(valuesOf({}, kubeconfigSecret)).toMatchObject({
      apiServerURL: "https://outside:6443",
      apiServerCA: "their ca",
    });
    expect(valuesOf({ hubEndpoint: { url: "https://said" } }, kubeconfigSecret)).toMatchObject({
      apiServerURL: "https://said",
      apiServerCA: "ca",
    });
    const plain = { ...kubeconfigSecret, data: { apiServerURL: encode("http://outside"), apiServerCA: encode("") } };
    expect(valuesOf({}, plain)).toEqual(valuesOf({}, undefined));
  });

  it("installs again when that address changes", () => {
    const data = { apiServerURL: Buffer.from("https://outside").toString("base64") };
    const kubeconfigSecret = { apiVersion: "v1", kind: "Secret", metadata: { name: "eu-1-kubeconfig" }, data };
    const member = fleetMemberOf("eu-1", { spec, state: grantedMemory({ install: installed(spec) }) });
    expect(needsInstall(member, hubFacts())).toBe(false);
    expect(needsInstall({ ...member, kubeconfigSecret }, hubFacts())).toBe(true);
    const moved = hubFacts({ endpoint: { url: "https://elsewhere", caBundle: "ca" } });
    expect(needsInstall(member, moved)).toBe(true);
  });

  it.each<[Cluster["spec"], boolean, string]>([
    [spec, false, "nothing changed"],
    [{ ...spec, agent: { redeployGeneration: 1 } }, true, "redeployGeneration"],
    [{ ...spec, agent: { namespace: "elsewhere" } }, true, "agentNamespace"],
    [{ ...spec, agent: { env: [{ name: "A", value: "b" }] } }, true, "agentEnvVars"],
    [{ ...spec, agent: { tolerations: [{ key: "a" }] } }, true, "agentTolerations"],
    [{ ...spec, agent: { resources: { limits: { memory: "1Gi" } } } }, true, "agentResources"],
    [{ ...spec, agent: { affinity: { podAffinity: { a: [] } } } }, true, "agentAffinity"],
    [{ ...spec, agent: { imagePullSecrets: [{ name: "r" }] } }, true, "agentPullSecrets"],
    [
      { ...spec, fleet: { agentSchedulingCustomization: { priorityClass: { value: 1 } } } },
      true,
      "agentSchedulingCustomization",
    ],
    [{ ...spec, agent: { hostNetwork: true } }, true, "hostNetwork"],
    [{ ...spec, fleet: { privateRepoURL: "r.example.com" } }, true, "privateRepoURL"],
    [{ ...spec, fleet: { agentTLSMode: "system-store" as const } }, true, "agentTLSMode"],
    [{ ...spec, agent: { redeployGeneration: 1 }, paused: true }, false, "paused"],
    [{ ...spec, displayName: "Eu" }, false, "what is not the agent's"],
  ])("%j: %s (%s)", (changed, expected, _reason) => {
    const state = grantedMemory({ install: installed(spec) });
    expect(needsInstall(fleetMemberOf("eu-1", { spec: changed, state }), hubFacts())).toBe(expected);
  });
});
