import type { JsonObject } from "../../src/core/json.ts";
import { textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { collectingLog } from "../contract/agent/fleet-session.ts";
import type { LogLine } from "../contract/agent/fleet-session.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import { simulatedCluster } from "../support/simulated-cluster.ts";
import type { Program } from "./program.ts";

const namespace = "rollcall-agent";
const secretNames = ["rollcall-agent-values", "rollcall-agent-identity"] as const;

/** What an agent keeps in its cluster: the data of its two Secrets. */
export type AgentData = Readonly<Record<string, JsonObject>>;

export interface RunningAgent {
  readonly lines: readonly LogLine[];
  /** How often it has joined the hub since it was started, the start after a restart included. */
  said(message: string): number;
  data(): Promise<AgentData>;
  stop(): Promise<void>;
}

/** An agent that goes on with what another one kept. */
export async function resumeAgent(
  program: Program,
  { name, data, hubUrl }: { readonly name: string; readonly data: AgentData; readonly hubUrl: string },
): Promise<RunningAgent> {
  const downstreamApi = simulatedCluster({ uid: name, agentNamespace: namespace, values: "" });
  for (const [secret, content] of Object.entries(data)) {
    const ref = { type: resourceTypes.secret, namespace, name: secret };
    await downstreamApi.mergePatch(ref, { data: content }, { fieldManager: "test" });
  }
  return startAgent(program, { name, downstreamApi, hubUrl });
}

/** An agent in a cluster of its own; `hubUrl` is where the hub listens, whatever the agent was told. */
export async function startAgent(
  program: Program,
  { name, downstreamApi, hubUrl }: { readonly name: string; readonly downstreamApi: KubeApi; readonly hubUrl: string },
): Promise<RunningAgent> {
  const lines: LogLine[] = [];
  const stopping = new AbortController();
  const connect = program.agentProcess.hubConnector({});
  const ended = program.agent.runAgent({
    downstreamApi,
    connectHub: (target) => connect({ ...target, url: hubUrl }),
    followObject: program.agentProcess.followObject,
    runAsLeader: (work, leading) => work(leading),
    clock: realClock,
    random: realRandom,
    log: collectingLog(lines),
    signal: stopping.signal,
    settings: { version: "0.1.0", namespace, podName: name },
  });
  return {
    lines,
    said: (message) => lines.filter((line) => line.message === message).length,
    data: () => dataOf(downstreamApi),
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

export async function dataOf(downstreamApi: KubeApi): Promise<AgentData> {
  const entries = secretNames.map(async (secret) => {
    const found = await downstreamApi.get({ type: resourceTypes.secret, namespace, name: secret });
    const [key] = [secret.replace("rollcall-agent-", "")];
    const text = textAt(found, "data", key);
    return [secret, text === undefined ? {} : { [key]: text }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
