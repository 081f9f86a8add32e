import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { objectAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { memberStateName } from "../../../src/model/member-state.ts";
import { clusterNamespaceName } from "../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { AgentProcess } from "../../support/agent-process.ts";
import { loseFleetCredential, startFleetAgent } from "../../support/fleet-agent-process.ts";
import { placeBundle } from "../../support/fleet-bundle.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, configMap, deployment, fleetCluster, namespace, secret } = resourceTypes;
const manager = { fieldManager: "test" };

interface Scene {
  readonly session: FleetHubSession;
  readonly downstream: HubUnderTest;
  readonly childApi: KubeApi;
}

/** The unmodified agent with what the hub installed: where no node runs its Deployment, the test starts its process. */
export function describeRealInstalled(scene: () => Scene): void {
  describe("that the hub installs by a kubeconfig", () => {
    const id = randomUUID().slice(0, 8);
    const [first, second, workloads, name] = [`first-${id}`, `second-${id}`, `work-${id}`, "by-kubeconfig"];
    let agent: AgentProcess | undefined;
    const inChild = (type: typeof secret, place: string, named = "fleet-agent"): Promise<KubeObject | undefined> =>
      scene().childApi.get({ type, namespace: place, name: named });
    const generationIn = async (place: string) =>
      textAt(
        objectAt(await inChild(deployment, place), "spec", "template", "metadata", "annotations"),
        "rollcall.dev/redeploy-generation",
      );
    const patchSpec = (spec: JsonObject): Promise<unknown> =>
      scene().session.api.mergePatch(
        { type: cluster, namespace: scene().session.workspace, name },
        { spec },
        { fieldManager: "rollcall-git" },
      );

    /** What a node would start. */
    const run = async (place: string): Promise<void> => {
      const found = await inChild(deployment, place);
      const [container] = objectsAt(found, "spec", "template", "spec", "containers");
      const pairs = objectsAt(container, "env").flatMap((one): [string, string][] => {
        const [key, value] = [textAt(one, "name"), textAt(one, "value")];
        return key === undefined || value === undefined ? [] : [[key, value]];
      });
      const environment = Object.fromEntries(pairs);
      agent = await startFleetAgent({ childKubeconfig: scene().downstream.kubeconfig, namespace: place, environment });
    };
    const isReadyIn = (place: string) =>
      scene().session.eventually(`it is Ready in ${place}`, async () => {
        const seen = await scene().session.get(cluster, name);
        const from = textAt(await scene().session.get(fleetCluster, name), "status", "agent", "namespace");
        return conditionOf(seen, "Ready") === "True" && from === place ? seen : undefined;
      });
    const heartbeats = async () => {
      const { session } = scene();
      const marker = async () => textAt(await session.get(fleetCluster, name), "status", "agent", "lastSeen");
      const before = await marker();
      await session.eventually("a new beat", async () => (await marker()) !== before);
    };

    beforeAll(async () => {
      const { session, downstream } = scene();
      const metadata = { name: `${name}-kubeconfig`, namespace: session.workspace };
      const data = { value: Buffer.from(downstream.kubeconfig).toString("base64") };
      await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, manager);
      await session.declareCluster(name, {
        protocol: "fleet",
        clientID: `id-${id}`,
        kubeConfigSecretRef: { name: `${name}-kubeconfig` },
        heartbeat: { periodSeconds: 10 },
        agent: { namespace: first },
      });
    });
    afterAll(async () => {
      await agent?.stop();
      for (const place of [first, second, workloads]) await scene().childApi.delete({ type: namespace, name: place });
    });

    it("joins with all that was installed, and is Ready", async () => {
      await scene().session.eventually("the Deployment", () => inChild(deployment, first));
      expect(JSON.parse(textAt(await inChild(configMap, first), "data", "config") ?? "")).toMatchObject({
        clientID: `id-${id}`,
      });
      await run(first);
      const seen = await isReadyIn(first);
      expect(seen["status"]).toMatchObject({ join: { mode: "HubInitiated" } });
    });

    it("comes back from a lost credential when redeployGeneration is raised", async () => {
      await agent?.stop();
      await loseFleetCredential(scene().childApi, first);
      await patchSpec({ agent: { redeployGeneration: 1 } });
      await scene().session.eventually("it is installed again", async () => (await generationIn(first)) === "1");
      await run(first);
      await scene().session.eventually("it has a credential", () => inChild(secret, first));
      await heartbeats();
    });

    it("moves to another namespace, and leaves nothing in the former", async () => {
      await patchSpec({ agent: { namespace: second } });
      await scene().session.eventually("the new one", () => inChild(deployment, second));
      await scene().session.eventually(
        "the former is gone",
        async () => (await inChild(deployment, first)) === undefined,
      );
      await agent?.stop();
      await run(second);
      await isReadyIn(second);
    });

    it("loses its agent when it leaves, and keeps what that deployed", async () => {
      const { session, childApi } = scene();
      await childApi.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: workloads } }, manager);
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "workload" }, data: { from: "the hub" } };
      const home = clusterNamespaceName(session.workspace, name);
      const placed = await placeBundle(session.api, { name: `app-${id}`, home, into: workloads, objects: [object] });
      const workload = () => inChild(configMap, workloads, "workload");
      await session.eventually("it is deployed", workload);
      const ref = { type: cluster, namespace: session.workspace, name };
      const annotations = { "rollcall.dev/leave": "d".repeat(40) };
      await session.api.mergePatch(ref, { metadata: { annotations } }, manager);
      await session.eventually("the agent is removed", async () => (await inChild(deployment, second)) === undefined);
      await session.eventually("its rights are gone", async () => {
        const state = textAt(await session.get(configMap, memberStateName(name)), "data", "memory") ?? "";
        return state.includes("revokedAt");
      });
      // A node would end its Pod now.
      await agent?.stop();
      session.shiftHubTime(12 * 60_000);
      await session.eventually("its Cluster is gone", async () => (await session.get(cluster, name)) === undefined);
      session.shiftHubTime(0);
      expect(await workload()).toBeDefined();
      await placed.removeContent();
    });
  });
}
