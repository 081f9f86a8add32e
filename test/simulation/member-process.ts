import { setMaxListeners } from "node:events";
import { runAgent } from "../../src/agent/agent.ts";
import { followObject } from "../../src/agent-process/wire-agent.ts";
import type { Log } from "../../src/core/log.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import { agentNames, defaultAgentNamespace } from "../../src/model/dialects/rollcall.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { administrator } from "./hub-process.ts";
import type { Network, Server } from "./network.ts";
import type { Scheduler, SimNode } from "./scheduler.ts";

export interface AgentParts {
  readonly node: SimNode;
  readonly hub: Server;
  readonly downstream: Server;
  readonly network: Network;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** The one Pod of an agent: src/agent as it is. It leads without a Lease, because it has no second replica. */
export function startAgentProcess({ node, hub, downstream, network, scheduler, log }: AgentParts): void {
  const connect = (server: Server, token: string | undefined) => {
    const identity = server === downstream ? administrator : {};
    const transport = network.transport(node, server, identity);
    const getToken = token === undefined ? {} : { getToken: () => Promise.resolve(token) };
    const clock = { clock: realClock, random: realRandom, pageSize: 100 };
    return createKubeApi({ transport: { ...transport, ...getToken }, ...clock });
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
      settings: { version: "0.1.0", namespace: defaultAgentNamespace, podName: node.name },
    });
  scheduler.send(node, 0, "agent starts", () => {
    run().catch((error: unknown) => log.error("the agent's process ended", { error }));
  });
}

/** Makes what the installation of an agent makes in its cluster, with a token's values. */
export async function installAgent(
  parts: Pick<AgentParts, "downstream" | "network" | "node">,
  values: string,
): Promise<void> {
  const { network, node, downstream } = parts;
  const transport = network.transport(node, downstream, administrator);
  const api = createKubeApi({ transport, clock: realClock, random: realRandom });
  const options = { fieldManager: "helm" };
  const namespace = defaultAgentNamespace;
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, options);
  const secret = (name: string, data: Record<string, string>) =>
    api.create({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, data }, options);
  await secret(agentNames.values, { values: Buffer.from(values).toString("base64") });
  await secret(agentNames.identity, {});
}
