// One of many agents in a process, with its keys, its connections and its whole work, on a downstream cluster in memory.
import { runAgent } from "../../src/agent/agent.ts";
import { followObject, hubConnector } from "../../src/agent-process/wire-agent.ts";
import { silentLog } from "../../src/core/log.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";
import { simulatedCluster } from "../support/simulated-cluster.ts";

export interface JoiningAgent {
  readonly stop: () => void;
  /** When it had its credential, by `performance.now`. */
  readonly whenJoined: Promise<number>;
  /** Resolves once it was stopped. */
  readonly ended: Promise<void>;
  /** Its calls of the hub so far. */
  readonly countCalls: () => number;
}

export function startAgent(index: number, values: string): JoiningAgent {
  // A signal of all would cost each of them in proportion to all.
  const stopping = new AbortController();
  const name = `edge-${index}`;
  const apis: KubeApi[] = [];
  const connectHub = hubConnector({});
  const text = JSON.stringify({ ...(JSON.parse(values) as object), cluster: { name, clientID: `client-${index}` } });
  const noted = { joined: (_atMs: number): void => undefined };
  const whenJoined = new Promise<number>((resolve) => (noted.joined = resolve));
  const ended = runAgent({
    downstreamApi: simulatedCluster({ uid: `uid-${index}`, agentNamespace: "rollcall-agent", values: text }),
    connectHub: (target) => {
      const api = connectHub(target);
      apis.push(api);
      return api;
    },
    followObject,
    runAsLeader: (work, leading) => work(leading),
    clock: realClock,
    random: realRandom,
    log: {
      ...silentLog,
      info: (message) => {
        if (message === "joined the hub") noted.joined(performance.now());
      },
    },
    signal: stopping.signal,
    settings: { version: "0.1.0", namespace: "rollcall-agent", podName: name },
  });
  const countCalls = (): number =>
    apis.flatMap(({ requestCounts }) => [...requestCounts.values()]).reduce((sum, count) => sum + count, 0);
  return { whenJoined, ended, countCalls, stop: () => stopping.abort() };
}

export async function stopAll(agents: readonly JoiningAgent[]): Promise<void> {
  for (const { stop } of agents) stop();
  await Promise.all(agents.map(({ ended }) => ended));
}
