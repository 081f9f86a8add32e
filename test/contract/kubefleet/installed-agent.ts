import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { parseJson } from "../../../src/core/parse-json.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { memberStateName } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { KubefleetAgentClient } from "../../support/kubefleet-agent-client.ts";

const { cluster, secret } = resourceTypes;
const appliedWorks = "appliedworks.placement.kubernetes-fleet.io";
const hourMs = 3600_000;

/** A member whose agent the hub installs, and brings its tokens. */
export function describeInstalledAgent(given: () => ForeignHubSession): void {
  describe("a member with a kubeconfig", () => {
    const name = `d-${randomUUID().slice(0, 6)}`;
    let session: ForeignHubSession;
    let ca = "";
    let downstream: HubUnderTest;
    let downstreamApi: KubeApi;
    const tokenSecret = { type: secret, namespace: "fleet-system", name: "hub-kubeconfig-secret" };
    const deployment = { type: resourceTypes.deployment, namespace: "fleet-system", name: "member-agent" };
    const brought = async (): Promise<string | undefined> => {
      const encoded = textAt(await downstreamApi.get(tokenSecret), "data", "token");
      return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
    };
    const agentWith = (token: string) =>
      new KubefleetAgentClient({ server: session.api.server, ca, token, clusterName: name });
    beforeAll(async () => {
      session = given();
      ca = (await readKubeconfig(session.kubeconfig).getTls()).caPem ?? "";
      downstream = await embeddedHub();
      downstreamApi = apiOf(readKubeconfig(downstream.kubeconfig));
      const data = { value: Buffer.from(downstream.kubeconfig, "utf8").toString("base64") };
      const metadata = { name: "d-kubeconfig", namespace: session.workspace };
      await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "test" });
      await session.declareCluster(name, { protocol: "kubefleet", kubeConfigSecretRef: { name: "d-kubeconfig" } });
    });
    afterAll(async () => {
      await downstreamApi.close();
      await downstream.stop();
    });

    it("gets its agent installed, with all that it needs", async () => {
      const token = await session.eventually("the token is brought", brought);
      const found = await session.eventually("the agent is installed", () => downstreamApi.get(deployment));
      const container = objectsAt(found, "spec", "template", "spec", "containers")[0];
      const env = objectsAt(container, "env").map(
        (entry) => [textAt(entry, "name") ?? "", textAt(entry, "value")] as const,
      );
      expect(Object.fromEntries(env)).toEqual({
        HUB_SERVER_URL: session.api.server,
        MEMBER_CLUSTER_NAME: name,
        CONFIG_PATH: "/config/token",
        HUB_CERTIFICATE_AUTHORITY: Buffer.from(ca, "utf8").toString("base64"),
      });
      const definition = { type: resourceTypes.customResourceDefinition, name: appliedWorks };
      expect(await downstreamApi.get(definition)).toBeDefined();
      expect((await agentWith(token).heartbeat()).status).toBe(200);
    });

    it("gets a new token in time, and the old one stays good until the new one is surely in use", async () => {
      const old = (await brought()) ?? "";
      const broughtAt = async () => {
        const state = await session.get(resourceTypes.configMap, memberStateName(name));
        return textAt(parseJson(textAt(state, "data", "memory") ?? "{}"), "install", "time");
      };
      const oldTime = await broughtAt();
      session.shiftHubTime(13 * hourMs);
      const fresh = await session.eventually("another token is brought", async () => {
        const token = await brought();
        return token === old ? undefined : token;
      });
      expect((await agentWith(old).heartbeat()).status).toBe(200);
      expect((await agentWith(fresh).heartbeat()).status).toBe(200);
      await session.eventually("the hub has noted since when", async () => (await broughtAt()) !== oldTime);
      session.shiftHubTime(13.5 * hourMs);
      await session.eventually("the old one ends", async () => (await agentWith(old).heartbeat()).status === 401);
      expect((await agentWith(fresh).heartbeat()).status).toBe(200);
    });

    it("loses its agent when it leaves, and keeps what the agent applied", async () => {
      const agent = agentWith((await brought()) ?? "");
      const ref = { type: cluster, namespace: session.workspace, name };
      const annotations = { "rollcall.dev/leave": "c".repeat(40) };
      await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
      await session.eventually("the agent is told", async () => (await agent.state()) === "Leave");
      await agent.heartbeat({ joined: "False" });
      await session.eventually("it is gone", async () => (await session.get(cluster, name)) === undefined);
      expect(await downstreamApi.get(deployment)).toBeUndefined();
      const definition = { type: resourceTypes.customResourceDefinition, name: appliedWorks };
      expect(await downstreamApi.get(definition)).toBeDefined();
    });
  });
}
