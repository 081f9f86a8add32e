import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { objectAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import type { FleetBootstrap } from "../../support/fleet-agent-client.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, clusterRole, configMap, deployment, namespace, secret } = resourceTypes;
const manager = { fieldManager: "test" };

/** Agents that the hub installs; the hub is their cluster too, as with Fleet's local cluster. */
export function describeInstalledAgents(opened: () => FleetHubSession): void {
  describe("an agent that the hub installs", () => {
    let agent: FleetAgentClient;
    const first = (): string => `first-${opened().workspace}`;
    const second = (): string => `second-${opened().workspace}`;
    const target = () => ({ type: cluster, namespace: opened().workspace, name: "local" });
    const patchSpec = (spec: JsonObject): Promise<unknown> =>
      opened().api.mergePatch(target(), { spec }, { fieldManager: "rollcall-git" });
    const deploymentIn = (place: string): Promise<KubeObject | undefined> =>
      opened().get(deployment, "fleet-agent", place);

    async function bootstrapIn(place: string): Promise<FleetBootstrap> {
      const data = await opened().eventually("the bootstrap Secret", async () =>
        objectAt(await opened().get(secret, "fleet-agent-bootstrap", place), "data"),
      );
      const read = (key: string): string => Buffer.from(textAt(data, key) ?? "", "base64").toString("utf8");
      return {
        apiServerURL: read("apiServerURL"),
        apiServerCA: read("apiServerCA"),
        clusterNamespace: read("clusterNamespace"),
        systemRegistrationNamespace: read("systemRegistrationNamespace"),
        token: read("token"),
        tokenName: read("tokenName"),
      };
    }

    it("waits for its kubeconfig, and reports it", async () => {
      const kubeConfigSecretRef = { name: "local-kubeconfig" };
      const spec = { protocol: "fleet" as const, clientID: "local-id", kubeConfigSecretRef };
      await opened().declareCluster("local", { ...spec, agent: { namespace: first() } }, { env: "dev" });
      await opened().eventually("the condition", async () =>
        JSON.stringify((await opened().get(cluster, "local"))?.["status"] ?? {}).includes("KubeconfigMissing"),
      );
    });

    it("is installed by it, with a token of its own, and becomes Ready", async () => {
      const value = Buffer.from(opened().kubeconfig).toString("base64");
      const metadata = { name: "local-kubeconfig", namespace: opened().workspace };
      await opened().api.create({ apiVersion: "v1", kind: "Secret", metadata, data: { value } }, manager);
      await opened().eventually("the Deployment", () => deploymentIn(first()));
      const bootstrap = await bootstrapIn(first());
      expect(bootstrap).toMatchObject({ tokenName: "import-token-local", clusterNamespace: opened().workspace });
      const config = await opened().get(configMap, "fleet-agent", first());
      expect(JSON.parse(textAt(config, "data", "config") ?? "")).toEqual({
        clientID: "local-id",
        agentTLSMode: "strict",
        labels: { "rollcall.dev/token": "import-token-local" },
      });
      agent = new FleetAgentClient(bootstrap, { clientID: "local-id" });
      expect(await agent.register()).toBe(true);
      expect(agent.credential?.clusterName).toBe("local");
      expect((await agent.heartbeat()).status).toBe(200);
      await opened().eventually(
        "it is Ready",
        async () => conditionOf(await opened().get(cluster, "local"), "Ready") === "True",
      );
    });

    it("lets no other cluster in by that token", async () => {
      const impostor = new FleetAgentClient(await bootstrapIn(first()), { clientID: "somebody" });
      expect(await impostor.register({}, { waitMs: 500 })).toBe(false);
      expect((await agent.heartbeat()).status).toBe(200);
    });

    it("comes back from a lost credential by a raised redeployGeneration", async () => {
      await patchSpec({ agent: { redeployGeneration: 1 } });
      await opened().eventually("its Pod starts anew", async () => {
        const annotations = objectAt(await deploymentIn(first()), "spec", "template", "metadata", "annotations");
        return textAt(annotations, "rollcall.dev/redeploy-generation") === "1";
      });
      const again = new FleetAgentClient(await bootstrapIn(first()), { clientID: "local-id" });
      expect(await again.register()).toBe(true);
      await opened().eventually("the former is refused", async () => (await agent.heartbeat()).status === 401);
      expect((await again.heartbeat()).status).toBe(200);
      agent = again;
    });

    it("is installed again for another address of the hub, which may be beside its kubeconfig", async () => {
      const { api, workspace } = opened();
      const url = api.server.replace("127.0.0.1", "localhost");
      const data = { apiServerURL: Buffer.from(url).toString("base64") };
      await api.mergePatch({ type: secret, namespace: workspace, name: "local-kubeconfig" }, { data }, manager);
      const bootstrap = await opened().eventually("another way in", async () => {
        const found = await bootstrapIn(first());
        return found.apiServerURL === url ? found : undefined;
      });
      const former = textAt(await opened().get(secret, "fleet-agent", first()), "data", "kubeconfig") ?? "";
      expect(Buffer.from(former, "base64").toString("utf8")).toBe("none");
      await opened().eventually("its Cluster says so", async () => {
        const status = (await opened().get(cluster, "local"))?.["status"];
        return textAt(status, "effective", "hubURL") === url;
      });
      const again = new FleetAgentClient(bootstrap, { clientID: "local-id" });
      expect(await again.register()).toBe(true);
      expect((await again.heartbeat()).status).toBe(200);
      agent = again;
    });

    it("moves to another namespace, and leaves nothing in the former", async () => {
      await patchSpec({ agent: { namespace: second() } });
      await opened().eventually("the new one", () => deploymentIn(second()));
      await opened().eventually("the former is gone", async () => (await deploymentIn(first())) === undefined);
      await opened().eventually(
        "its rights are gone",
        async () => (await opened().get(clusterRole, `${first()}-fleet-agent-role`)) === undefined,
      );
      const moved = new FleetAgentClient(await bootstrapIn(second()), { clientID: "local-id" });
      expect(await moved.register()).toBe(true);
      expect((await moved.heartbeat()).status).toBe(200);
    });

    it("is removed when its cluster leaves, and the hub's own namespaces stay", async () => {
      const leave = { metadata: { annotations: { "rollcall.dev/leave": "c0ffee".padEnd(40, "0") } } };
      await opened().api.mergePatch(target(), leave, manager);
      await opened().eventually(
        "the Cluster is gone",
        async () => (await opened().get(cluster, "local")) === undefined,
      );
      expect(await deploymentIn(second())).toBeUndefined();
      expect(await opened().get(clusterRole, `${second()}-fleet-agent-role`)).toBeUndefined();
      const system = await opened().get(namespace, "cattle-fleet-system");
      expect(system).toBeDefined();
      expect(system?.metadata.deletionTimestamp).toBeUndefined();
    });
  });
}
