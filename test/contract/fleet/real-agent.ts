import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { clusterNamespaceName, createdClusterName } from "../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { AgentProcess } from "../../support/agent-process.ts";
import {
  fleetAgentBinary,
  installFleetChart,
  loseFleetCredential,
  putFleetBootstrap,
  putFleetConfig,
  startFleetAgent,
} from "../../support/fleet-agent-process.ts";
import { placeBundle } from "../../support/fleet-bundle.ts";
import type { PlacedBundle } from "../../support/fleet-bundle.ts";
import type { HubPlace, HubUnderTest } from "../../support/hub-under-test.ts";
import { startRecordingProxy } from "../../support/recording-proxy.ts";
import type { RecordingProxy } from "../../support/recording-proxy.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { openFleetHubSession } from "./fleet-hub-session.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";
import { describeRealInstalled } from "./real-installed.ts";

const { cluster, clusterRegistrationToken, configMap, fleetCluster, fleetRegistration, namespace, secret } =
  resourceTypes;
const manager = { fieldManager: "test" };

/** The unmodified agent as a process, between a hub and a child. */
export function describeRealAgent(hub: HubPlace, child: HubPlace): void {
  // Fleet's agent is built from its own project: ROLLCALL_FLEET_AGENT names the program.
  describe.skipIf(fleetAgentBinary === undefined)(
    `Fleet's own agent in ${child.name}, on ${hub.name}`,
    { timeout: 600_000 },
    () => {
      const own = `fleet-${randomUUID().slice(0, 8)}`;
      const newcomer = `new-${own}`;
      const clientID = `id-of-${own}`;
      let served: HubUnderTest;
      let session: FleetHubSession;
      let front: RecordingProxy;
      let downstream: HubUnderTest;
      let childApi: KubeApi;
      let home = "";
      let agent: AgentProcess | undefined;
      let kept: PlacedBundle | undefined;

      const start = async (): Promise<void> => {
        agent = await startFleetAgent({ childKubeconfig: downstream.kubeconfig, namespace: own });
      };
      const inChild = (name: string): Promise<KubeObject | undefined> =>
        childApi.get({ type: configMap, namespace: own, name });
      const place = (name: string): Promise<PlacedBundle> => {
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { from: "the hub" } };
        return placeBundle(session.api, { name: `${own}-${name}`, home, into: own, objects: [object] });
      };
      const lastSeen = async () => textAt(await session.get(fleetCluster, "real-1"), "status", "agent", "lastSeen");
      const isAtWork = async (said = "a new beat") => {
        const before = await lastSeen();
        await session.eventually(said, async () => (await lastSeen()) !== before);
      };
      const ready = () =>
        session.eventually("real-1 is Ready", async () => {
          const seen = await session.get(cluster, "real-1");
          return conditionOf(seen, "Ready") === "True" ? seen : undefined;
        });
      /** Fleet's hub leaves the state of a Cluster empty when every bundle is ready. */
      const showsReady = (readyBundles: string) =>
        session.eventually(`the Cluster shows ${readyBundles}, and no other state`, async () => {
          const seen = await session.get(fleetCluster, "real-1");
          const isIt = textAt(seen, "status", "display", "readyBundles") === readyBundles;
          return isIt && textAt(seen, "status", "display", "state") === undefined;
        });
      const credential = () =>
        session.eventually("the agent has its credential", () =>
          childApi.get({ type: secret, namespace: own, name: "fleet-agent" }),
        );
      const registrations = async () =>
        (await session.api.list(fleetRegistration, { namespace: session.workspace })).items.filter(
          (item) => textAt(item, "spec", "clientID") === clientID,
        );

      beforeAll(async () => {
        served = await hub.start();
        session = await openFleetHubSession(served);
        downstream = await child.start();
        childApi = apiOf(readKubeconfig(downstream.kubeconfig));
        await session.declareToken("door", { clusterNames: ["real-1", "*"] });
        home = clusterNamespaceName(session.workspace, "real-1");
        const spec = { protocol: "fleet" as const, clientID, heartbeat: { periodSeconds: 10 } };
        await session.declareCluster("real-1", spec, { env: "prod" });
        const labels = { ...(await session.labelsOf("door")), env: "dev", site: "a" };
        const config = { clientID, labels, agentTLSMode: "strict" };
        const given = await session.bootstrapOf("door");
        front = await startRecordingProxy({ server: given.apiServerURL, caPem: given.apiServerCA });
        const bootstrap = { ...given, apiServerURL: front.server, apiServerCA: front.caPem };
        await installFleetChart(childApi, own, { config, bootstrap });
        await session.eventually("its cluster is served", () => session.get(fleetCluster, "real-1"));
      });
      afterAll(async () => {
        await agent?.stop();
        await kept?.removeContent();
        for (const name of [own, newcomer]) await childApi.delete({ type: namespace, name });
        await childApi.close();
        await front.close();
        await session.close();
        await downstream.stop();
      });

      it("is admitted at its first poll, as the cluster that is declared with its clientID", async () => {
        await start();
        const found = await credential();
        const looks = front.calls.filter(({ method, path }) => method === "GET" && path.includes("/secrets/"));
        expect(looks.map(({ status }) => status)).toEqual([200]);
        const read = (key: string) => Buffer.from(textAt(found, "data", key) ?? "", "base64").toString("utf8");
        expect([read("clusterName"), read("clusterNamespace"), read("deploymentNamespace")]).toEqual([
          "real-1",
          session.workspace,
          home,
        ]);
        await session.eventually(
          "it forgets how it joined",
          async () =>
            (await childApi.get({ type: secret, namespace: own, name: "fleet-agent-bootstrap" })) === undefined,
        );
        const seen = await session.eventually("real-1 is joined", async () => {
          const object = await session.get(cluster, "real-1");
          return conditionOf(object, "Joined") === "True" ? object : undefined;
        });
        expect(seen.metadata.labels).toMatchObject({ env: "prod" });
        expect(seen.metadata.labels).not.toHaveProperty("site");
        expect(seen["status"]).toMatchObject({ join: { mode: "AgentInitiated" }, identity: { clientID } });
      });

      it("is Ready with its first heartbeat, and heartbeats on", async () => {
        const seen = await ready();
        expect(seen["status"]).toMatchObject({ agent: { namespace: own }, effective: { heartbeatPeriodSeconds: 10 } });
        await isAtWork();
      });

      it("deploys what is placed for it and removes it again, and its Cluster shows the state of both", async () => {
        kept = await place("kept");
        await session.eventually("it is deployed", () => inChild("kept"));
        await showsReady("1/1");
        const passing = await place("passing");
        await session.eventually("the other too", () => inChild("passing"));
        await showsReady("2/2");
        await session.eventually("our Cluster says it, too", async () =>
          JSON.stringify((await session.get(cluster, "real-1"))?.["status"]).includes("2 of 2 bundles are ready"),
        );
        await passing.remove();
        await session.eventually("it is removed", async () => (await inChild("passing")) === undefined);
        await showsReady("1/1");
        await passing.removeContent();
        expect(await inChild("kept")).toBeDefined();
      });

      it("continues after its token's end, and starts again without a new registration", async () => {
        const [before] = await registrations();
        await session.api.delete({ type: clusterRegistrationToken, namespace: session.workspace, name: "door" });
        await session.eventually("its values are gone", async () => (await session.get(secret, "door")) === undefined);
        await isAtWork();
        await agent?.stop();
        await start();
        await isAtWork("it sends heartbeats after a restart");
        expect((await registrations()).map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
      });

      it("continues after a restart of the hub's controllers", async () => {
        await session.restartHub();
        await isAtWork();
        await ready();
      });

      it("continues after a restart of the hub itself", async ({ skip }) => {
        if (served.restart === undefined) return skip("other suites use this hub, too");
        const printed = agent?.lines.length ?? 0;
        await served.restart();
        await isAtWork();
        await ready();
        expect(agent?.lines.slice(printed).join("\n")).not.toMatch(/[Uu]nauthorized/u);
        await showsReady("1/1");
      });

      it("comes back by another bootstrap Secret when it has lost its credential, as the same cluster", async () => {
        const [former] = await registrations();
        await agent?.stop();
        await loseFleetCredential(childApi, own);
        await start();
        await session.eventually("it says what it lacks", async () =>
          agent?.lines.some((line) => line.includes("fleet-agent-bootstrap") && line.includes("not found")),
        );
        await session.declareToken("again", { clusterNames: ["real-1"] });
        await putFleetConfig(childApi, own, {
          clientID,
          labels: await session.labelsOf("again"),
          agentTLSMode: "strict",
        });
        await putFleetBootstrap(childApi, own, await session.bootstrapOf("again"));
        await credential();
        await isAtWork("it heartbeats again");
        const now = await session.eventually("one registration is left", async () => {
          const found = await registrations();
          return found.length === 1 ? found[0] : undefined;
        });
        expect(now.metadata.uid).not.toBe(former?.metadata.uid);
        await ready();
        await showsReady("1/1");
      });

      it("keeps what it deployed when its cluster leaves, which leaves nothing of it on the hub", async () => {
        const printed = agent?.lines.length ?? 0;
        const ref = { type: cluster, namespace: session.workspace, name: "real-1" };
        const annotations = { "rollcall.dev/leave": "c".repeat(40) };
        await session.api.mergePatch(ref, { metadata: { annotations } }, manager);
        await session.eventually("it says that it is refused", async () =>
          agent?.lines.slice(printed).some((line) => /[Uu]nauthorized/u.test(line)),
        );
        expect(await inChild("kept")).toBeDefined();
        // Its watch may be open for ten minutes more: only then may its namespace be deleted. This test does not wait that long.
        await agent?.stop();
        session.shiftHubTime(12 * 60_000);
        await session.eventually(
          "its Cluster is gone",
          async () => (await session.get(cluster, "real-1")) === undefined,
        );
        await session.eventually("its namespace too", async () => {
          const seen = await session.get(namespace, home);
          return seen === undefined || seen.metadata.deletionTimestamp !== undefined;
        });
        expect(await registrations()).toEqual([]);
        session.shiftHubTime(0);
        await start();
        await session.eventually("it is refused at its start", async () =>
          agent?.lines.some((line) => line.includes("Current credential failed")),
        );
        expect(await inChild("kept")).toBeDefined();
      });

      it("joins from a cluster that no file declares, without the name of its token, with the labels it proposes", async () => {
        await agent?.stop();
        // It may do what every open token allows.
        await session.api.delete({ type: clusterRegistrationToken, namespace: session.workspace, name: "again" });
        await session.declareToken("anybody");
        const bootstrap = { ...(await session.bootstrapOf("anybody")), tokenName: "" };
        const config = { labels: { site: "b" }, agentTLSMode: "strict" };
        await installFleetChart(childApi, newcomer, { config, bootstrap });
        agent = await startFleetAgent({ childKubeconfig: downstream.kubeconfig, namespace: newcomer });
        const uid = (await childApi.get({ type: namespace, name: "kube-system" }))?.metadata.uid ?? "";
        const name = createdClusterName(uid);
        const seen = await session.eventually("it is Ready", async () => {
          const object = await session.get(cluster, name);
          return conditionOf(object, "Ready") === "True" ? object : undefined;
        });
        expect(seen.metadata.labels).toMatchObject({ site: "b" });
        expect(seen["status"]).toMatchObject({ identity: { clientID: uid }, agent: { namespace: newcomer } });
        await agent.stop();
      });

      describeRealInstalled(() => ({ session, downstream, childApi }));
    },
  );
}
