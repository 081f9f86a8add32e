import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, textAt } from "../../../src/core/read-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import type { RunningAgent } from "../agent/fleet-session.ts";
import { clusterFile, conditionReason, openLifeSession } from "./life-session.ts";
import type { LifeSession } from "./life-session.ts";

const { cluster, clusterReport, configMap, deployment, lease, repository, secret, serviceAccount } = resourceTypes;

/** Renames and moves: a cluster continues under another name, and its agent with it. */
export function describeMoves(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`renames and moves on ${name}`, () => {
    let session: LifeSession;
    let agent: RunningAgent;
    let namespace: string;
    const spec = (previousName?: string): string[] => [
      "clientID: one-cluster",
      "kubeConfigSecretRef: { name: kubeconfig }",
      `agent: { namespace: ${namespace} }`,
      "heartbeat: { periodSeconds: 1 }",
      ...(previousName === undefined ? [] : [`previousName: ${previousName}`]),
    ];
    const identity = async () => readHeld(await session.get(secret, "rollcall-agent-identity", namespace));
    const heldName = (held: KubeObject | undefined) => readHeld(held).membership.clusterName;
    const untilBeat = async (clusterName: string, workspace?: string) => {
      const heartbeat = `rollcall-${clusterName}`;
      const last = textAt(await session.get(lease, heartbeat, workspace), "spec", "renewTime");
      await session.until(lease, heartbeat, (seen) => (textAt(seen, "spec", "renewTime") ?? last) !== last, workspace);
    };
    const problems = async () => {
      const ref = { type: repository, namespace: session.namespace, name: "fleet" };
      return JSON.stringify((await session.api.get(ref))?.["status"]);
    };
    const untilAllGone = async (clusterName: string, workspace?: string) => {
      await session.untilDeleted(cluster, clusterName, workspace);
      for (const [type, object] of [
        [clusterReport, clusterName],
        [lease, `rollcall-${clusterName}`],
        [configMap, `rollcall-cluster-${clusterName}`],
        [serviceAccount, `rollcall-${clusterName}`],
        [serviceAccount, `rollcall-${clusterName}.recovery`],
      ] as const)
        await session.untilDeleted(type, object, workspace);
    };

    beforeAll(async () => {
      session = await openLifeSession(await startHub());
      namespace = session.agentNamespace();
      await session.kubeconfigSecret("kubeconfig");
      await session.kubeconfigSecret("kubeconfig", session.otherWorkspace);
      await session.startDaemon();
      await session.commit({ "clusters/eu-1.yaml": clusterFile("eu-1", spec()) });
      agent = await session.startInstalledAgent(namespace);
      await session.untilReady("eu-1");
    });
    afterAll(async () => {
      await session.close();
    });

    it("A124 is not revoked by a Cluster of another workspace that is marked as becoming it", async () => {
      const annotations = {
        [annotationKeys.movedTo]: `${session.workspace}/eu-1`,
        [annotationKeys.revoked]: "-/eve/2027-01-01T00:00:00Z",
      };
      const metadata = { name: "mine", namespace: session.otherWorkspace, annotations };
      const made = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec: {} };
      await session.api.create(made, { fieldManager: "kubectl" });
      await session.until(
        cluster,
        "mine",
        (seen) => conditionReason(seen, "Accepted") === "NotInGit",
        session.otherWorkspace,
      );
      const { metadata: after } = (await session.get(cluster, "eu-1")) ?? {};
      expect(after?.annotations).not.toHaveProperty([annotationKeys.revoked]);
      await session.api.delete({ type: cluster, namespace: session.otherWorkspace, name: "mine" });
      await session.untilDeleted(cluster, "mine", session.otherWorkspace);
    });

    it("F3 renames a cluster: its agent keeps its keys and is not installed again", async () => {
      const before = await identity();
      const installed = await session.get(deployment, "rollcall-agent", namespace);
      await session.commit({ "clusters/eu-1.yaml": null, "clusters/paris.yaml": clusterFile("paris", spec("eu-1")) });
      const ready = await session.untilReady("paris");
      await untilAllGone("eu-1");
      expect(ready["status"]).toMatchObject({ join: { mode: "HubInitiated" }, credential: { rotates: true } });
      const after = await identity();
      expect(after.keys).toEqual(before.keys);
      expect(after.membership.clusterName).toBe("paris");
      await untilBeat("paris");
      const now = await session.get(deployment, "rollcall-agent", namespace);
      expect(now?.metadata.generation).toBe(installed?.metadata.generation);
      expect(agent.lines.filter(({ message }) => message === "joined the hub")).toHaveLength(1);
      expect(await problems()).toContain('"action":"Move"');
    });

    it("moves it to another workspace, where it is renamed again before its agent is back", async () => {
      await agent.stop();
      const other = session.otherWorkspace;
      const moved = clusterFile("paris", spec(`${session.workspace}/paris`), other);
      await session.commit({ "clusters/paris.yaml": moved }, allow(1));
      await session.until(cluster, "paris", (seen) => conditionReason(seen, "Ready") === "Moving");
      // Both names are valid until the agent moved, however long that takes.
      await session.commit({ "clusters/paris.yaml": clusterFile("lyon", spec("paris"), other) }, allow(1));
      expect(await session.get(serviceAccount, "rollcall-paris")).toBeDefined();
      agent = await session.startAgent(namespace);
      await session.untilReady("lyon", other);
      await untilAllGone("paris");
      await untilAllGone("paris", other);
      await untilBeat("lyon", other);
      expect(agent.lines.map(({ message }) => message)).not.toContain("joined the hub");
      const report = await session.get(clusterReport, "lyon", other);
      expect(numberAt(report, "spec", "credentialNumber")).toBeGreaterThan(2);
    });

    it("keeps what was meant when the former name is misspelt, and moves it when that is corrected", async () => {
      const other = session.otherWorkspace;
      await session.commit({ "clusters/paris.yaml": clusterFile("nice", spec("lion"), other) }, allow(1));
      expect(await problems()).toContain(`no cluster on the hub has the name ${other}/lion`);
      expect(await session.get(cluster, "nice", other)).toBeUndefined();
      const lyon = await session.get(cluster, "lyon", other);
      expect(lyon?.metadata.annotations).not.toHaveProperty("rollcall.dev/leave");
      await session.commit({ "clusters/paris.yaml": clusterFile("nice", spec("lyon"), other) }, allow(1));
      await session.untilReady("nice", other);
      await untilAllGone("lyon", other);
    });

    it("stays what it is when its file comes back before its agent moved", async () => {
      const other = session.otherWorkspace;
      await agent.stop();
      await session.commit({ "clusters/paris.yaml": clusterFile("rome", spec("nice"), other) }, allow(1));
      await session.until(cluster, "nice", (seen) => conditionReason(seen, "Ready") === "Moving", other);
      await session.commit({ "clusters/paris.yaml": clusterFile("nice", spec(), other) }, allow(1));
      await untilAllGone("rome", other);
      agent = await session.startAgent(namespace);
      await untilBeat("nice", other);
      await session.untilReady("nice", other);
      expect((await identity()).membership.clusterName).toBe("nice");
    });

    it("gets its agent back when its file comes back after that moved", async () => {
      const other = session.otherWorkspace;
      // Only the agent works between the move and its end.
      await agent.stop();
      await session.commit({ "clusters/paris.yaml": clusterFile("rome", spec("nice"), other) }, allow(1));
      const isReported = (seen: KubeObject | undefined) => textAt(seen, "status", "successor", "name") === "rome";
      await session.until(clusterReport, "nice", isReported, other);
      await session.stopDaemon();
      agent = await session.startAgent(namespace);
      const isThere = (seen: KubeObject | undefined) => numberAt(seen, "spec", "credentialNumber") !== undefined;
      await session.until(clusterReport, "rome", isThere, other);
      // What git's half does with the commit, before the hub's half reconciles any of it.
      const [git, commit] = [{ fieldManager: "rollcall-git" }, "c0ffee".padEnd(40, "0")];
      const ref = (name: string) => ({ type: cluster, namespace: other, name });
      const annotate = (name: string, annotations: Record<string, string | null>) =>
        session.api.mergePatch(ref(name), { metadata: { annotations } }, git);
      await annotate("nice", { "rollcall.dev/moved-to": null });
      await annotate("rome", { "rollcall.dev/leave": commit });
      const files = { "clusters/paris.yaml": clusterFile("nice", spec(), other) };
      await session.repository.commit({ files, message: allow(1) });
      await session.startDaemon();
      await untilAllGone("rome", other);
      await session.untilReady("nice", other);
      await untilBeat("nice", other);
      const held = await identity();
      expect(held.membership.clusterName).toBe("nice");
      const messages = agent.lines.map(({ message }) => message);
      expect(messages.filter((message) => message === "going on as another cluster")).toHaveLength(2);
      expect(messages).not.toContain("going back to what this cluster was");
      expect(messages).not.toContain("joined the hub");
    });

    it("moves back by itself when the name that it moved to is removed before the hub knew", async () => {
      const other = session.otherWorkspace;
      await agent.stop();
      await session.commit({ "clusters/paris.yaml": clusterFile("rome", spec("nice"), other) }, allow(1));
      const isReported = (seen: KubeObject | undefined) => textAt(seen, "status", "successor", "name") === "rome";
      const told = await session.until(clusterReport, "nice", isReported, other);
      await session.commit({ "clusters/paris.yaml": clusterFile("nice", spec(), other) }, allow(1));
      await untilAllGone("rome", other);
      // It read the order at the last moment: the hub does not declare it any more.
      const status = { successor: (told["status"] as { successor: JsonObject }).successor };
      const reportRef = { type: clusterReport, namespace: other, name: "nice" };
      await session.stopDaemon();
      await session.api.mergePatch(reportRef, { status }, { fieldManager: "test", subresource: "status" });
      agent = await session.startAgent(namespace);
      await session.until(secret, "rollcall-agent-identity", (seen) => heldName(seen) === "rome", namespace);
      await session.api.mergePatch(
        reportRef,
        { status: { successor: null } },
        { fieldManager: "test", subresource: "status" },
      );
      await session.startDaemon();
      await session.until(secret, "rollcall-agent-identity", (seen) => heldName(seen) === "nice", namespace);
      await untilBeat("nice", other);
      await session.untilReady("nice", other);
      await expect
        .poll(() => agent.lines.map(({ message }) => message))
        .toContain("going back to what this cluster was");
    });

    it("writes nothing when the agent and the daemon are started again", async () => {
      const other = session.otherWorkspace;
      const restart = async () => {
        await session.stopDaemon();
        await session.startDaemon();
        await session.settle();
      };
      // News that waited for the next status commit is written by the first start.
      await restart();
      const before = await session.versions([namespace]);
      await agent.stop();
      agent = await session.startAgent(namespace, { factsPeriodMs: 200 });
      await untilBeat("nice", other);
      await restart();
      await untilBeat("nice", other);
      expect(await session.versions([namespace])).toEqual(before);
    });

    it("made no step between two states that docs/cluster-states.md does not list", () => {
      expect(session.impossibleSteps()).toEqual([]);
    });
  });
}

function readHeld(held: KubeObject | undefined) {
  const text = Buffer.from(textAt(held, "data", "identity") ?? "", "base64").toString("utf8");
  return JSON.parse(text) as { keys: unknown; membership: { clusterName: string } };
}

function allow(count: number): string {
  return `Change\n\nRollcall-Allow-Deletions: ${count}\n`;
}
