// npm run upgrade:record: keeps what this version writes in the middle of joins, moves, removals and a roll-out. Once a release.
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { version } from "../../src/core/version.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { revokeCluster, suspendCluster } from "../../src/operations/operations.ts";
import { conditionOf } from "../contract/agent/fleet-helpers.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, makeTempFolder, runGit } from "../support/git-repositories.ts";
import { embeddedHub } from "../support/hub-under-test.ts";
import { simulatedCluster } from "../support/simulated-cluster.ts";
import { until } from "../support/until.ts";
import {
  changedFiles,
  declaredFiles,
  kubeconfigSecrets,
  movedClusters,
  ownAgents,
  removalCount,
  rolloutFiles,
  secondWorkspace,
  unapprovedFiles,
  wave,
} from "./fleet-files.ts";
import { askByClusternet, askByFleet, joinForeign, readSecret } from "./join-foreign.ts";
import type { Program } from "./program.ts";
import { loadProgram, today } from "./program.ts";
import type { FleetRoles, Recording } from "./recording.ts";
import { writeRecording } from "./recording.ts";
import type { AgentData, RunningAgent } from "./running-agent.ts";
import { dataOf, resumeAgent, startAgent, withDeployment } from "./running-agent.ts";
import type { RunningFleet } from "./running-fleet.ts";
import { daemonNamespace, startFleet, untilQuiet, workspace } from "./running-fleet.ts";

const { cluster, clusterRegistration } = resourceTypes;
const settings = { workspaces: [workspace, secondWorkspace], agentRollout: { maxUnavailable: 2 } };
/** Those that resume, of the agents whose clusters nothing changes any more. */
const steady = ["asking", "edge-1", "installed", "paused", "protected", "suspended", "wave-1", "withheld-1"];

/** All that a step of the recording acts on. */
interface Scene {
  readonly program: Program;
  readonly fleet: RunningFleet;
  readonly repository: TestRepository;
  readonly agents: Map<string, RunningAgent>;
}

it("records a fleet in the middle of its work", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const program = await loadProgram(today);
  const repository = await createRepository(join(folder.path, "fleet.git"));
  const place = { dir: join(folder.path, "hub"), repositoryPath: repository.path, settings };
  const downstream = await embeddedHub();
  const fleet = await startFleet(program, place);
  const scene: Scene = { program, fleet, repository, agents: new Map() };
  await makeNamespaces(fleet, downstream.kubeconfig);
  await repository.commit({ files: declaredFiles() });
  await fleet.startDaemon();
  await fleet.settle();
  expect(fleet.lines.filter((line) => line.startsWith("error a file has a problem"))).toEqual([]);

  const foreign = await joinAll(scene, downstream.kubeconfig);
  await rollOutHalf(scene);
  for (const agent of scene.agents.values()) await agent.stop();
  await changeByHand(scene);
  await repository.commit({
    files: changedFiles(),
    message: `Remove, rename, move, convert\n\nRollcall-Allow-Deletions: ${removalCount}`,
  });
  await fleet.settle();
  await repository.commit({ files: unapprovedFiles(), message: "Remove too many" });
  await fleet.settle();
  await askWhileAway(scene);
  const clusters = (await fleet.api.list(cluster)).items.map(keyOf).sort();
  const recordedAtMs = Date.now();
  await fleet.stop();
  await downstream.stop();

  const backup = await program.backup.makeBackup(
    place.dir,
    await program.backup.snapshotOfStopped(place.dir, "record"),
  );
  const bundled = join(folder.path, "bundled.git");
  await runGit(folder.path, ["clone", "--quiet", "--mirror", repository.path, bundled]);
  const commit = await commitOfProgram();
  const writes = await writesOfAnotherStart(program, place);
  // What waits for ten seconds, for a first report, is written by the start after that.
  await writesOfAnotherStart(program, place);
  const writesOfEachStart = await writesOfAnotherStart(program, place);
  const roles = rolesOf(clusters);
  const kept = await keptData(scene.agents, roles);
  const recording: Recording = {
    commit,
    recordedAtMs,
    settings,
    roles,
    agents: kept,
    foreign,
    writes,
    writesOfEachStart,
  };
  await writeRecording(`${version}-${commit.slice(0, 7)}`, { backup, repositoryPath: bundled, recording });
  expect(recording.writes).toContain(`apply Secret ${workspace}/rollcall-half.1`);
  expect(clusters).toHaveLength(52);
});

