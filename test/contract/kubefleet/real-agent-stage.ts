import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { installKubefleet } from "../../../src/install/install-kubefleet.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { kubefleetProtocol } from "../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { kubefleetAgentNames, memberNamespaceName } from "../../../src/model/dialects/kubefleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import { openForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import type { KubefleetAgentProcess } from "../../support/kubefleet-agent-process.ts";
import { startKubefleetAgent } from "../../support/kubefleet-agent-process.ts";
import { kubeconfigOf } from "../../support/deployed-container.ts";
import { runCommand } from "../../support/plain-context.ts";
import type { RecordingProxy, SeenCall } from "../../support/recording-proxy.ts";
import { startRecordingProxy } from "../../support/recording-proxy.ts";

const { cluster, deployment, memberCluster, namespace, secret } = resourceTypes;

/** A hub, a cluster that it installs agents into, and one agent of KubeFleet as the process that its Deployment asks for. */
export interface RealAgentStage {
  readonly session: ForeignHubSession;
  readonly childApi: KubeApi;
  readonly hub: HubUnderTest;
  /** Of the cluster. */
  readonly name: string;
  /** The member's namespace on the hub. */
  readonly home: string;
  /** The agent's namespace in its cluster. */
  readonly agentNamespace: string;
  /** A namespace of its cluster for what Works hold. */
  readonly apps: string;
  readonly agent: () => KubefleetAgentProcess;
  /** What the agent asked of the hub. */
  readonly calls: () => readonly SeenCall[];
  readonly heartbeats: () => readonly SeenCall[];
  declare(): Promise<void>;
  /** The same without a kubeconfig: a person installs the agent. */
  declareForPerson(): Promise<void>;
  /** `rollcall join --protocol kubefleet`, in the cluster. */
  join(): Promise<void>;
  /** Starts the agent with what the hub installed: its environment, its token, and the rights of its account. */
  startAgent(): Promise<void>;
  /** The token that the hub brought. */
  brought(): Promise<string | undefined>;
  /** Resolves with a condition of the MemberCluster once it has this status. */
  said(type: string, status: string): Promise<Readonly<Record<string, unknown>>>;
  /** Resolves once a condition of the Cluster has this in its message. */
  told(text: string): Promise<void>;
  annotate(annotations: Readonly<Record<string, string | null>>): Promise<void>;
  close(): Promise<void>;
}

export async function openRealAgentStage(hub: HubUnderTest, child: HubUnderTest): Promise<RealAgentStage> {
  const id = randomUUID().slice(0, 6);
  const [name, agentNamespace, apps] = [`real-${id}`, `kubefleet-${id}`, `apps-${id}`];
  const session = await openForeignHubSession(hub, { protocol: kubefleetProtocol, installOnHub: installKubefleet });
  const hubCa = (await readKubeconfig(session.kubeconfig).getTls()).caPem ?? "";
  const proxy: RecordingProxy = await startRecordingProxy({ server: session.api.server, caPem: hubCa });
  const childConnection = readKubeconfig(child.kubeconfig);
  const childApi = apiOf(childConnection);
  const childCa = (await childConnection.getTls()).caPem ?? "";
  const kubeconfig = { name: "child", namespace: session.workspace };
  const spec = {
    protocol: "kubefleet" as const,
    hubEndpoint: { url: proxy.server, caBundle: proxy.caPem },
    agent: { namespace: agentNamespace },
    heartbeat: { periodSeconds: 2, failureThreshold: 3 },
  };
  const data = { value: Buffer.from(child.kubeconfig, "utf8").toString("base64") };
  const manager = { fieldManager: "test" };
  await session.api.create({ apiVersion: "v1", kind: "Secret", metadata: kubeconfig, data }, manager);
  await childApi.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: apps } }, manager);
  let agent: KubefleetAgentProcess | undefined;

  const brought = async (): Promise<string | undefined> => {
    const found = await childApi.get({ type: secret, namespace: agentNamespace, name: kubefleetAgentNames.secret });
    const encoded = textAt(found, "data", "token");
    return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
  };
  const stage: RealAgentStage = {
    session,
    childApi,
    hub,
    name,
    home: memberNamespaceName(name),
    agentNamespace,
    apps,
    agent: () => {
      if (agent === undefined) throw new Error("no agent was started");
      return agent;
    },
    calls: () => proxy.calls,
    heartbeats: () => proxy.calls.filter(({ method, path }) => method === "PUT" && path.endsWith(`/${name}/status`)),
    declare: () => session.declareCluster(name, { ...spec, kubeConfigSecretRef: { name: kubeconfig.name } }),
    declareForPerson: () => session.declareCluster(name, spec),
    join: async () => {
      const given = `${name}-hub-cluster-access-token`;
      await session.eventually("the agent's token", async () =>
        textAt(await session.get(secret, given), "data", "token"),
      );
      const folder = await mkdtemp(join(tmpdir(), "rollcall-kubefleet-join-"));
      const files = { "hub-kubeconfig": session.kubeconfig, kubeconfig: child.kubeconfig };
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text, { mode: 0o600 });
      const paths = Object.fromEntries(Object.keys(files).map((file) => [file, join(folder, file)]));
      await runCommand("join", runJoin, { options: { protocol: "kubefleet", "cluster-name": name, ...paths } });
      await rm(folder, { recursive: true, force: true });
    },
    startAgent: async () => {
      await agent?.stop();
      const ref = { type: deployment, namespace: agentNamespace, name: kubefleetAgentNames.agent };
      const found = await session.eventually("the agent is installed", () => childApi.get(ref));
      const token = await session.eventually("its token is brought", brought);
      const container = objectsAt(found, "spec", "template", "spec", "containers")[0];
      const environment = Object.fromEntries(
        objectsAt(container, "env").map((entry) => [textAt(entry, "name") ?? "", textAt(entry, "value") ?? ""]),
      );
      const account = { namespace: agentNamespace, serviceAccount: kubefleetAgentNames.account };
      const own = await childApi.requestToken({ ...account, expirationSeconds: 3600 });
      const memberKubeconfig = kubeconfigOf({ server: childApi.server, caPem: childCa, token: own.token });
      agent = await startKubefleetAgent({ memberKubeconfig, environment, token });
    },
    brought,
    said: (type, status) =>
      session.eventually(`${type}=${status}`, async () => {
        const conditions = objectsAt(await session.get(memberCluster, name), "status", "conditions");
        return conditions.find((condition) => condition["type"] === type && condition["status"] === status);
      }),
    told: async (text) => {
      await session.eventually(text, async () => {
        const conditions = objectsAt(await session.get(cluster, name), "status", "conditions");
        return conditions.some((condition) => textAt(condition, "message")?.includes(text));
      });
    },
    annotate: async (annotations) => {
      const ref = { type: cluster, namespace: session.workspace, name };
      await session.api.mergePatch(ref, { metadata: { annotations } }, manager);
    },
    close: async () => {
      await agent?.stop();
      await proxy.close();
      for (const left of [apps, agentNamespace]) await childApi.delete({ type: namespace, name: left });
      await session.api.delete({ type: memberCluster, name });
      await session.api.delete({ type: namespace, name: stage.home });
      await childApi.close();
      await session.close();
      await child.stop();
    },
  };
  return stage;
}
