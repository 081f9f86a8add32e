import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runUninstall } from "../../src/cli/commands/uninstall.ts";
import { textAt } from "../../src/core/read-json.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { chartFolder, findHelm, noHelmReason } from "../support/helm.ts";
import { longestFailoverMs } from "../support/longest-failover-ms.ts";
import { runCommand } from "../support/plain-context.ts";
import { tagImage, whyNoClusters } from "../support/real-cluster.ts";
import { clusterFile, tokenFile } from "./files.ts";
import { imageOf, isReady, namespace, openPodsSession, workspace } from "./pods-session.ts";
import type { PodsSession } from "./pods-session.ts";

const { secret, deployment, customResourceDefinition, repository: repositoryType } = resourceTypes;
const agentRef = { type: deployment, namespace: "rollcall-agent", name: "rollcall-agent" };
const whyNot = whyNoClusters() ?? (findHelm() === undefined ? noHelmReason : undefined);

describe.skipIf(whyNot !== undefined)(
  `a fleet of real clusters${whyNot === undefined ? "" : ` (skipped: ${whyNot})`}`,
  () => {
    let opening: Promise<PodsSession> | undefined;
    let session: PodsSession;

    beforeAll(async () => {
      opening = openPodsSession({ "README.md": "A fleet.\n", "door.yaml": tokenFile("door") });
      session = await opening;
      // The program that runs clusters may build what they consist of first.
    }, 900_000);
    // Clusters that came too late are stopped, too.
    afterAll(async () => (await opening?.catch(() => undefined))?.close(), 300_000);

    it("installs the chart on the hub: two Pods, ready, one leader, the branch applied", async () => {
      await session.installDaemon();
      const running = await session.until("two ready Pods of the daemon", async () => {
        const pods = await session.daemonPods();
        return pods.length === 2 && pods.every(isReady) ? pods : undefined;
      });
      const leader = await leaderName();
      expect(running.map(({ metadata }) => metadata.name)).toContain(leader);
      await session.untilApplied();
    });

    it("runs the agent's Pod on the edge after a push of a Cluster with a kubeconfig, and shows it Ready", async () => {
      const { hubApi, repository, edge } = session;
      const metadata = { name: "edge-1-kubeconfig", namespace: workspace };
      const data = { value: Buffer.from(edge.kubeconfig).toString("base64") };
      await hubApi.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "test" });
      await repository.commit({ files: { "edge-1.yaml": clusterFile("edge-1", { env: "prod" }) } });
      await session.untilCondition("edge-1", "Ready", "True");
      // The kubelet asks the probe every few seconds; the report may be faster.
      const agents = await session.until("the agent's Pod ready", async () => {
        const pods = await session.agentPods();
        return pods.length > 0 && pods.every(isReady) ? pods : undefined;
      });
      expect(agents.map((agent) => textAt(agent, "status", "phase"))).toEqual(["Running"]);
      await session.until("a status commit that tells of it", async () => {
        const subject = await repository.git("log", "-1", "--format=%s", "rollcall/status").catch(() => "");
        return subject.includes("1 of 1 cluster ready") ? subject : undefined;
      });
    });

    it("continues under another leader within 15 s when the leader is killed, and loses no change", async () => {
      const before = await session.leader();
      const name = await leaderName();
      await session.repository.commit({ files: { "edge-1.yaml": clusterFile("edge-1", { env: "test" }) } });
      // Every process of that Pod's host name, by the kernel: no process is notified that it ends.
      await session.hub.enter(
        `for p in $(grep -alz "^HOSTNAME=${name}$" /proc/[0-9]*/environ); do p=\${p#/proc/}; kill -KILL \${p%/environ}; done`,
      );
      const killedAtMs = Date.now();
      await session.until("another leader", async () => {
        const now = await session.leader();
        return now !== undefined && now !== "" && now !== before ? now : undefined;
      });
      expect(Date.now() - killedAtMs).toBeLessThan(longestFailoverMs());
      await session.until("the change that was pushed meanwhile", async () => {
        const live = await session.cluster("edge-1");
        return live?.metadata.labels?.["env"] === "test" ? live : undefined;
      });
    });

    it("lets a second cluster in by the values of a token's Secret and the agent's chart", async () => {
      const { hubApi, folder, tag } = session;
      const filled = await session.until("the token's values", async () => {
        const found = await hubApi.get({ type: secret, namespace: workspace, name: "door" });
        return textAt(found, "data", "values");
      });
      const values = JSON.parse(Buffer.from(filled, "base64").toString("utf8")) as object;
      const path = join(folder, "agent-values.json");
      const agent = { image: `localhost/rollcall:${tag}` };
      await writeFile(path, JSON.stringify({ ...values, agent, cluster: { name: "hub-itself" } }), { mode: 0o600 });
      const flags = ["--create-namespace", "--values", path];
      await session.helm(["install", "agent", chartFolder("rollcall-agent")], "rollcall-agent", ...flags);
      await session.untilCondition("hub-itself", "Ready", "True");
      // The hub offers what the chart made: nothing was rolled.
      expect((await hubApi.get(agentRef))?.metadata.generation).toBe(1);
    });

    it("rolls an agent's image to a new tag, and one that does not start back to the one before", async () => {
      const { folder, tag, edge, hubApi, repository } = session;
      const [next, broken] = [`localhost/rollcall:${tag}-next`, `localhost/rollcall:${tag}-broken`];
      await edge.load(await tagImage(folder, next));
      await edge.load(await tagImage(folder, broken, "/app/bin/not-there.js"));
      // The offer to an agent has the time that it may take.
      const spec = { agentRollout: { deadlineSeconds: 30 } };
      await hubApi.mergePatch({ type: repositoryType, namespace, name: "fleet" }, { spec }, { fieldManager: "test" });
      await repository.commit({ files: { "edge-1.yaml": clusterFile("edge-1", { env: "test" }, { image: next }) } });
      await session.untilCondition("edge-1", "AgentUpToDate", "True", "UpToDate");
      await session.until("the agent's Pods with the new image alone", () => podsOf(next));

      await repository.commit({ files: { "edge-1.yaml": clusterFile("edge-1", { env: "test" }, { image: broken }) } });
      await session.until("a Pod with the image that does not start", async () =>
        (await session.agentPods()).find((found) => imageOf(found) === broken),
      );
      await session.untilCondition("edge-1", "AgentUpToDate", "False", "RolledBack");
      await session.until("the agent's Pods with the former image alone", () => podsOf(next));
      // It is reported, and not tried again.
      await session.untilCondition("edge-1", "Ready", "True");
      const installed = await session.edgeApi.get(agentRef);
      expect(textAt(installed, "spec", "template", "spec", "containers", 0, "image")).toBe(next);
    });

    it("leaves definitions, clusters and agents where they are when the daemon is uninstalled, and writes nothing when it comes again", async () => {
      await uninstallDaemon();
      const before = await writtenByDaemon();
      expect(await session.hubApi.get({ type: customResourceDefinition, name: "clusters.rollcall.dev" })).toBeDefined();
      expect(before.length).toBeGreaterThan(10);
      await session.installDaemon();
      await session.repository.commit({ files: { "notes.txt": "after the second install" } });
      await session.untilApplied();
      expect(await writtenByDaemon()).toEqual(before);
      expect((await session.agentPods()).every(isReady)).toBe(true);
    });

    it("removes the rest by rollcall uninstall --all, once that is confirmed: agents first, definitions last", async () => {
      await uninstallDaemon();
      await expect(uninstallAll("no\n")).rejects.toThrow("nothing was removed");
      expect(await session.cluster("edge-1")).toBeDefined();
      const { code, text } = await uninstallAll("2\n");
      expect(text).toContain("This removes 2 clusters with their agents, 1 token,");
      expect(code).toBe(0);
      for (const api of [session.edgeApi, session.hubApi]) expect(await api.get(agentRef)).toBeUndefined();
      await session.until("the agent's Pod gone", async () => (await session.agentPods()).length === 0 || undefined);
      const { items } = await session.hubApi.list(customResourceDefinition);
      expect(items.filter(({ metadata }) => metadata.name.endsWith("rollcall.dev"))).toEqual([]);
    });

    function uninstallAll(answer: string): ReturnType<typeof runCommand> {
      const options = { all: true, kubeconfig: session.hub.kubeconfigPath };
      return runCommand("uninstall", runUninstall, { options, stdin: answer });
    }

    async function uninstallDaemon(): Promise<void> {
      await session.helm(["uninstall", "rollcall"], namespace, "--wait");
      await session.until("the daemon's Pods gone", async () => (await session.daemonPods()).length === 0 || undefined);
    }

    /** What the daemon keeps in the workspace, with the version that its last write gave it; of Clusters what files declare. */
    async function writtenByDaemon(): Promise<string[]> {
      const { serviceAccount, role, roleBinding, cluster } = resourceTypes;
      const kept = await Promise.all(
        [serviceAccount, secret, role, roleBinding].map((type) => session.hubApi.list(type, { namespace: workspace })),
      );
      const lines = kept.flatMap(({ items }) => items.filter((object) => !isOfHelm(object)).map(versionOf));
      const clusters = (await session.hubApi.list(cluster, { namespace: workspace })).items;
      return [...lines, ...clusters.map(({ metadata: { name, uid, generation } }) => `${name} ${uid} ${generation}`)];
    }

    /** The Pod that leads. */
    async function leaderName(): Promise<string> {
      const identity = await session.until("a leader", () => session.leader());
      return identity.slice(0, identity.lastIndexOf("-"));
    }

    /** The agent's Pods, once all of them have this image and are ready. */
    async function podsOf(image: string): Promise<KubeObject[] | undefined> {
      const pods = await session.agentPods();
      return pods.length > 0 && pods.every((found) => imageOf(found) === image && isReady(found)) ? pods : undefined;
    }
  },
);

/** The daemon's own rights come and go with its release. */
function isOfHelm({ metadata }: KubeObject): boolean {
  return metadata.labels?.["app.kubernetes.io/managed-by"] === "Helm";
}

function versionOf({ metadata }: KubeObject): string {
  return `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`;
}
