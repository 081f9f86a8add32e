import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { parse } from "yaml";
import { objectAt, textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { dedicatedNamespaceName } from "../../src/model/dialects/clusternet.ts";
import type { ObjectRef } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "../support/clusternet-agent-client.ts";
import type { FleetBootstrap } from "../support/fleet-agent-client.ts";
import { FleetAgentClient, readFleetValues } from "../support/fleet-agent-client.ts";
import { KubefleetAgentClient } from "../support/kubefleet-agent-client.ts";
import { until } from "../support/until.ts";
import { clusternetAgents, fleetAgents, kubefleetAgents } from "./fleet-files.ts";
import type { Recording } from "./recording.ts";
import type { RunningFleet } from "./running-fleet.ts";
import { workspace } from "./running-fleet.ts";

const { configMap, memberCluster, secret } = resourceTypes;

/** The texts of a Secret, as soon as it has one under this key. */
export async function readSecret(
  api: KubeApi,
  ref: Omit<ObjectRef, "type">,
  key: string,
): Promise<(key: string) => string> {
  const found = await until(
    () => api.get({ type: secret, ...ref }).catch(() => undefined),
    (seen) => textAt(seen, "data", key) !== undefined,
  );
  return (name) => Buffer.from(textAt(found, "data", name) ?? "", "base64").toString("utf8");
}

/** Agents of all other projects join, by tokens and by what the hub has installed; returns their credentials. */
export async function joinForeign(fleet: RunningFleet, downstreamApi: KubeApi): Promise<Recording["foreign"]> {
  const joining = { fleet, downstreamApi, ca: await readCa(fleet) };
  const groups = await Promise.all([joinFleet(joining), joinKubefleet(joining), joinClusternet(joining)]);
  return Object.fromEntries(groups.flatMap((group) => Object.entries(group)));
}

async function readCa({ api }: RunningFleet): Promise<string> {
  const root = await api.get({ type: configMap, namespace: "kube-system", name: "kube-root-ca.crt" });
  return textAt(root, "data", "ca.crt") ?? "";
}

interface Joining {
  readonly fleet: RunningFleet;
  readonly downstreamApi: KubeApi;
  readonly ca: string;
}

async function bootstrapOf({ api, hubUrl }: RunningFleet, token: string): Promise<FleetBootstrap> {
  const values = await readSecret(api, { namespace: workspace, name: token }, "values");
  return { ...readFleetValues(values("values")), apiServerURL: hubUrl };
}

async function joinFleet({ fleet, downstreamApi }: Joining): Promise<Recording["foreign"]> {
  const installed = await readSecret(
    downstreamApi,
    { namespace: "cattle-fleet-system", name: "fleet-agent-bootstrap" },
    "token",
  );
  const keys = ["apiServerURL", "apiServerCA", "clusterNamespace", "systemRegistrationNamespace", "token", "tokenName"];
  const read = Object.fromEntries(keys.map((key) => [key, installed(key)])) as unknown as FleetBootstrap;
  const bootstraps: Record<string, FleetBootstrap> = { "fleet-installed": { ...read, apiServerURL: fleet.hubUrl } };
  for (const [name, token] of Object.entries(fleetAgents)) bootstraps[name] = await bootstrapOf(fleet, token);
  const joined: Record<string, Recording["foreign"][string]> = {};
  for (const [name, bootstrap] of Object.entries(bootstraps)) {
    const agent = new FleetAgentClient(bootstrap, { clientID: name });
    expect(await agent.register(), `${name}: ${fleet.lines.slice(-5).join("\n")}`).toBe(true);
    // The real one waits for 15 s: a patch of a status that is not there yet is refused.
    await until(
      () => agent.heartbeat(),
      ({ status }) => status === 200,
    );
    const { token = "", deploymentNamespace = "" } = agent.credential ?? {};
    const path = `/apis/fleet.cattle.io/v1alpha1/namespaces/${deploymentNamespace}/bundledeployments`;
    joined[name] = { token, path };
  }
  return joined;
}

/** An agent asks, and ends before the hub answers. */
export async function askByFleet(fleet: RunningFleet, name: string): Promise<void> {
  const agent = new FleetAgentClient(await bootstrapOf(fleet, "fleet-many"), { clientID: name });
  expect((await agent.ask()).status).toBe(201);
}

async function joinKubefleet({ fleet, downstreamApi, ca }: Joining): Promise<Recording["foreign"]> {
  const brought = { namespace: "fleet-system", name: "hub-kubeconfig-secret" };
  const tokens: Record<string, string> = {
    "kubefleet-installed": (await readSecret(downstreamApi, brought, "token"))("token"),
  };
  for (const name of kubefleetAgents) {
    const place = { namespace: workspace, name: `${name}-hub-cluster-access-token` };
    tokens[name] = (await readSecret(fleet.api, place, "token"))("token");
  }
  const joined: Record<string, Recording["foreign"][string]> = {};
  for (const [name, token] of Object.entries(tokens)) {
    const agent = new KubefleetAgentClient({ server: fleet.hubUrl, ca, token, clusterName: name });
    await until(
      () => fleet.api.get({ type: memberCluster, name }),
      (seen) => seen !== undefined,
    );
    await until(
      () => agent.state(),
      (state) => state === "Join",
    );
    expect((await agent.heartbeat()).status, name).toBe(200);
    const group = "/apis/cluster.kubernetes-fleet.io/v1beta1";
    joined[name] = { token, path: `${group}/namespaces/fleet-member-${name}/internalmemberclusters` };
  }
  return joined;
}

async function joinClusternet({ fleet, downstreamApi, ca }: Joining): Promise<Recording["foreign"]> {
  const place = { namespace: "clusternet-system", name: "clusternet-agent-cluster-registration" };
  const name = "clusternet-installed";
  const token = (await readSecret(downstreamApi, place, "regToken"))("regToken");
  const labels = { "rollcall.dev/workspace": workspace };
  const agents: Record<string, ClusternetAgentClient> = {
    [name]: new ClusternetAgentClient({
      ...{ server: fleet.hubUrl, ca, token, clusterId: randomUUID(), clusterName: name, labels },
    }),
  };
  for (const clusterName of clusternetAgents) agents[clusterName] = await clusternetAgent(fleet, ca, clusterName);
  const joined: Record<string, Recording["foreign"][string]> = {};
  for (const [clusterName, agent] of Object.entries(agents)) {
    expect((await agent.ask()).status, clusterName).toBe(201);
    await until(
      () => agent.look(),
      (isApproved) => isApproved,
    );
    expect((await agent.heartbeat()).status, clusterName).toBe(200);
    const home = dedicatedNamespaceName(workspace, clusterName);
    const path = `/apis/clusters.clusternet.io/v1beta1/namespaces/${home}/managedclusters`;
    joined[clusterName] = { token: agent.answer?.token ?? "", path };
  }
  return joined;
}

async function clusternetAgent(fleet: RunningFleet, ca: string, clusterName: string): Promise<ClusternetAgentClient> {
  const text = await readSecret(fleet.api, { namespace: workspace, name: "clusternet-token" }, clusterName);
  const values: unknown = parse(text(clusterName));
  return new ClusternetAgentClient({
    server: fleet.hubUrl,
    ca,
    token: textAt(objectAt(values), "registrationToken") ?? "",
    clusterId: randomUUID(),
    clusterName,
    labels: { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "clusternet-token" },
  });
}

/** An agent asks, and ends before the hub answers. */
export async function askByClusternet(fleet: RunningFleet, clusterName: string): Promise<void> {
  const agent = await clusternetAgent(fleet, await readCa(fleet), clusterName);
  expect((await agent.ask()).status).toBe(201);
}
