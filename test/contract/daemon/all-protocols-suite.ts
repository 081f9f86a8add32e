import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { foreignProtocols } from "../../../src/daemon/foreign-protocols.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { readValuesText } from "../../../src/join/rollcall/downstream/values.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { parse } from "yaml";
import { clusterNamespaceName } from "../../../src/model/dialects/fleet.ts";
import { dedicatedNamespaceName } from "../../../src/model/dialects/clusternet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { callHub } from "../../support/call-hub.ts";
import { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import { declareObject } from "../../support/declare-object.ts";
import { FleetAgentClient, readFleetValues } from "../../support/fleet-agent-client.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import { openForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { KubefleetAgentClient } from "../../support/kubefleet-agent-client.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { SimulatedAgent } from "../agent/simulated-agent.ts";
import { startSimulatedAgent } from "../agent/simulated-agent.ts";

const { cluster, namespace, registrationRequest, memberCluster, secret } = resourceTypes;

/** Agents of every protocol on one hub at once: each is healthy, none reaches what is another's. */
export function describeAllProtocols(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`agents of all projects at once on ${hubName}`, () => {
    const unique = randomUUID().slice(0, 6);
    const names = {
      rollcall: `own-${unique}`,
      fleet: `f-${unique}`,
      kubefleet: `k-${unique}`,
      clusternet: `c-${unique}`,
    };
    const credentials = new Map<keyof typeof names, string>();
    let session: ForeignHubSession;
    let ca = "";
    let own: SimulatedAgent | undefined;
    let clusternet: ClusternetAgentClient | undefined;

    const encodedAt = (name: string, key: string) =>
      session.eventually(`Secret ${name} with ${key}`, async () => {
        const encoded = textAt(await session.get(secret, name), "data", key);
        return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
      });

    beforeAll(async () => {
      session = await openForeignHubSession(
        await startHub(),
        { protocol: rollcallProtocol },
        ...[...foreignProtocols.values()].map(({ protocol, installOnHub }) => ({ protocol, installOnHub })),
      );
      ca = (await readKubeconfig(session.kubeconfig).getTls()).caPem ?? "";
      for (const protocol of ["rollcall", "fleet", "clusternet"] as const) {
        const metadata = { name: `${protocol}-door`, namespace: session.workspace };
        const spec = { protocol, clusterNames: [names[protocol]] };
        const token = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata, spec };
        await declareObject(session.api, token);
      }
      await session.declareCluster(names.kubefleet, { protocol: "kubefleet" });
    });
    afterAll(async () => {
      await own?.stop();
      if (clusternet) await session.api.delete({ type: registrationRequest, name: clusternet.requestName });
      for (const name of [
        `fleet-member-${names.kubefleet}`,
        clusterNamespaceName(session.workspace, names.fleet),
        dedicatedNamespaceName(session.workspace, names.clusternet),
      ])
        await session.api.delete({ type: namespace, name });
      await session.api.delete({ type: memberCluster, name: names.kubefleet });
      await session.close();
    });

    it("all come in, and are healthy", async () => {
      const { workspace, api } = session;
      const values = readValuesText(await encodedAt("rollcall-door", "values"));
      if (values.kind !== "values") throw new Error("the own token's values are not complete");
      own = startSimulatedAgent(values.values, { name: names.rollcall, clientID: `own-${unique}` });
      expect(await own.result).toBe(true);

      const fleet = new FleetAgentClient(readFleetValues(await encodedAt("fleet-door", "values")), {
        clientID: `fleet-${unique}`,
      });
      expect(await fleet.register()).toBe(true);
      credentials.set("fleet", fleet.credential?.token ?? "");
      await fleet.heartbeat();

      const token = await encodedAt(`${names.kubefleet}-hub-cluster-access-token`, "token");
      const kubefleet = new KubefleetAgentClient({ server: api.server, ca, token, clusterName: names.kubefleet });
      await session.eventually("its object is there", async () => (await kubefleet.state()) === "Join");
      await kubefleet.start();
      await kubefleet.heartbeat();
      credentials.set("kubefleet", token);

      const door: unknown = parse(await encodedAt("clusternet-door", names.clusternet));
      const agent = new ClusternetAgentClient({
        server: api.server,
        ca,
        token: textAt(door, "registrationToken") ?? "",
        clusterId: randomUUID(),
        clusterName: names.clusternet,
        labels: { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "clusternet-door" },
      });
      clusternet = agent;
      expect((await agent.ask()).status).toBe(201);
      await session.eventually("it is approved", () => agent.look());
      await agent.heartbeat();
      credentials.set("clusternet", agent.answer?.token ?? "");

      for (const [protocol, name] of Object.entries(names)) {
        const healthy = await session.eventually(`${name} is healthy`, async () => {
          const seen = await session.get(cluster, name);
          return conditionOf(seen, "Healthy") === "True" ? seen : undefined;
        });
        expect(textAt(healthy, "status", "effective", "protocol")).toBe(protocol);
      }
    });

    it("see nothing of each other", async () => {
      const { workspace, api } = session;
      const home = {
        fleet: clusterNamespaceName(workspace, names.fleet),
        kubefleet: `fleet-member-${names.kubefleet}`,
        clusternet: dedicatedNamespaceName(workspace, names.clusternet),
      };
      const places: Record<keyof typeof names, readonly string[]> = {
        rollcall: [
          `/apis/rollcall.dev/v1alpha1/namespaces/${workspace}/clusters`,
          `/apis/rollcall.dev/v1alpha1/namespaces/${workspace}/clusterreports/${names.rollcall}`,
          `/apis/coordination.k8s.io/v1/namespaces/${workspace}/leases/rollcall-${names.rollcall}`,
          `/api/v1/namespaces/${workspace}/configmaps`,
          `/api/v1/namespaces/${workspace}/secrets`,
        ],
        fleet: [
          `/apis/fleet.cattle.io/v1alpha1/namespaces/${workspace}/clusters/${names.fleet}`,
          `/apis/fleet.cattle.io/v1alpha1/namespaces/${home.fleet}/bundledeployments`,
          "/api/v1/namespaces/cattle-fleet-clusters-system/secrets",
        ],
        kubefleet: [
          `/apis/cluster.kubernetes-fleet.io/v1beta1/memberclusters/${names.kubefleet}`,
          `/apis/cluster.kubernetes-fleet.io/v1beta1/namespaces/${home.kubefleet}/internalmemberclusters`,
          `/apis/placement.kubernetes-fleet.io/v1beta1/namespaces/${home.kubefleet}/works`,
        ],
        clusternet: [
          `/apis/clusters.clusternet.io/v1beta1/clusterregistrationrequests/${clusternet?.requestName}`,
          `/apis/clusters.clusternet.io/v1beta1/namespaces/${home.clusternet}/managedclusters`,
        ],
      };
      expect(credentials.size).toBe(3);
      const calls: string[] = [];
      for (const [holder, token] of credentials)
        for (const [owner, paths] of Object.entries(places)) {
          if (owner === holder) continue;
          for (const path of paths) {
            const { status } = await callHub({ server: api.server, ca, token, method: "GET", path });
            calls.push(`${holder} ${path} ${status}`);
          }
        }
      expect(calls.filter((call) => !call.endsWith(" 403"))).toEqual([]);
      expect(calls).toHaveLength(5 * 3 + 3 * 2 + 3 * 2 + 2 * 2);
      const [ownApi] = own?.hubApis.slice(-1) ?? [];
      for (const path of [...places.fleet, ...places.kubefleet, ...places.clusternet])
        expect((await ownApi?.getRaw(path))?.status, path).toBe(403);
    });
  });
}
