import { runAgent } from "../../src/agent/agent.ts";
import { followObject, hubConnector } from "../../src/agent-process/wire-agent.ts";
import type { Log } from "../../src/core/log.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { simulatedCluster } from "./simulated-cluster.ts";

/** A whole agent on a downstream cluster in memory: its keys, connections and calls of the hub are real. */
export interface RunningAgent {
  /** Every connection to the hub that it opened. */
  readonly hubApis: readonly KubeApi[];
  /** Resolves when it has ended. */
  readonly stop: () => Promise<void>;
}

export function startSimulatedAgent(options: {
  /** What its token's agents are started with. */
  readonly values: object;
  readonly cluster: { readonly name: string; readonly clientID: string };
  readonly log: Log;
}): RunningAgent {
  const { values, cluster, log } = options;
  const hubApis: KubeApi[] = [];
  const connectHub = hubConnector({});
  // Of its own: a signal of all agents would cost each of them in proportion to all.
  const stopping = new AbortController();
  const ended = runAgent({
    downstreamApi: simulatedCluster({
      uid: cluster.clientID,
      agentNamespace: "rollcall-agent",
      values: JSON.stringify({ ...values, cluster }),
    }),
    connectHub: (target) => {
      const api = connectHub(target);
      hubApis.push(api);
      return api;
    },
    followObject,
    runAsLeader: (work, leading) => work(leading),
    clock: realClock,
    random: realRandom,
    log,
    signal: stopping.signal,
    settings: { version: "0.1.0", namespace: "rollcall-agent", podName: cluster.name },
  });
  return {
    hubApis,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
