import { randomUUID } from "node:crypto";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import type { KubeApi, KubeCacheOptions } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import type { ClusterPhase } from "../../../src/planning/cluster-phase.ts";
import { clusterPhase, isPhaseChange } from "../../../src/planning/cluster-phase.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import type { AgentChanges, RunningAgent } from "../agent/fleet-session.ts";
import { follow, startAgent } from "../agent/fleet-session.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";

/** A daemon with a repository, and agents whose clusters are the hub itself: the whole way from a file to an agent. */
export interface LifeSession extends DaemonSession {
  /** A second workspace of the repository. */
  readonly otherWorkspace: string;
  /** Commits files (null deletes one) and resolves when the daemon has worked on the commit. */
  commit(files: Readonly<Record<string, string | null>>, message?: string): Promise<void>;
  /** A Secret with a kubeconfig of this very server, for a cluster that the hub installs an agent in. */
  kubeconfigSecret(name: string, workspace?: string): Promise<void>;
  until(
    type: ResourceType,
    name: string,
    condition: (object: KubeObject | undefined) => boolean,
    namespace?: string,
  ): Promise<KubeObject>;
  untilDeleted(type: ResourceType, name: string, namespace?: string): Promise<void>;
  untilReady(cluster: string, workspace?: string): Promise<KubeObject>;
  /** Every object of workspaces, daemon and these namespaces with its version; no Lease, Event or registration: those come and go. */
  versions(namespaces: readonly string[]): Promise<readonly string[]>;
  /** Steps of clusters from one phase to another that were seen and that there is no way for. */
  impossibleSteps(): readonly string[];
  agentNamespace(): string;
  startAgent(namespace: string, changes?: AgentChanges): Promise<RunningAgent>;
  /** Starts an agent in a namespace once the hub has installed it there. */
  startInstalledAgent(namespace: string, changes?: AgentChanges): Promise<RunningAgent>;
}

