import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { AgentProcess } from "../../support/agent-process.ts";
import { clusternetAgentBinary, startClusternetAgent } from "../../support/clusternet-agent-process.ts";
import type { HubPlace, HubUnderTest } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { openClusternetHubSession } from "./clusternet-hub-session.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";

const { cluster, clusterRegistrationToken, lease, managedCluster, namespace, node, registrationRequest } =
  resourceTypes;

/** The unmodified agent as a process, between a hub and a child. */
export function describeRealAgent(hub: HubPlace, child: HubPlace): void {
  // Clusternet's agent is built from its own project: ROLLCALL_CLUSTERNET_AGENT names the program.
  describe.skipIf(clusternetAgentBinary === undefined)(
    `Clusternet's own agent in ${child.name}, on ${hub.name}`,
    () => {
      const own = `clusternet-${randomUUID().slice(0, 8)}`;
      let session: ClusternetHubSession;
      let downstream: HubUnderTest;
      let childApi: KubeApi;
      let agent: AgentProcess | undefined;
      let flags: Record<string, string> = {};
      let requestName = "";
      const start = async () => {
        agent = await startClusternetAgent({ childKubeconfig: downstream.kubeconfig, namespace: own, flags });
      };
      const ready = (status = "True") =>
        session.eventually(`real-1 has Ready=${status}`, async () => {
          const seen = await session.get(cluster, "real-1");
          return conditionOf(seen, "Ready") === status ? seen : undefined;
        });
      const isAtWork = async (said = "a new beat") => {
        const marker = async () =>
          textAt(await session.get(managedCluster, "real-1", session.homeOf("real-1")), "status", "lastObservedTime");
        const before = await marker();
        await session.eventually(said, async () => (await marker()) !== before);
      };
      beforeAll(async () => {
        session = await openClusternetHubSession(await hub.start());
        downstream = await child.start();
        childApi = apiOf(readKubeconfig(downstream.kubeconfig));
        await childApi.create(
          { apiVersion: "v1", kind: "Namespace", metadata: { name: own } },
          { fieldManager: "test" },
        );
        await session.declareToken("door", { clusterNames: ["real-1"] });
        await session.agentOf("door", "real-1");
        const folder = await mkdtemp(join(tmpdir(), "rollcall-clusternet-"));
        await writeFile(join(folder, "hub"), session.kubeconfig);
        const options = { protocol: "clusternet", "cluster-name": "real-1", "hub-kubeconfig": join(folder, "hub") };
        const { text } = await runCommand("join", runJoin, {
          options: { ...options, "from-hub": `${session.workspace}/door`, "print-flags": true, "show-secrets": true },
        });
        await rm(folder, { recursive: true, force: true });
        const pairs = text.split("\n").flatMap((line) => /^--([a-z-]+)=(.*)$/u.exec(line) ?? []);
        flags = Object.fromEntries(chunk(pairs, 3).map(([, flag = "", value = ""]) => [flag, value]));
        await start();
      });
      afterAll(async () => {
        await agent?.stop();
        if (requestName !== "") await session.api.delete({ type: registrationRequest, name: requestName });
        for (const name of [own, `${own}-node`]) await childApi.delete({ type: name === own ? namespace : node, name });
        await childApi.close();
        await session.close();
        await downstream.stop();
      });

      it("is approved at its next poll, and its cluster is Ready with its first report", async () => {
        const seen = await ready();
        expect(seen["status"]).toMatchObject({
          effective: { protocol: "clusternet", heartbeatPeriodSeconds: 2 },
          health: { livez: true, readyz: true },
        });
        const held = await childApi.get({ type: lease, namespace: own, name: "clusternet-agent" });
        requestName = `clusternet-${held?.metadata.uid}`;
        expect((await session.get(registrationRequest, requestName))?.["status"]).toMatchObject({ result: "Approved" });
      });

      it("gives its ManagedCluster the labels of its nodes, and takes them away with them", async () => {
        const zone = async () =>
          textAt(
            await session.get(managedCluster, "real-1", session.homeOf("real-1")),
            "metadata",
            "labels",
            "node.clusternet.io/zone",
          );
        const metadata = { name: `${own}-node`, labels: { "node.clusternet.io/zone": own } };
        await childApi.create({ apiVersion: "v1", kind: "Node", metadata }, { fieldManager: "test" });
        await session.eventually("the label is there", async () => (await zone()) === own);
        await isAtWork();
        expect(await zone()).toBe(own);
        const gone = { metadata: { labels: { "node.clusternet.io/zone": null } } };
        await childApi.mergePatch({ type: node, name: `${own}-node` }, gone, { fieldManager: "test" });
        await session.eventually("the label is gone", async () => (await zone()) === undefined);
      });

      it("starts again without a new registration when its token has ended", async () => {
        const before = await session.get(registrationRequest, requestName);
        await session.api.delete({ type: clusterRegistrationToken, namespace: session.workspace, name: "door" });
        await session.eventually(
          "the token's account is deleted",
          async () =>
            (await session.get(resourceTypes.serviceAccount, "clusternet.door.real-1")) === undefined || undefined,
        );
        await agent?.stop();
        await start();
        await isAtWork("it sends heartbeats after a restart");
        expect((await session.get(registrationRequest, requestName))?.metadata.uid).toBe(before?.metadata.uid);
        expect(agent?.lines.join("\n")).not.toMatch(/switch to use bootstrap token/u);
      });

      it("continues after a restart of the hub's controllers", async () => {
        await session.restartHub();
        await isAtWork();
        await ready();
      });

      it("is refused as soon as its cluster is revoked, and its cluster's health is Unknown then", async () => {
        const ref = { type: cluster, namespace: session.workspace, name: "real-1" };
        const annotations = { "rollcall.dev/revoked": "-/somebody/2030-01-01T00:00:00Z" };
        const printed = agent?.lines.length ?? 0;
        await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
        await session.eventually("it says that it is refused", async () =>
          agent?.lines.slice(printed).some((line) => line.includes("Unauthorized")),
        );
        const seen = await session.eventually("its health is unknown", async () => {
          const found = await session.get(cluster, "real-1");
          return conditionOf(found, "Healthy") === "Unknown" ? found : undefined;
        });
        expect(conditionOf(seen, "Ready")).toBe("False");
      });

      it("leaves nothing on the hub when its cluster leaves", async () => {
        const ref = { type: cluster, namespace: session.workspace, name: "real-1" };
        const annotations = { "rollcall.dev/leave": "c".repeat(40) };
        await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
        await session.eventually("it is gone", async () => (await session.get(cluster, "real-1")) === undefined);
        expect(await session.get(registrationRequest, requestName)).toBeUndefined();
      });
    },
  );
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
