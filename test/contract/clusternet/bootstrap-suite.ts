import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { clusternetBootstrapProtocol } from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { openClusternetHubSession } from "./clusternet-hub-session.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";

const { cluster, clusterRegistrationToken, registrationRequest, secret } = resourceTypes;
const requests = "/apis/clusters.clusternet.io/v1beta1/clusterregistrationrequests";

/** Agents that ask with bootstrap tokens of Kubernetes; the same on every hub that accepts them. */
export function describeBootstrapTokens(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`bootstrap tokens for Clusternet's agents on ${hubName}`, () => {
    let session: ClusternetHubSession;
    let first: ClusternetAgentClient;
    let second: ClusternetAgentClient;
    const tokensOf = async () => {
      const labelSelector = `rollcall.dev/owner-workspace=${session.workspace}`;
      return (await session.api.list(secret, { namespace: "kube-system", labelSelector })).items;
    };
    // A real API server believes a token for ten seconds: it must not be asked for anything that would be granted.
    const isRefused = async (agent: ClusternetAgentClient) =>
      (await agent.call("GET", requests, { token: agent.doorToken })).status === 401;
    const decode = (object: unknown, key: string) =>
      Buffer.from(textAt(object, "data", key) ?? "", "base64").toString("utf8");
    beforeAll(async () => {
      session = await openClusternetHubSession(await startHub(), clusternetBootstrapProtocol);
      await session.declareToken("kubeadm", { clusterNames: ["boot-1", "boot-2"], ttl: "24h" });
      first = await session.agentOf("kubeadm", "boot-1");
      second = await session.agentOf("kubeadm", "boot-2");
    });
    afterAll(async () => {
      for (const { requestName } of [first, second])
        await session.api.delete({ type: registrationRequest, name: requestName });
      await session.close();
    });

    it("have the form that kubeadm writes, a group of their cluster and the end of their token", async () => {
      expect(first.doorToken).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/u);
      const found = await tokensOf();
      expect(found.map((object) => decode(object, "auth-extra-groups")).sort()).toEqual([
        `system:bootstrappers:clusternet:${session.workspace}:kubeadm:boot-1`,
        `system:bootstrappers:clusternet:${session.workspace}:kubeadm:boot-2`,
      ]);
      const token = await session.get(clusterRegistrationToken, "kubeadm");
      for (const object of found) {
        expect(object["type"]).toBe("bootstrap.kubernetes.io/token");
        expect(decode(object, "expiration")).toBe(textAt(token, "status", "expires"));
        expect(object.metadata.name).toBe(`bootstrap-token-${decode(object, "token-id")}`);
      }
    });

    it("name in the refusal of an agent with parentURL and token alone the flags that it lacks", async () => {
      const id = randomUUID();
      const metadata = { name: `clusternet-${id}` };
      const body = {
        kind: "ClusterRegistrationRequest",
        apiVersion: "clusters.clusternet.io/v1beta1",
        metadata,
        spec: { clusterId: id, clusterName: "clusternet-cluster-b9wpn" },
      };
      const asked = await first.call("POST", requests, { token: first.doorToken, body });
      expect(asked.status).toBe(403);
      expect(JSON.stringify(asked.body)).toContain(
        "start the agent with --cluster-reg-name=boot-1 --cluster-labels=" +
          `rollcall.dev/workspace=${session.workspace},rollcall.dev/token=kubeadm (extraArgs`,
      );
    });

    it("let an agent in, as its cluster alone", async () => {
      await session.join(first);
      expect((await first.heartbeat()).status).toBe(200);
      await session.eventually(
        "it is ready",
        async () => conditionOf(await session.get(cluster, "boot-1"), "Ready") === "True",
      );
      const body = { token: second.doorToken };
      expect((await second.call("GET", `${requests}/${first.requestName}`, body)).status).toBe(403);
      expect((await first.ask(second.doorToken)).status).toBe(403);
    });

    it("are created again when one is deleted, and the old one is refused", async () => {
      const [lost] = (await tokensOf()).filter((object) => decode(object, "auth-extra-groups").endsWith(":boot-2"));
      await session.api.delete({ type: secret, namespace: "kube-system", name: lost?.metadata.name ?? "" });
      await session.eventually("the values have another", async () => {
        const values = await session.get(secret, "kubeadm");
        return !decode(values, "boot-2").includes(second.doorToken);
      });
      await session.eventually("the old one is refused", () => isRefused(second));
      second = await session.agentOf("kubeadm", "boot-2");
      await session.join(second);
    });

    it("are deleted with their token, and members stay members", async () => {
      await session.api.delete({ type: clusterRegistrationToken, namespace: session.workspace, name: "kubeadm" });
      await session.eventually("they are gone", async () => (await tokensOf()).length === 0);
      await session.eventually("they are refused", () => isRefused(second));
      expect(await first.restart()).toBe(true);
      expect((await first.heartbeat()).status).toBe(200);
    });
  });
}
