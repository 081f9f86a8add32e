import { randomUUID } from "node:crypto";
import { parse } from "yaml";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { objectAt, objectsAt, textAt, textMapAt, textsAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { AgentProcess } from "../../support/agent-process.ts";
import { startClusternetAgent } from "../../support/clusternet-agent-process.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { openLifeSession } from "../life/life-session.ts";
import type { LifeSession } from "../life/life-session.ts";

const { deployment, lease, managedCluster, namespace: namespaceType, registrationRequest, secret } = resourceTypes;

type Flags = Readonly<Record<string, string>>;

/** A daemon with a repository on one hub, and processes of Clusternet's own agent in one child. */
export interface RealAgentSession extends LifeSession {
  readonly childApi: KubeApi;
  readonly childKubeconfig: string;
  /** A namespace of the child for one agent: its Lease there is its identity. */
  childNamespace(): Promise<string>;
  /** The flags that a token's Secret has for a cluster. */
  flagsOf(token: string, clusterName: string): Promise<Flags>;
  run(namespace: string, flags: Flags): Promise<AgentProcess>;
  /** Runs what the hub installed, as its Pod would: with its command, its environment and the rights of its account. */
  runInstalled(namespace: string): Promise<AgentProcess>;
  /** The id that an agent has by its Lease. */
  clusterIdIn(namespace: string): Promise<string>;
  /** The agent's request, once it meets the condition. */
  untilRequest(clusterId: string, condition: (request: KubeObject) => boolean): Promise<KubeObject>;
  /** Resolves with the next heartbeat of a cluster whose ManagedCluster is in this namespace of the hub. */
  untilBeat(name: string, home: string): Promise<void>;
}

export async function openRealAgentSession(hub: HubUnderTest, child: HubUnderTest): Promise<RealAgentSession> {
  const session = await openLifeSession(hub);
  const childApi = apiOf(readKubeconfig(child.kubeconfig));
  const childCa = (await readKubeconfig(child.kubeconfig).getTls()).caPem ?? "";
  const namespaces: string[] = [];
  const agents: AgentProcess[] = [];
  const requests = new Set<string>();
  const { api } = session;

  const run = async (namespace: string, flags: Flags, childKubeconfig = child.kubeconfig): Promise<AgentProcess> => {
    const agent = await startClusternetAgent({ childKubeconfig, namespace, flags });
    agents.push(agent);
    return agent;
  };
  const markerOf = async (name: string, namespace: string): Promise<string | undefined> =>
    textAt(await api.get({ type: managedCluster, namespace, name }), "status", "lastObservedTime");
  return {
    ...session,
    childApi,
    childKubeconfig: child.kubeconfig,
    childNamespace: async () => {
      const name = `clusternet-${randomUUID().slice(0, 8)}`;
      namespaces.push(name);
      await childApi.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { fieldManager: "test" });
      return name;
    },
    flagsOf: async (token, clusterName) => {
      const seen = await session.until(secret, token, (found) => textAt(found, "data", clusterName) !== undefined);
      const values: unknown = parse(decodeAt(seen, clusterName));
      return {
        "cluster-reg-parent-url": textAt(values, "parentURL") ?? "",
        "cluster-reg-token": textAt(values, "registrationToken") ?? "",
        ...textMapAt(values, "extraArgs"),
      };
    },
    run,
    runInstalled: async (namespace) => {
      if (!namespaces.includes(namespace)) namespaces.push(namespace);
      const place = { type: deployment, namespace, name: "clusternet-agent" };
      const found = await until(
        () => childApi.get(place),
        (object) => object !== undefined,
      );
      const podSpec = objectAt(found, "spec", "template", "spec");
      const [container] = objectsAt(podSpec, "containers");
      const environment = new Map<string, string>();
      for (const variable of objectsAt(container, "env")) {
        const { name: from = "", key = "" } = textMapAt(variable, "valueFrom", "secretKeyRef");
        environment.set(
          textAt(variable, "name") ?? "",
          decodeAt(await childApi.get({ type: secret, namespace, name: from }), key),
        );
      }
      const args = textsAt(container, "command").slice(1);
      const flags = args.map((arg): [string, string] => {
        const [, flag = "", value = ""] = /^--([a-z-]+)=(.*)$/u.exec(arg) ?? [];
        return [flag, value.replace(/\$\(([A-Z_]+)\)/gu, (_all, name: string) => environment.get(name) ?? "")];
      });
      const serviceAccount = textAt(podSpec, "serviceAccountName") ?? "";
      const { token } = await childApi.requestToken({ namespace, serviceAccount, expirationSeconds: 3600 });
      return run(namespace, Object.fromEntries(flags), kubeconfigOf(childApi.server, childCa, token));
    },
    clusterIdIn: async (namespace) => {
      const ref = { type: lease, namespace, name: "clusternet-agent" };
      const held = await until(
        () => childApi.get(ref),
        (object) => object !== undefined,
      );
      return held?.metadata.uid ?? "";
    },
    untilRequest: (clusterId, condition) => {
      requests.add(`clusternet-${clusterId}`);
      return session.until(
        registrationRequest,
        `clusternet-${clusterId}`,
        (found) => found !== undefined && condition(found),
      );
    },
    untilBeat: async (name, home) => {
      const before = await markerOf(name, home);
      await until(
        () => markerOf(name, home),
        (marker) => marker !== undefined && marker !== before,
      );
    },
    close: async () => {
      for (const agent of agents) await agent.stop();
      for (const name of requests) await api.delete({ type: registrationRequest, name });
      for (const name of namespaces) await childApi.delete({ type: namespaceType, name });
      await childApi.close();
      await session.close();
      await child.stop();
    },
  };
}

function decodeAt(object: unknown, key: string): string {
  return Buffer.from(textAt(object, "data", key) ?? "", "base64").toString("utf8");
}

function kubeconfigOf(server: string, caPem: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "child", cluster: { server, "certificate-authority-data": Buffer.from(caPem).toString("base64") } },
    ],
    users: [{ name: "agent", user: { token } }],
    contexts: [{ name: "child", context: { cluster: "child", user: "agent" } }],
    "current-context": "child",
  });
}
