import { textAt } from "../../src/core/read-json.ts";
import { installProtocols } from "../../src/daemon/foreign-protocols.ts";
import { installHub } from "../../src/install/install-hub.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { realClock } from "../../src/system/real-clock.ts";
import { daemonNamespace, foreignServed, workspace } from "./daemon-process.ts";
import { hasKubeconfig, untilDone } from "./by-kubeconfig.ts";
import { firstNameOf } from "./first-name.ts";
import { clusterFile, commitFiles, paceFile, pacePath, rulesFile, rulesPath, tokenName } from "./fleet-files.ts";
import { giveForgeToken } from "./forge/forge-people.ts";
import { foreignValuesFor, installForeignAgent } from "./foreign/foreign-process.ts";
import { clientIdOf, foreignOf } from "./foreign/foreign-names.ts";
import { writeValues } from "./member-process.ts";
import { defaultHeartbeatSeconds } from "./pace.ts";
import type { World } from "./world.ts";
import { neverAborted } from "../support/never-aborted.ts";

/** `c0`, `c1` and so on. */
export function nameClusters(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `c${index}`);
}

/** A hub with definitions and a workspace, a first commit, the daemons, and an agent for each declared cluster. */
export async function beginWorld(world: World, clusterNames: readonly string[]): Promise<void> {
  const { personApi, hub } = world;
  world.startHub();
  while (hub.serve === undefined) await realClock.sleep(100);
  await installHub(personApi, daemonNamespace, neverAborted());
  if (world.servesForeign) await installProtocols(personApi, foreignServed, neverAborted());
  const labels = { [labelKeys.workspace]: "true" };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: workspace, labels } };
  await personApi.create(namespace, { fieldManager: "people" });
  if (world.forge !== undefined) await giveForgeToken(world, world.forge);
  const files = clusterNames.map((name): [string, string] => [`clusters/${name}.yaml`, clusterFile(name, "0")]);
  const { heartbeatSeconds } = world.pace;
  const isDefault = heartbeatSeconds === defaultHeartbeatSeconds;
  const pace = isDefault ? [] : [[pacePath, paceFile(heartbeatSeconds)] as const];
  commitFiles(world, new Map([...files, [rulesPath, rulesFile("0")], ...pace]), "Begin the fleet");
  for (const replica of world.replicas) world.startReplica(replica);
  await Promise.all(clusterNames.map((name) => addAgent(world, name)));
}

/** A person installs an agent in a new cluster with the values of the token. */
export async function addAgent(world: World, name: string): Promise<void> {
  const ref = { type: resourceTypes.cluster, namespace: workspace, name };
  // An agent that comes before its file is refused, and asks again after ten minutes.
  const isThere = async (): Promise<boolean> => (await world.personApi.get(ref)) !== undefined;
  if (hasKubeconfig(name)) {
    while (!(await untilDone(isThere))) await realClock.sleep(5000);
    return world.addReachedMember(name);
  }
  while (!(await isThere())) await realClock.sleep(5000);
  await world.addMember(name, await valuesFor(world, name));
}

/** A person, or one who has the token, gives the agent of a known cluster the values once more, with its present name. */
export async function installAgain(world: World, name: string): Promise<void> {
  const firstName = firstNameOf(name);
  const downstream = world.members.get(firstName)?.server;
  if (downstream === undefined) throw new Error(`there is no cluster ${firstName}`);
  const { agent } = world.members.get(firstName) ?? {};
  const place = { node: world.people, downstream, network: world.network };
  const values = await valuesFor(world, name);
  const isForeign = foreignOf(name) !== undefined;
  // A foreign agent reads what it joins with when it begins.
  const wasLeft = isForeign || (await writeValues(place, values));
  if (isForeign) await installForeignAgent(place, values);
  const member = world.members.get(firstName);
  if (!wasLeft || agent === undefined || member === undefined) return;
  // What an agent removed is made again, and with it the Pod.
  world.kill(agent);
  world.startAgent(member);
}

/** What an agent of this name is installed with: ours as JSON, others as the hub gives it. */
export async function valuesFor(world: World, name: string): Promise<string> {
  const protocol = foreignOf(name);
  if (protocol !== undefined) return foreignValuesFor(world, name, protocol);
  const cluster = { name, clientID: clientIdOf(name) };
  return JSON.stringify({ ...(JSON.parse(await tokenValues(world)) as object), cluster });
}

async function tokenValues({ personApi }: World): Promise<string> {
  for (;;) {
    const ref = { type: resourceTypes.secret, namespace: workspace, name: tokenName };
    const secret: KubeObject | undefined = await personApi.get(ref);
    const encoded = textAt(secret, "data", "values");
    if (encoded !== undefined) return Buffer.from(encoded, "base64").toString("utf8");
    await realClock.sleep(500);
  }
}
