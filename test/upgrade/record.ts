// npm run upgrade:record: keeps what this version writes in the middle of joins, a move and a removal. Once a release.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, it, onTestFinished } from "vitest";
import { textAt } from "../../src/core/read-json.ts";
import { version } from "../../src/core/version.ts";
import { clusterNamespaceName } from "../../src/model/dialects/fleet.ts";
import { dedicatedNamespaceName } from "../../src/model/dialects/clusternet.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { conditionOf } from "../contract/agent/fleet-helpers.ts";
import { ClusternetAgentClient } from "../support/clusternet-agent-client.ts";
import { FleetAgentClient, readFleetValues } from "../support/fleet-agent-client.ts";
import { createRepository, makeTempFolder, runGit } from "../support/git-repositories.ts";
import { embeddedHub } from "../support/hub-under-test.ts";
import { KubefleetAgentClient } from "../support/kubefleet-agent-client.ts";
import { simulatedCluster } from "../support/simulated-cluster.ts";
import { until } from "../support/until.ts";
import { loadProgram, today } from "./program.ts";
import { writeRecording } from "./recording.ts";
import type { AgentData, RunningAgent } from "./running-agent.ts";
import { dataOf, resumeAgent, startAgent } from "./running-agent.ts";
import type { RunningFleet } from "./running-fleet.ts";
import { daemonNamespace, startFleet, workspace } from "./running-fleet.ts";

const { cluster, clusterRegistration, memberCluster, secret } = resourceTypes;
const slow = { periodSeconds: 3600 };

it("records a fleet in the middle of its work", { timeout: 280_000 }, async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const program = await loadProgram(today);
  const repository = await createRepository(join(folder.path, "fleet.git"));
  const place = { dir: join(folder.path, "hub"), repositoryPath: repository.path };
  const downstream = await embeddedHub();
  onTestFinished(downstream.stop);
  let fleet = await startFleet(program, place);
  onTestFinished(() => fleet.stop());
  await makeNamespaces(fleet, downstream.kubeconfig);
  await repository.commit({ files: declaredFiles() });
  await fleet.startDaemon();
  await fleet.settle();
  expect(fleet.lines.filter((line) => line.startsWith("error a file has a problem"))).toEqual([]);

  const agents = new Map<string, RunningAgent>();
  for (const name of ["asking", "going", "old-name"]) agents.set(name, await joinByToken(program, fleet, name));
  agents.set("installed", await takeInstalled(program, fleet, downstream.kubeconfig));
  for (const name of agents.keys()) await untilReady(fleet, name);
  const foreign = await joinForeign(fleet);
  await fleet.settle();

  for (const agent of agents.values()) await agent.stop();
  await repository.commit({
    files: {
      "going.yaml": null,
      "old-name.yaml": null,
      "new-name.yaml": file("Cluster", "new-name", { clientID: "old-name", previousName: "old-name", heartbeat: slow }),
    },
    message: "Remove one, rename one\n\nRollcall-Allow-Deletions: 2",
  });
  await fleet.settle();
  await fleet.stopDaemon();
  const registrations = async () => (await fleet.api.list(clusterRegistration, { namespace: workspace })).items.length;
  const before = await registrations();
  const half = await joinByToken(program, fleet, "half");
  await until(registrations, (count) => count > before);
  await half.stop();
  agents.set("half", half);
  const recordedAtMs = Date.now();
  await fleet.stop();

  const backup = await program.backup.makeBackup(
    place.dir,
    await program.backup.snapshotOfStopped(place.dir, "record"),
  );
  const bundled = join(folder.path, "bundled.git");
  await runGit(folder.path, ["clone", "--quiet", "--mirror", repository.path, bundled]);
  fleet = await startFleet(program, place);
  await fleet.startDaemon();
  await fleet.settle();
  const kept: Record<string, AgentData> = {};
  for (const [name, agent] of agents) kept[name] = await agent.data();
  const commit = (await runGit(today, ["rev-parse", "HEAD"])).trim();
  const recording = { commit, recordedAtMs, agents: kept, foreign, writes: [...new Set(fleet.writes)].sort() };
  await writeRecording(`${version}-${commit.slice(0, 7)}`, { backup, repositoryPath: bundled, recording });
  expect(recording.writes).toContain("apply Secret fleet/rollcall-half.1");
  expect(Object.keys(kept).sort()).toEqual(["asking", "going", "half", "installed", "old-name"]);
});

function declaredFiles(): Record<string, string> {
  const own = (name: string) => file("Cluster", name, { clientID: name, heartbeat: slow });
  return {
    "installed.yaml": file("Cluster", "installed", {
      clientID: "installed",
      kubeConfigSecretRef: { name: "installed-kubeconfig" },
      heartbeat: slow,
    }),
    ...Object.fromEntries(["asking", "old-name", "half", "waiting"].map((name) => [`${name}.yaml`, own(name)])),
    "going.yaml": file("Cluster", "going", {
      clientID: "going",
      heartbeat: slow,
      deletionPolicy: "Uninstall",
      deletionGracePeriod: "1h",
    }),
    "token.yaml": file("ClusterRegistrationToken", "token", { clusterNames: ["asking", "going", "old-name", "half"] }),
    "single.yaml": file("ClusterRegistrationToken", "single", { ttl: "24h", maxRegistrations: 1 }),
    ...Object.fromEntries(
      ["fleet", "clusternet"].map((protocol) => [
        `${protocol}-token.yaml`,
        file("ClusterRegistrationToken", `${protocol}-token`, { protocol, clusterNames: [`${protocol}-1`] }),
      ]),
    ),
    "kubefleet-1.yaml": file("Cluster", "kubefleet-1", { protocol: "kubefleet", heartbeat: { periodSeconds: 600 } }),
    "labels.yaml": file("ClusterLabels", "all", { selector: { names: ["*"] }, labels: { stage: "prod" } }),
    "group.yaml": file("ClusterGroup", "prod", { selector: { matchLabels: { stage: "prod" } } }),
  };
}