export async function openLifeSession(hub: HubUnderTest): Promise<LifeSession> {
  const session = await openDaemonSession(hub);
  const { api, endpoint } = session;
  const otherWorkspace = `other-${session.workspace}`;
  const namespaces = [otherWorkspace];
  const agents = new Set<RunningAgent>();
  const metadata = { name: otherWorkspace, labels: { [labelKeys.workspace]: "true" } };
  await api.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
  const until: LifeSession["until"] = async (type, name, condition, namespace = session.workspace) => {
    const ref: ObjectRef = { type, name, ...(type.isNamespaced ? { namespace } : {}) };
    try {
      return await follow(api, ref, condition);
    } catch (error) {
      const told = session.log.lines.filter((line) => /^(warn|error)/u.test(line)).slice(-20);
      const agentsTold = [...agents].flatMap(({ lines }) => lines.filter(({ level }) => level !== "debug").slice(-10));
      throw new Error(`${String(error)}\n${told.join("\n")}\n${JSON.stringify(agentsTold, undefined, 1)}`, {
        cause: error,
      });
    }
  };
  const start: LifeSession["startAgent"] = async (namespace, changes = {}) => {
    const agent = await startAgent(api, endpoint, namespace, changes);
    agents.add(agent);
    return agent;
  };
  const steps = await followPhases(api, [session.workspace, otherWorkspace]);
  return {
    ...session,
    impossibleSteps: steps.impossible,
    versions: async (more) => {
      const places = [session.workspace, otherWorkspace, session.namespace, ...more];
      const lists = await Promise.all(
        places.flatMap((namespace) => versionedTypes.map((type) => api.list(type, { namespace }))),
      );
      return lists
        .flatMap(({ items }) => items)
        .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name} ${metadata.resourceVersion}`)
        .sort();
    },
    startDaemon: (options = {}) =>
      session.startDaemon({
        ...options,
        spec: { workspaces: [session.workspace, otherWorkspace], ...options.spec },
      }),
    otherWorkspace,
    commit: async (files, message) => {
      await session.repository.commit({ files: { ...files }, ...(message === undefined ? {} : { message }) });
      await session.settle();
    },
    kubeconfigSecret: async (name, workspace = session.workspace) => {
      const data = { value: Buffer.from(hub.kubeconfig).toString("base64") };
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: workspace }, data };
      await api.create(secret, { fieldManager: "test" });
    },
    until,
    untilDeleted: async (type, name, namespace) => {
      await until(type, name, (object) => object === undefined, namespace);
    },
    untilReady: (cluster, workspace) =>
      until(resourceTypes.cluster, cluster, (object) => conditionStatus(object, "Ready") === "True", workspace),
    agentNamespace: () => {
      const name = `agent-${randomUUID().slice(0, 8)}`;
      namespaces.push(name);
      return name;
    },
    startAgent: start,
    startInstalledAgent: async (namespace, changes) => {
      await until(resourceTypes.deployment, "rollcall-agent", (object) => object !== undefined, namespace);
      return start(namespace, changes);
    },
    close: async () => {
      await Promise.all([...agents].map((agent) => agent.stop()));
      await session.stopDaemon();
      await steps.stop();
      for (const name of namespaces) await api.delete({ type: resourceTypes.namespace, name });
      await session.close();
    },
  };
}

const { cluster, clusterRegistrationToken, clusterGroup, clusterReport, repository } = resourceTypes;
const { configMap, secret, serviceAccount, role, roleBinding, deployment } = resourceTypes;
const versionedTypes = [
  ...[cluster, clusterRegistrationToken, clusterGroup, clusterReport, repository],
  ...[configMap, secret, serviceAccount, role, roleBinding, deployment],
];

async function followPhases(api: KubeApi, workspaces: readonly string[]) {
  const phases = new Map<string, ClusterPhase>();
  const impossible = new Set<string>();
  let count = 0;
  const onChange: KubeCacheOptions["onChange"] = ({ ref, object }) => {
    const key = `${ref.namespace}/${ref.name}`;
    const from = phases.get(key) ?? "absent";
    const to = object === undefined ? "absent" : clusterPhase(object);
    if (to === "absent") phases.delete(key);
    else phases.set(key, to);
    if (from === to) return;
    count++;
    // A watch that was away may have missed what was between.
    if (!isPhaseChange(from, to) && from !== "absent") impossible.add(`${key}: ${from} -> ${to}`);
  };
  const caches = workspaces.map((namespace) =>
    startKubeCache(api, resourceTypes.cluster, { namespace, onChange }, { clock: realClock, random: realRandom }),
  );
  await Promise.all(caches.map((cache) => cache.whenSynced()));
  return {
    impossible: () => (count === 0 ? ["no step was seen"] : [...impossible]),
    stop: () => Promise.all(caches.map((cache) => cache.stop())),
  };
}

/** The file of a cluster; lines are those of its spec. */
export function clusterFile(name: string, lines: readonly string[] = [], workspace?: string): string {
  return [
    "apiVersion: rollcall.dev/v1alpha1",
    "kind: Cluster",
    "metadata:",
    `  name: ${name}`,
    ...(workspace === undefined ? [] : [`  namespace: ${workspace}`]),
    "  labels: { env: test }",
    "spec:",
    `  displayName: Cluster ${name}`,
    ...lines.map((line) => `  ${line}`),
    "",
  ].join("\n");
}

export function tokenFile(name: string, lines: readonly string[]): string {
  const spec = lines.map((line) => `  ${line}\n`).join("");
  const head = "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\n";
  return `${head}metadata:\n  name: ${name}\nspec:\n${spec}`;
}

export function conditionStatus(object: KubeObject | undefined, type: string): string | undefined {
  return textAt(conditionOf(object, type), "status");
}

export function conditionReason(object: KubeObject | undefined, type: string): string | undefined {
  return textAt(conditionOf(object, type), "reason");
}

function conditionOf(object: KubeObject | undefined, type: string): unknown {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type);
}
