import type { JsonObject } from "../../src/core/json.ts";
import { textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { rollcallAnnotations } from "../../src/model/dialects/rollcall.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { collectingLog } from "../contract/agent/fleet-session.ts";
import type { LogLine } from "../contract/agent/fleet-session.ts";
import { realClock, realRandom } from "../support/real-time.ts";
import { simulatedCluster } from "../support/simulated-cluster.ts";
import type { Program } from "./program.ts";

const namespace = "rollcall-agent";
const secretNames = ["rollcall-agent-values", "rollcall-agent-identity"] as const;
/** Absent: the agent is a process that no Deployment runs. */
const deploymentKey = "deployment";

/** What an agent keeps in its cluster: the data of its two Secrets, and the manifest that its Deployment is from. */
export type AgentData = Readonly<Record<string, JsonObject>>;

export interface RunningAgent {
  readonly lines: readonly LogLine[];
  /** How often it has joined the hub since it was started, the start after a restart included. */
  said(message: string): number;
  data(): Promise<AgentData>;
  stop(): Promise<void>;
}

/** An agent that continues with what another one kept. */
export async function resumeAgent(
  program: Program,
  { name, data, hubUrl }: { readonly name: string; readonly data: AgentData; readonly hubUrl: string },
): Promise<RunningAgent> {
  const downstreamApi = simulatedCluster({ uid: name, agentNamespace: namespace, values: "" });
  for (const secret of secretNames) {
    const ref = { type: resourceTypes.secret, namespace, name: secret };
    await downstreamApi.mergePatch(ref, { data: data[secret] ?? {} }, { fieldManager: "test" });
  }
  const deployment = data[deploymentKey];
  const deployed =
    deployment === undefined ? downstreamApi : withDeployment(downstreamApi, textAt(deployment, "digest"));
  return startAgent(program, { name, downstreamApi: deployed, hubUrl });
}

/** The same cluster with a Deployment of the agent, from the manifest with this digest. Its Pods are ready at once. */
export function withDeployment(downstreamApi: KubeApi, digest?: string): KubeApi {
  const annotations: Record<string, string> =
    digest === undefined ? {} : { [rollcallAnnotations.manifestDigest]: digest };
  let deployment: KubeObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "rollcall-agent", namespace, annotations },
  };
  const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  const isDeployment = ({ kind }: { readonly kind: string }): boolean => kind === "Deployment";
  return {
    ...downstreamApi,
    get: async (ref, options) => (isDeployment(ref.type) ? { ...deployment, status } : downstreamApi.get(ref, options)),
    apply: async (object, options) =>
      isDeployment(object) ? (deployment = object) : downstreamApi.apply(object, options),
  };
}

/** An agent in a cluster of its own; `hubUrl` is where the hub listens, whatever address the agent has. */
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
    settings: { version: "0.1.0", namespace, podName: name, factsPeriodMs: 2000 },
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
  const data = Object.fromEntries(await Promise.all(entries));
  const ref = { type: resourceTypes.deployment, namespace, name: "rollcall-agent" };
  const deployment = await downstreamApi.get(ref);
  const digest = deployment?.metadata.annotations?.[rollcallAnnotations.manifestDigest];
  return deployment === undefined ? data : { ...data, [deploymentKey]: digest === undefined ? {} : { digest } };
}