function file(kind: string, name: string, spec: object): string {
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name }, spec });
}

async function makeNamespaces({ api }: RunningFleet, kubeconfig: string): Promise<void> {
  for (const [name, labels] of [
    [daemonNamespace, {}],
    [workspace, { [labelKeys.workspace]: "true" }],
  ] as const)
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }, { fieldManager: "test" });
  const metadata = { name: "installed-kubeconfig", namespace: workspace };
  const data = { value: Buffer.from(kubeconfig).toString("base64") };
  await api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "test" });
}

async function encodedAt(fleet: RunningFleet, name: string, key: string): Promise<string> {
  const found = await until(
    () => fleet.get(secret, name),
    (seen) => textAt(seen, "data", key) !== undefined,
  );
  return Buffer.from(textAt(found, "data", key) ?? "", "base64").toString("utf8");
}

async function joinByToken(
  program: Awaited<ReturnType<typeof loadProgram>>,
  fleet: RunningFleet,
  name: string,
): Promise<RunningAgent> {
  const values: object = JSON.parse(await encodedAt(fleet, "token", "values")) as object;
  const downstreamApi = simulatedCluster({
    uid: name,
    agentNamespace: "rollcall-agent",
    values: JSON.stringify({ ...values, cluster: { name, clientID: name } }),
  });
  return startAgent(program, { name, downstreamApi, hubUrl: fleet.hubUrl });
}

/** The agent that the hub has installed, as a process that reads what the hub wrote there. */
async function takeInstalled(
  program: Awaited<ReturnType<typeof loadProgram>>,
  fleet: RunningFleet,
  kubeconfig: string,
): Promise<RunningAgent> {
  const api = apiOf(readKubeconfig(kubeconfig));
  const data = await until(
    (): Promise<AgentData> => dataOf(api).catch(() => ({})),
    (seen) => seen["rollcall-agent-values"]?.["values"] !== undefined,
  );
  await api.close();
  return resumeAgent(program, { name: "installed", data, hubUrl: fleet.hubUrl });
}

async function untilReady(fleet: RunningFleet, name: string): Promise<void> {
  await until(
    () => fleet.get(cluster, name),
    (seen) => conditionOf(seen, "Ready") === "True",
  ).catch((error: unknown) => {
    throw new Error(fleet.lines.slice(-20).join("\n"), { cause: error });
  });
}

async function joinForeign(fleet: RunningFleet) {
  const { api, hubUrl } = fleet;
  const ca =
    textAt(
      await api.get({ type: resourceTypes.configMap, namespace: "kube-system", name: "kube-root-ca.crt" }),
      "data",
      "ca.crt",
    ) ?? "";
  const bootstrap = readFleetValues(await encodedAt(fleet, "fleet-token", "values"));
  const fleetAgent = new FleetAgentClient({ ...bootstrap, apiServerURL: hubUrl }, { clientID: "fleet-1" });
  expect(await fleetAgent.register()).toBe(true);
  await fleetAgent.heartbeat();

  const token = await encodedAt(fleet, "kubefleet-1-hub-cluster-access-token", "token");
  const kubefleet = new KubefleetAgentClient({ server: hubUrl, ca, token, clusterName: "kubefleet-1" });
  await until(
    () => api.get({ type: memberCluster, name: "kubefleet-1" }),
    (seen) => seen !== undefined,
  );
  await until(
    () => kubefleet.state(),
    (state) => state === "Join",
  );
  await kubefleet.start();
  await kubefleet.heartbeat();

  const values: unknown = parse(await encodedAt(fleet, "clusternet-token", "clusternet-1"));
  const clusternet = new ClusternetAgentClient({
    server: hubUrl,
    ca,
    token: textAt(values, "registrationToken") ?? "",
    clusterId: randomUUID(),
    clusterName: "clusternet-1",
    labels: { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "clusternet-token" },
  });
  expect((await clusternet.ask()).status).toBe(201);
  await until(
    () => clusternet.look(),
    (isApproved) => isApproved,
  );
  await clusternet.heartbeat();
  for (const name of ["fleet-1", "kubefleet-1", "clusternet-1"])
    await until(
      () => fleet.get(cluster, name),
      (seen) => conditionOf(seen, "Healthy") === "True",
    );
  const clusternetHome = dedicatedNamespaceName(workspace, "clusternet-1");
  return {
    "fleet-1": {
      token: fleetAgent.credential?.token ?? "",
      path: `/apis/fleet.cattle.io/v1alpha1/namespaces/${clusterNamespaceName(workspace, "fleet-1")}/bundledeployments`,
    },
    "kubefleet-1": {
      token,
      path: "/apis/cluster.kubernetes-fleet.io/v1beta1/namespaces/fleet-member-kubefleet-1/internalmemberclusters",
    },
    "clusternet-1": {
      token: clusternet.answer?.token ?? "",
      path: `/apis/clusters.clusternet.io/v1beta1/namespaces/${clusternetHome}/managedclusters`,
    },
  };
}