/** The last commit that changed what is recorded: later ones may be written anew before others have them. */
async function commitOfProgram(): Promise<string> {
  const parts = ["src", "schemas", "package.json"];
  expect(await runGit(today, ["status", "--porcelain", "--", ...parts])).toBe("");
  return (await runGit(today, ["log", "-1", "--format=%H", "--", ...parts])).trim();
}

/** A move has two Clusters for a while. */
function rolesOf(clusters: readonly string[]): FleetRoles {
  return {
    clusters,
    steady: [...steady.map((name) => `${workspace}/${name}`), `${secondWorkspace}/labs-1`],
    joining: [`${workspace}/half`, `${workspace}/granted`],
    changing: [`${workspace}/wave-3`],
    moving: movedClusters,
    tokens: {
      [`${workspace}/token`]: Object.values(ownAgents).filter((token) => token === `${workspace}/token`).length + 2,
    },
  };
}

function keyOf({ metadata }: { readonly metadata: { readonly namespace?: string; readonly name: string } }): string {
  return `${metadata.namespace}/${metadata.name}`;
}

async function keptData(
  agents: ReadonlyMap<string, RunningAgent>,
  { steady, joining, changing, moving }: FleetRoles,
): Promise<Record<string, AgentData>> {
  const kept: Record<string, AgentData> = {};
  for (const key of [...steady, ...joining, ...changing, ...Object.keys(moving)]) {
    const name = key.slice(key.indexOf("/") + 1);
    const agent = agents.get(name);
    if (agent === undefined) throw new Error(`no agent ${name} was started`);
    kept[name] = await agent.data();
  }
  return kept;
}

/** What this version itself writes when it is started again, while the clusters are not reached. */
async function writesOfAnotherStart(program: Program, place: Parameters<typeof startFleet>[1]): Promise<string[]> {
  const fleet = await startFleet(program, place);
  await fleet.startDaemon();
  await untilQuiet(fleet);
  await fleet.stop();
  return [...new Set(fleet.writes)].sort();
}

async function makeNamespaces({ api }: RunningFleet, kubeconfig: string): Promise<void> {
  const manager = { fieldManager: "test" };
  const labels = { [labelKeys.workspace]: "true" };
  for (const metadata of [{ name: daemonNamespace }, { name: workspace, labels }, { name: secondWorkspace, labels }])
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata }, manager);
  const unreached = kubeconfig.replace(/127\.0\.0\.1:\d+/u, "127.0.0.1:1");
  for (const [name, text] of [
    [kubeconfigSecrets.reached, kubeconfig],
    [kubeconfigSecrets.unreached, unreached],
  ] as const) {
    const metadata = { name, namespace: workspace };
    const data = { value: Buffer.from(text).toString("base64") };
    await api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, manager);
  }
}

/** All agents join that are to be members before anything else happens; one asks that waits for an approval. */
async function joinAll(scene: Scene, kubeconfig: string): Promise<Recording["foreign"]> {
  const { fleet, agents, program } = scene;
  await Promise.all(Object.entries(ownAgents).map(([name, token]) => joinByToken(scene, name, token)));
  const downstreamApi = apiOf(readKubeconfig(kubeconfig));
  const data = await until(
    (): Promise<AgentData> => dataOf(downstreamApi).catch(() => ({})),
    (seen) => seen["rollcall-agent-values"]?.["values"] !== undefined,
  );
  agents.set("installed", await resumeAgent(program, { name: "installed", data, hubUrl: fleet.hubUrl }));
  for (const [name, token] of Object.entries({ ...ownAgents, installed: workspace }))
    await untilCondition(fleet, `${token.split("/")[0]}/${name}`, "Ready");
  const foreign = await joinForeign(fleet, downstreamApi);
  await downstreamApi.close();
  for (const name of Object.keys(foreign)) {
    const shown = name === "fleet-open" ? undefined : name;
    if (shown !== undefined) await untilCondition(fleet, `${workspace}/${shown}`, "Healthy");
  }
  const asking = await joinByToken(scene, "proposed", `${workspace}/review`);
  await until(
    async () => asking.said("the registration waits"),
    (count) => count > 0,
  );
  await fleet.settle();
  return foreign;
}

