import { runAgent } from "../../../src/agent/agent.ts";
import { followObject, hubConnector } from "../../../src/agent-process/wire-agent.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { simulatedCluster } from "../../support/simulated-cluster.ts";
import { collectingLog } from "./fleet-session.ts";
import type { LogLine } from "./fleet-session.ts";

/** A whole agent on a downstream cluster in memory: its keys, connections and calls of the hub are real. */
export interface SimulatedAgent {
  readonly lines: readonly LogLine[];
  /** Every connection to the hub that it opened. */
  readonly hubApis: readonly KubeApi[];
  /** Resolves when it was let in: true; or refused: false. */
  readonly result: Promise<boolean>;
  stop(): Promise<void>;
}

export function startSimulatedAgent(values: AgentValues, cluster: { name: string; clientID: string }): SimulatedAgent {
  const lines: LogLine[] = [];
  const hubApis: KubeApi[] = [];
  const connectHub = hubConnector({});
  const stopping = new AbortController();
  let decide: (isIn: boolean) => void = () => undefined;
  const result = new Promise<boolean>((resolve) => (decide = resolve));
  const log = collectingLog(lines);
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
    log: {
      ...log,
      info: (message, fields) => {
        log.info(message, fields);
        if (message === "joined the hub") decide(true);
      },
      error: (message, fields) => {
        log.error(message, fields);
        if (message === "the hub refused the registration") decide(false);
      },
    },
    signal: stopping.signal,
    settings: { version: "0.1.0", namespace: "rollcall-agent", podName: cluster.name },
  });
  return {
    lines,
    hubApis,
    result,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
