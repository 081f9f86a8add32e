import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { startGitHttpServer } from "../support/git-http-server.ts";
import { createRepository } from "../support/git-repositories.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { chartFolder, runHelm } from "../support/helm.ts";
import type { RealCluster } from "../support/real-cluster.ts";
import { hostAddress, makeImage, startRealCluster } from "../support/real-cluster.ts";

const { cluster, pod, lease, repository: repositoryType } = resourceTypes;

export const namespace = "rollcall-system";
export const workspace = "fleet";

/** A hub and an edge whose Pods run, an image of the program on both, and a git server that both reach. */
export interface PodsSession {
  readonly folder: string;
  /** Tag of the image localhost/rollcall on both clusters. */
  readonly tag: string;
  readonly hub: RealCluster;
  readonly edge: RealCluster;
  readonly hubApi: KubeApi;
  readonly edgeApi: KubeApi;
  readonly repository: TestRepository;
  /** Installs the daemon's chart on the hub; resolves when its Pods are ready. */
  installDaemon(): Promise<void>;
  /** Runs helm on the hub: verb, release and, for an installation, the chart's folder. */
  helm(command: readonly string[], inNamespace: string, ...flags: string[]): Promise<void>;
  daemonPods(): Promise<KubeObject[]>;
  /** The agents' Pods on the edge. */
  agentPods(): Promise<KubeObject[]>;
  /** Who leads: the name of a Pod and a random end. */
  leader(): Promise<string | undefined>;
  cluster(name: string): Promise<KubeObject | undefined>;
  /** Waits for the head of the branch on the hub. */
  untilApplied(): Promise<void>;
  untilCondition(name: string, type: string, status: string, reason?: string): Promise<void>;
  /** Polls what other machines do; fails after two minutes with the state of the hub. */
  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T>;
  close(): Promise<void>;
}

/** Takes about a minute. `files` are the first commit of the repository. */
export async function openPodsSession(files: Readonly<Record<string, string>>): Promise<PodsSession> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-pods-"));
  const closers: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  const started = async (name: string, number: number): Promise<RealCluster> => {
    const running = await startRealCluster(join(folder, name), number);
    closers.push(() => running.stop());
    return running;
  };
  const connected = ({ kubeconfig }: RealCluster): KubeApi => {
    const api = apiOf(readKubeconfig(kubeconfig));
    closers.push(() => api.close());
    return api;
  };
  try {
    const hub = await started("hub", 71);
    const edge = await started("edge", 72);
    const tag = `test-${process.pid}`;
    const archive = await makeImage(folder, `localhost/rollcall:${tag}`);
    await hub.load(archive);
    await edge.load(archive);
    const repository = await createRepository(join(folder, "git", "fleet.git"));
    await repository.commit({ files });
    const gitServer = await startGitHttpServer({ root: join(folder, "git"), host: hostAddress });
    closers.push(() => gitServer.close());
    const url = gitServer.urlOf("fleet.git");
    const parts = { folder, tag, hub, edge, repository, hubApi: connected(hub), edgeApi: connected(edge) };
    return { ...parts, ...deedsOf(parts, url), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Parts = Pick<PodsSession, "folder" | "tag" | "hub" | "edge" | "repository" | "hubApi" | "edgeApi">;

function deedsOf(
  { folder, tag, hub, repository, hubApi, edgeApi }: Parts,
  url: string,
): Omit<PodsSession, keyof Parts | "close"> {
  const daemonPods = async () =>
    (await hubApi.list(pod, { namespace, labelSelector: "app.kubernetes.io/name=rollcall" })).items;
  const describeHub = async (): Promise<string> => {
    const pods = await daemonPods();
    const clusters = (await hubApi.list(cluster, { namespace: workspace }).catch(() => ({ items: [] }))).items;
    const logs = await hub.enter(`tail -n 12 /var/log/pods/${namespace}_*/*/*.log 2>/dev/null`).catch(() => "");
    return JSON.stringify([...pods, ...clusters].map((object) => [object.metadata.name, object["status"]])) + logs;
  };
  const until = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
    const deadlineMs = Date.now() + 120_000;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > deadlineMs) throw new Error(`did not come to pass: ${what}\n${await describeHub()}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  const helm = async (command: readonly string[], inNamespace: string, ...flags: string[]): Promise<void> => {
    try {
      await runHelm([...command, "--namespace", inNamespace, "--kubeconfig", hub.kubeconfigPath, ...flags]);
    } catch (error) {
      throw new Error(`helm ${command.join(" ")}\n${await describeHub()}`, { cause: error });
    }
  };
  const clusterNamed = (name: string) => hubApi.get({ type: cluster, namespace: workspace, name });
  return {
    until,
    helm,
    daemonPods,
    cluster: clusterNamed,
    agentPods: async () => (await edgeApi.list(pod, { namespace: "rollcall-agent" })).items,
    leader: async () => {
      const held = await hubApi.get({ type: lease, namespace, name: "rollcall-repository" });
      return textAt(held, "spec", "holderIdentity");
    },
    installDaemon: async () => {
      const values = {
        options: { repo: url, interval: "1s", writeBackInterval: "2s" },
        workspaces: [workspace],
        createWorkspaces: true,
        hub: { url: hub.server },
        image: { repository: "localhost/rollcall", tag },
      };
      const path = join(folder, "values.json");
      await writeFile(path, JSON.stringify(values));
      const flags = ["--create-namespace", "--values", path, "--wait", "--timeout", "120s"];
      await helm(["install", "rollcall", chartFolder("rollcall")], namespace, ...flags);
    },
    untilApplied: async () => {
      const head = await repository.head();
      await until("the head of the branch applied", async () => {
        const found = await hubApi.get({ type: repositoryType, namespace, name: "fleet" });
        return textAt(found, "status", "appliedCommit") === head ? head : undefined;
      });
    },
    untilCondition: async (name, type, status, reason) => {
      await until(`Cluster ${name}: ${type}=${status} ${reason ?? ""}`, async () => {
        const found = conditionOf(await clusterNamed(name), type);
        return found?.["status"] === status && (reason ?? found["reason"]) === found["reason"] ? found : undefined;
      });
    },
  };
}

export function isReady(object: KubeObject): boolean {
  return conditionOf(object, "Ready")?.["status"] === "True";
}

function conditionOf(object: KubeObject | undefined, type: string): Record<string, unknown> | undefined {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type);
}

export function imageOf(agentPod: KubeObject): string | undefined {
  return textAt(agentPod, "spec", "containers", 0, "image");
}
