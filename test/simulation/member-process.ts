import { setMaxListeners } from "node:events";
import { runAgent } from "../../src/agent/agent.ts";
import { followObject } from "../../src/agent-process/wire-agent.ts";
import type { Log } from "../../src/core/log.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import { agentNames, defaultAgentNamespace } from "../../src/model/dialects/rollcall.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { administrator } from "./hub-process.ts";
import type { Network, Server } from "./network.ts";
import type { Pace } from "./pace.ts";
import type { Scheduler, SimNode } from "./scheduler.ts";

export interface AgentParts {
  readonly node: SimNode;
  readonly hub: Server;
  readonly downstream: Server;
  readonly network: Network;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** The process has ended by itself, and why. */
  readonly onExit: (why: string) => void;
}

/** Why an agent exits that has ended its work without an error. */
export const endOfWork = "its work is over";

/** The one Pod of an agent: src/agent as it is. It leads without a Lease, because it has no second replica. */
export function startAgentProcess(parts: AgentParts, pace: Pace): void {
  const { node, hub, downstream, network, scheduler, log, onExit } = parts;
  const connect = (server: Server, token: string | undefined) => {
    const identity = server === downstream ? administrator : {};
    const transport = network.transport(node, server, identity);
    const getToken = token === undefined ? {} : { getToken: () => Promise.resolve(token) };
    const clock = { clock: realClock, random: realRandom, pageSize: 100 };
    return createKubeApi({ transport: { ...transport, ...getToken }, ...clock, ...pace.watches });
  };
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const run = (): Promise<void> =>
    runAgent({
      downstreamApi: connect(downstream, undefined),
      connectHub: ({ token }) => connect(hub, token),
      followObject,
      runAsLeader: (work, signal) => work(signal),
      clock: realClock,
      random: realRandom,
      log,
      signal,
      settings: { version: "0.1.0", namespace: defaultAgentNamespace, podName: node.name, ...pace.agent },
    });
  scheduler.send(node, 0, "agent starts", () => {
    run().then(
      () => onExit(endOfWork),
      (error: unknown) => {
        log.error("the agent's process ended", { error });
        onExit(String(error));
      },
    );
  });
}

/** Makes what the installation of an agent makes in its cluster, with a token's values. */
export async function installAgent(parts: InstallParts, values: string): Promise<void> {
  const api = personApi(parts);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: defaultAgentNamespace } };
  await api.create(namespace, { fieldManager: "helm" });
  await api.create(secretOf(agentNames.values, encodeValues(values)), { fieldManager: "helm" });
  await api.create(secretOf(agentNames.identity, {}), { fieldManager: "helm" });
}

/** Puts a token's values where an installed agent reads them. True if the agent had removed itself. */
export async function writeValues(parts: InstallParts, values: string): Promise<boolean> {
  const api = personApi(parts);
  await api.apply(secretOf(agentNames.values, encodeValues(values)), { fieldManager: "helm" });
  const identity = secretOf(agentNames.identity, {});
  const { type, namespace, name } = { type: resourceTypes.secret, ...identity.metadata };
  if ((await api.get({ type, namespace, name })) !== undefined) return false;
  await api.create(identity, { fieldManager: "helm" });
  return true;
}

type InstallParts = Pick<AgentParts, "downstream" | "network" | "node">;

function personApi({ network, node, downstream }: InstallParts) {
  return createKubeApi({
    transport: network.transport(node, downstream, administrator),
    clock: realClock,
    random: realRandom,
  });
}

function secretOf(name: string, data: Record<string, string>) {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: defaultAgentNamespace }, data };
}

function encodeValues(values: string): Record<string, string> {
  return { values: Buffer.from(values).toString("base64") };
}
