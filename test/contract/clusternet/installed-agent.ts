import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { objectsAt, textAt, textsAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";

const { cluster, deployment, secret } = resourceTypes;

/** An agent that the hub itself installs, by a kubeconfig. */
export function describeInstalledAgent(given: () => ClusternetHubSession): void {
  describe("a cluster with a kubeconfig", () => {
    const name = "installed-1";
    const agentRef = { type: deployment, namespace: "clusternet-system", name: "clusternet-agent" };
    let session: ClusternetHubSession;
    let downstream: HubUnderTest;
    let downstreamApi: KubeApi;
    let agent: ClusternetAgentClient;
    beforeAll(async () => {
      session = given();
      downstream = await embeddedHub();
      downstreamApi = apiOf(readKubeconfig(downstream.kubeconfig));
      const data = { value: Buffer.from(downstream.kubeconfig, "utf8").toString("base64") };
      const metadata = { name: "downstream-kubeconfig", namespace: session.workspace };
      await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "test" });
      const kubeConfigSecretRef = { name: "downstream-kubeconfig" };
      await session.declareCluster(name, {
        protocol: "clusternet",
        kubeConfigSecretRef,
        heartbeat: { periodSeconds: 30 },
        clusternet: { clusterType: "EdgeCluster", syncMode: "Dual" },
      });
    });
    afterAll(async () => {
      await downstreamApi.close();
      await downstream.stop();
    });

    it("gets its agent installed, with all that it needs", async () => {
      const found = await session.eventually("the agent is installed", () => downstreamApi.get(agentRef));
      const [container] = objectsAt(found, "spec", "template", "spec", "containers");
      expect(textsAt(container, "command")).toEqual([
        "/usr/local/bin/clusternet-agent",
        "--cluster-reg-parent-url=$(PARENT_URL)",
        "--cluster-reg-token=$(REG_TOKEN)",
        `--cluster-reg-name=${name}`,
        `--cluster-labels=rollcall.dev/workspace=${session.workspace}`,
        "--cluster-reg-type=EdgeCluster",
        "--cluster-sync-mode=Dual",
        "--feature-gates=AppPusher=true",
        "--cluster-status-update-frequency=30s",
        "--cluster-status-collect-frequency=20s",
        "--leader-elect=true",
        "--leader-elect-resource-namespace=clusternet-system",
        "--v=2",
      ]);
      const place = { type: secret, namespace: "clusternet-system", name: "clusternet-agent-cluster-registration" };
      const registration = await downstreamApi.get(place);
      const decode = (key: string) => Buffer.from(textAt(registration, "data", key) ?? "", "base64").toString("utf8");
      expect(decode("parentURL")).toBe(session.api.server);
      const ca = (await readKubeconfig(session.kubeconfig).getTls()).caPem ?? "";
      agent = new ClusternetAgentClient({
        server: session.api.server,
        ca,
        token: decode("regToken"),
        clusterId: randomUUID(),
        clusterName: name,
        labels: { "rollcall.dev/workspace": session.workspace },
      });
    });

    it("is admitted with it, as its cluster alone", async () => {
      await session.join(agent);
      expect((await agent.heartbeat({ status: { heartbeatFrequencySeconds: 30 } })).status).toBe(200);
      const ready = await session.eventually("it is ready", async () => {
        const seen = await session.get(cluster, name);
        return conditionOf(seen, "Ready") === "True" ? seen : undefined;
      });
      expect(ready["status"]).toMatchObject({
        join: { mode: "HubInitiated" },
        effective: { heartbeatPeriodSeconds: 30, deletionPolicy: "Uninstall" },
      });
    });

    it("loses what it was installed with soon after it joined", async () => {
      session.shiftHubTime(11 * 60_000);
      await session.eventually("the credential ends", async () => [401, 403].includes((await agent.ask()).status));
      expect(await agent.restart()).toBe(true);
    });

    it("loses its agent when it leaves", async () => {
      const ref = { type: cluster, namespace: session.workspace, name };
      const annotations = { "rollcall.dev/leave": "c".repeat(40) };
      await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
      await session.eventually("it is gone", async () => (await session.get(cluster, name)) === undefined);
      expect(await downstreamApi.get(agentRef)).toBeUndefined();
    });
  });
}