/** Two agents take the new version, then two have it offered and are away, and two wait for their turn. */
async function rollOutHalf({ fleet, repository, agents }: Scene): Promise<void> {
  for (const name of wave) await untilCondition(fleet, `${workspace}/${name}`, "AgentUpToDate");
  for (const name of ["wave-3", "wave-4", "wave-5", "wave-6"]) await agents.get(name)?.stop();
  await repository.commit({ files: rolloutFiles() });
  await fleet.settle();
  for (const [name, reason] of [
    ["wave-1", "UpToDate"],
    ["wave-2", "UpToDate"],
    ["wave-3", "Updating"],
    ["wave-4", "Updating"],
    ["wave-5", "WaitingForWave"],
    ["wave-6", "WaitingForWave"],
  ] as const)
    await until(
      () => fleet.get(cluster, name),
      (seen) => textAt(findCondition(seen, "AgentUpToDate"), "reason") === reason,
    );
}

function findCondition(object: unknown, type: string): unknown {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type);
}

async function changeByHand({ fleet }: Scene): Promise<void> {
  const operator = { hubApi: fleet.api, user: "admin", nowMs: Date.now(), signal: new AbortController().signal };
  const ref = (name: string) => ({ type: cluster, namespace: workspace, name });
  for (const name of ["suspended", "fleet-3"])
    await suspendCluster(operator, { cluster: ref(name), isSuspended: true });
  await revokeCluster(operator, ref("revoked"));
  await fleet.settle();
}

/** One agent is admitted and does not take its credential; then others ask that no daemon answers. */
async function askWhileAway(scene: Scene): Promise<void> {
  const { fleet } = scene;
  await fleet.stopDaemon();
  await ask(scene, "granted");
  await fleet.startDaemon();
  await fleet.settle();
  await fleet.stopDaemon();
  await ask(scene, "half");
  await askByFleet(fleet, "fleet-half");
  await askByClusternet(fleet, "clusternet-half");
}

async function ask(scene: Scene, name: string): Promise<void> {
  const count = async () => (await scene.fleet.api.list(clusterRegistration, { namespace: workspace })).items.length;
  const before = await count();
  const agent = await joinByToken(scene, name, `${workspace}/token`);
  await until(count, (now) => now > before);
  await agent.stop();
}

async function joinByToken({ program, fleet, agents }: Scene, name: string, token: string): Promise<RunningAgent> {
  const [namespace = "", tokenName = ""] = token.split("/");
  const values = (await readSecret(fleet.api, { namespace, name: tokenName }, "values"))("values");
  const downstreamApi = simulatedCluster({
    uid: name,
    agentNamespace: "rollcall-agent",
    values: JSON.stringify({ ...(JSON.parse(values) as object), cluster: { name, clientID: name } }),
  });
  const agent = await startAgent(program, { name, downstreamApi: withDeployment(downstreamApi), hubUrl: fleet.hubUrl });
  agents.set(name, agent);
  return agent;
}

async function untilCondition(fleet: RunningFleet, key: string, type: string): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  await until(
    () => fleet.api.get({ type: cluster, namespace, name }),
    (seen) => conditionOf(seen, type) === "True",
  ).catch((error: unknown) => {
    throw new Error(`${key}: ${fleet.lines.slice(-20).join("\n")}`, { cause: error });
  });
}
