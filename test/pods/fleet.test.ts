import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../src/cli/connect-hub.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject, ObjectRef } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { startGitHttpServer } from "../support/git-http-server.ts";
import type { GitHttpServer } from "../support/git-http-server.ts";
import { createRepository } from "../support/git-repositories.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { chartFolder, findHelm, noHelmReason, runHelm } from "../support/helm.ts";
import type { RealCluster } from "../support/real-cluster.ts";
import { hostAddress, makeImage, startRealCluster, tagImage, whyNoClusters } from "../support/real-cluster.ts";

const namespace = "rollcall-system";
const workspace = "fleet";
const { cluster, pod, lease, secret, deployment, customResourceDefinition, repository: repositoryType } = resourceTypes;
const whyNot = whyNoClusters() ?? (findHelm() === undefined ? noHelmReason : undefined);

describe.skipIf(whyNot !== undefined)(
  `a fleet of real clusters${whyNot === undefined ? "" : ` (skipped: ${whyNot})`}`,
  () => {
    let folder: string;
    let hub: RealCluster;
    let edge: RealCluster;
    let hubApi: KubeApi;
    let edgeApi: KubeApi;
    let gitServer: GitHttpServer;
    let repository: TestRepository;
    const tag = `test-${process.pid}`;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "rollcall-pods-"));
      hub = await startRealCluster(join(folder, "hub"), 71);
      edge = await startRealCluster(join(folder, "edge"), 72);
      hubApi = apiOf(readKubeconfig(hub.kubeconfig));
      edgeApi = apiOf(readKubeconfig(edge.kubeconfig));
      const archive = await makeImage(folder, `localhost/rollcall:${tag}`);
      await hub.load(archive);
      await edge.load(archive);
      repository = await createRepository(join(folder, "git", "fleet.git"));
      await repository.commit({ files: { "README.md": "A fleet.\n", "door.yaml": tokenFile("door") } });
      gitServer = await startGitHttpServer({ root: join(folder, "git"), host: hostAddress });
    }, 300_000);
    afterAll(async () => {
      await gitServer?.close();
      await hubApi?.close();
      await edgeApi?.close();
      await edge?.stop();
      await hub?.stop();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    it("installs the chart on the hub: two Pods, ready, one leader, the branch applied", async () => {
      await installDaemon();
      const running = await until("two ready Pods of the daemon", async () => {
        const pods = await daemonPods();
        return pods.length === 2 && pods.every(isReady) ? pods : undefined;
      });
      const leader = await leaderName();
      expect(running.map(({ metadata }) => metadata.name)).toContain(leader);
      await untilApplied();
    });

    it("runs the agent's Pod on the edge after a push of a Cluster with a kubeconfig, and shows it Ready", async () => {
      await hubApi.create(
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "edge-1-kubeconfig", namespace: workspace },
          data: { value: Buffer.from(edge.kubeconfig).toString("base64") },
        },
        { fieldManager: "test" },
      );
      await repository.commit({ files: { "edge-1.yaml": clusterFile("edge-1", { env: "prod" }) } });
      await untilClusterReady("edge-1");
      // The kubelet asks the probe every few seconds; the report may be faster.
      const agents = await until("the agent's Pod ready", async () => {
        const { items } = await edgeApi.list(pod, { namespace: "rollcall-agent" });
        return items.length > 0 && items.every(isReady) ? items : undefined;
      });
      expect(agents.map((agent) => textAt(agent, "status", "phase"))).toEqual(["Running"]);
      await until("a status commit that tells of it", async () => {
        const subject = await repository.git("log", "-1", "--format=%s", "rollcall/status").catch(() => "");
        return subject.includes("1 of 1 clusters ready") ? subject : undefined;
      });
    });

    it("goes on under another leader within 15 s when the leader is killed, and loses no change", async () => {
      const before = await leaderIdentity();
      const name = await leaderName();
      await repository.commit({ files: { "edge-1.yaml": clusterFile("edge-1", { env: "test" }) } });
      // Every process of that Pod's host name, by the kernel: nothing is told that it ends.
      await hub.enter(
        `for p in $(grep -alz "^HOSTNAME=${name}$" /proc/[0-9]*/environ); do p=\${p#/proc/}; kill -KILL \${p%/environ}; done`,
      );
      const killedAtMs = Date.now();
      await until("another leader", async () => {
        const now = await leaderIdentity();
        return now !== undefined && now !== "" && now !== before ? now : undefined;
      });
      const takeoverMs = Date.now() - killedAtMs;
      expect(takeoverMs).toBeLessThan(15_000);
      await until("the change that was pushed meanwhile", async () => {
        const live = await hubApi.get({ type: cluster, namespace: workspace, name: "edge-1" });
        return live?.metadata.labels?.["env"] === "test" ? live : undefined;
      });
    });

    it("lets a second cluster in by the values of a token's Secret and the agent's chart", async () => {
      const filled = await until("the token's values", async () => {
        const found = await hubApi.get({ type: secret, namespace: workspace, name: "door" });
        return textAt(found, "data", "values");
      });
      const values = JSON.parse(Buffer.from(filled, "base64").toString("utf8")) as object;
      const path = join(folder, "agent-values.json");
      const agent = { image: `localhost/rollcall:${tag}` };
      await writeFile(path, JSON.stringify({ ...values, agent, cluster: { name: "hub-itself" } }), { mode: 0o600 });
      await helm(
        ["install", "agent", chartFolder("rollcall-agent")],
        "rollcall-agent",
        "--create-namespace",
        "--values",
        path,
      );
      await untilClusterReady("hub-itself");
      const installed = await hubApi.get({ type: deployment, namespace: "rollcall-agent", name: "rollcall-agent" });
      // The hub offers what the chart made: nothing was rolled.
      expect(installed?.metadata.generation).toBe(1);
    });

    it("rolls an agent's image to a new tag, and one that does not start back to the one before", async () => {
      const [next, broken] = [`localhost/rollcall:${tag}-next`, `localhost/rollcall:${tag}-broken`];
      await edge.load(await tagImage(folder, next));
      await edge.load(await tagImage(folder, broken, "/app/bin/not-there.js"));
      // What an agent is offered says how long it may take.
      const spec = { agentRollout: { deadlineSeconds: 30 } };
      await hubApi.mergePatch({ type: repositoryType, namespace, name: "fleet" }, { spec }, { fieldManager: "test" });
      await repository.commit({ files: { "edge-1.yaml": clusterFile("edge-1", { env: "test" }, { image: next }) } });
      await untilAgentUpToDate("True", "UpToDate");
      await until("the agent's Pods with the new image alone", () => podsOf(next));

      await repository.commit({ files: { "edge-1.yaml": clusterFile("edge-1", { env: "test" }, { image: broken }) } });
      await until("a Pod with the image that does not start", async () => {
        const { items } = await edgeApi.list(pod, { namespace: "rollcall-agent" });
        return items.find((found) => imageOf(found) === broken);
      });
      await untilAgentUpToDate("False", "RolledBack");
      await until("the agent's Pods with the former image alone", () => podsOf(next));
      // It is told, and not tried again.
      await untilClusterReady("edge-1");
      const installed = await edgeApi.get({ type: deployment, namespace: "rollcall-agent", name: "rollcall-agent" });
      expect(textAt(installed, "spec", "template", "spec", "containers", 0, "image")).toBe(next);
    });

    it("leaves definitions, clusters and agents where they are when the daemon is uninstalled, and goes on from there", async () => {
      const before = await cluster1();
      await helm(["uninstall", "rollcall"], namespace, "--wait");
      await until("the daemon's Pods gone", async () => ((await daemonPods()).length === 0 ? true : undefined));
      const name = "clusters.rollcall.dev";
      expect(await hubApi.get({ type: customResourceDefinition, name })).toBeDefined();
      expect((await cluster1())?.metadata.uid).toBe(before?.metadata.uid);
      await installDaemon();
      await repository.commit({ files: { "notes.txt": "after the second install" } });
      await untilApplied();
      const after = await cluster1();
      expect(after?.metadata.generation).toBe(before?.metadata.generation);
      const agents = (await edgeApi.list(pod, { namespace: "rollcall-agent" })).items;
      expect(agents.every(isReady)).toBe(true);
    });

    async function installDaemon(): Promise<void> {
      const values = {
        options: { repo: gitServer.urlOf("fleet.git"), interval: "1s", writeBackInterval: "2s" },
        workspaces: [workspace],
        createWorkspaces: true,
        hub: { url: hub.server },
        image: { repository: "localhost/rollcall", tag },
      };
      const path = join(folder, "values.json");
      await writeFile(path, JSON.stringify(values));
      await helm(
        ["install", "rollcall", chartFolder("rollcall")],
        namespace,
        "--create-namespace",
        "--values",
        path,
        "--wait",
        "--timeout",
        "120s",
      );
    }

    /** Runs helm on the hub: verb, release and, for an installation, the chart's folder. */
    async function helm(command: readonly string[], inNamespace: string, ...flags: string[]): Promise<void> {
      try {
        await runHelm([...command, "--namespace", inNamespace, "--kubeconfig", hub.kubeconfigPath, ...flags]);
      } catch (error) {
        throw new Error(`helm ${command.join(" ")}\n${await describeHub()}`, { cause: error });
      }
    }

    async function daemonPods(): Promise<KubeObject[]> {
      return (await hubApi.list(pod, { namespace, labelSelector: "app.kubernetes.io/name=rollcall" })).items;
    }

    async function leaderIdentity(): Promise<string | undefined> {
      const held = await hubApi.get({ type: lease, namespace, name: "rollcall-repository" });
      return textAt(held, "spec", "holderIdentity");
    }

    /** The Pod that leads: its identity is its name and a random end. */
    async function leaderName(): Promise<string> {
      const identity = await until("a leader", leaderIdentity);
      return identity.slice(0, identity.lastIndexOf("-"));
    }

    async function untilApplied(): Promise<void> {
      const head = await repository.head();
      await until("the head of the branch applied", async () => {
        const found = await hubApi.get({ type: repositoryType, namespace, name: "fleet" });
        return textAt(found, "status", "appliedCommit") === head ? head : undefined;
      });
    }

    async function untilClusterReady(name: string): Promise<void> {
      await until(`Cluster ${name} Ready`, async () => {
        const found = await hubApi.get({ type: cluster, namespace: workspace, name });
        return found !== undefined && conditionOf(found, "Ready") === "True" ? found : undefined;
      });
    }

    async function untilAgentUpToDate(status: string, reason: string): Promise<void> {
      await until(`AgentUpToDate=${status}, ${reason}`, async () => {
        const conditions = objectsAt(await cluster1(), "status", "conditions");
        const found = conditions.find(({ type }) => type === "AgentUpToDate");
        return found?.["status"] === status && found["reason"] === reason ? found : undefined;
      });
    }

    /** The agent's Pods, once all of them have this image and are ready. */
    async function podsOf(image: string): Promise<KubeObject[] | undefined> {
      const { items } = await edgeApi.list(pod, { namespace: "rollcall-agent" });
      return items.length > 0 && items.every((found) => imageOf(found) === image && isReady(found)) ? items : undefined;
    }

    function cluster1(): Promise<KubeObject | undefined> {
      const ref: ObjectRef = { type: cluster, namespace: workspace, name: "edge-1" };
      return hubApi.get(ref);
    }

    /** Polls what other machines do; fails after two minutes with how the hub stands. */
    async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
      const deadlineMs = Date.now() + 120_000;
      for (;;) {
        const found = await look();
        if (found !== undefined) return found;
        if (Date.now() > deadlineMs) throw new Error(`did not come to pass: ${what}\n${await describeHub()}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }

    async function describeHub(): Promise<string> {
      const pods = await daemonPods();
      const clusters = (await hubApi.list(cluster, { namespace: workspace }).catch(() => ({ items: [] }))).items;
      const logs = await hub.enter(`tail -n 12 /var/log/pods/${namespace}_*/*/*.log 2>/dev/null`).catch(() => "");
      return JSON.stringify([...pods, ...clusters].map((object) => [object.metadata.name, object["status"]])) + logs;
    }
  },
);

function isReady(object: KubeObject): boolean {
  return conditionOf(object, "Ready") === "True";
}

function conditionOf(object: KubeObject, type: string): string | undefined {
  return textAt(
    objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type),
    "status",
  );
}

function imageOf(agentPod: KubeObject): string | undefined {
  return textAt(agentPod, "spec", "containers", 0, "image");
}

function clusterFile(name: string, labels: Record<string, string>, agent?: { readonly image: string }): string {
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, labels },
    spec: {
      kubeConfigSecretRef: { name: `${name}-kubeconfig` },
      heartbeat: { periodSeconds: 10 },
      ...(agent === undefined ? {} : { agent }),
    },
  });
}

function tokenFile(name: string): string {
  const spec = { ttl: "24h", maxRegistrations: 1, clusterNames: ["hub-*"] };
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name },
    spec,
  });
}
