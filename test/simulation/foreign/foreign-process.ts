import { createKubeApi } from "../../../src/kube/kube-api.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { workspace } from "../daemon-process.ts";
import { administrator, simulatedCaPem } from "../hub-process.ts";
import type { AgentParts } from "../member-process.ts";
import type { World } from "../world.ts";
import { agentMemory, foreignNamespace, sendOver } from "./agent-parts.ts";
import type { ForeignParts } from "./agent-parts.ts";
import { runClusternetAgent } from "./clusternet-agent.ts";
import { runFleetAgent } from "./fleet-agent.ts";
import { doorOf } from "./foreign-names.ts";
import type { ForeignName } from "./foreign-names.ts";
import { runKubefleetAgent } from "./kubefleet-agent.ts";

const agents: Readonly<Record<ForeignName, (parts: ForeignParts) => Promise<void>>> = {
  fleet: runFleetAgent,
  kubefleet: runKubefleetAgent,
  clusternet: runClusternetAgent,
};

export interface ForeignStart extends Pick<ForeignParts, "cluster" | "holds"> {
  readonly protocol: ForeignName;
  /** A person has its Pod made again. */
  readonly restart: () => void;
}

/** The one process of an agent of another project, from what it finds in its cluster. */
export function startForeignAgent(
  { node, hub, downstream, network, scheduler, onExit }: AgentParts,
  { cluster, protocol, holds, restart }: ForeignStart,
): void {
  const transport = network.transport(node, downstream, administrator);
  const parts: ForeignParts = {
    cluster,
    server: hub.url,
    caPem: simulatedCaPem,
    clock: realClock,
    send: sendOver(network.transport(node, hub)),
    memory: agentMemory(createKubeApi({ transport, clock: realClock, random: realRandom })),
    holds,
  };
  scheduler.send(node, 0, "agent starts", () => {
    agents[protocol](parts).then(restart, (error: unknown) => onExit(String(error)));
  });
}

type InstallParts = Pick<AgentParts, "downstream" | "network" | "node">;

/** A person gives the agent what it joins with, also one that had it before. */
export async function installForeignAgent({ downstream, network, node }: InstallParts, values: string): Promise<void> {
  const transport = network.transport(node, downstream, administrator);
  const api = createKubeApi({ transport, clock: realClock, random: realRandom });
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: foreignNamespace } };
  await api.apply(namespace, { fieldManager: "helm" });
  await agentMemory(api).write("bootstrap", { values });
}

/** What a person finds on the hub for the agent of a cluster that is declared. */
export async function foreignValuesFor(
  { personApi }: Pick<World, "personApi">,
  cluster: string,
  protocol: ForeignName,
): Promise<string> {
  const door = doorOf(protocol);
  const name = door ?? `${cluster}-hub-cluster-access-token`;
  const key = { fleet: "values", kubefleet: "token", clusternet: cluster }[protocol];
  for (;;) {
    const declared = await personApi.get({ type: resourceTypes.cluster, namespace: workspace, name: cluster });
    if (declared === undefined) throw new Error(`${cluster} is gone before its agent was installed`);
    const secret = await personApi.get({ type: resourceTypes.secret, namespace: workspace, name });
    const encoded = textAt(secret, "data", key) ?? "";
    if (encoded !== "") return Buffer.from(encoded, "base64").toString("utf8");
    await realClock.sleep(5000);
  }
}
