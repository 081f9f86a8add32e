import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { kubefleetAgentNames } from "../../../src/model/dialects/kubefleet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubPlace } from "../../support/hub-under-test.ts";
import { kubefleetAgentBinary } from "../../support/kubefleet-agent-process.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { RealAgentStage } from "./real-agent-stage.ts";
import { openRealAgentStage } from "./real-agent-stage.ts";

const { cluster, configMap, customResourceDefinition, deployment } = resourceTypes;
const { memberCluster, namespace, node, secret, serviceAccount, work } = resourceTypes;
const hourMs = 3600_000;
const windowMs = 6_000;

/** The unmodified agent as a process, between a hub and its cluster. */
export function describeRealAgent(hub: HubPlace, child: HubPlace): void {
  // KubeFleet's agent is built from its own project: ROLLCALL_KUBEFLEET_AGENT names the program.
  describe.skipIf(kubefleetAgentBinary === undefined)(`KubeFleet's own agent in ${child.name}, on ${hub.name}`, () => {
    let stage: RealAgentStage;
    const isReady = () =>
      stage.session.eventually("it is Ready", async () => {
        const seen = await stage.session.get(cluster, stage.name);
        return conditionOf(seen, "Ready") === "True" ? seen : undefined;
      });
    const beatsAgain = async (with_?: string) => {
      const before = stage.heartbeats().length;
      await stage.session.eventually("another beat", () => {
        const isOne = ({ status, token }: { status: number; token: string }) =>
          status === 200 && (with_ === undefined || token === with_);
        return Promise.resolve(stage.heartbeats().slice(before).some(isOne));
      });
    };
    const refused = () => stage.calls().filter(({ status }) => status >= 400);
    const isGone = async () => {
      const { session, name, home } = stage;
      await session.eventually("it is gone", async () => (await session.get(cluster, name)) === undefined);
      await session.eventually("its namespace too", async () => (await session.get(namespace, home)) === undefined);
      expect(await session.get(memberCluster, name)).toBeUndefined();
      expect(await session.get(serviceAccount, `${name}-hub-cluster-access`)).toBeUndefined();
    };
    beforeAll(async () => {
      stage = await openRealAgentStage(await hub.start(), await child.start());
      await stage.declare();
      await stage.startAgent();
    });
    afterEach(() => stage.session.shiftHubTime(0));
    afterAll(async () => {
      await stage.childApi.delete({ type: node, name: stage.apps });
      await stage.close();
    });

    it("is joined and healthy with its first heartbeats, by what the hub installed and the rights it was given", async () => {
      expect(await stage.said("Joined", "True")).toMatchObject({ reason: "MemberClusterJoined" });
      expect(await stage.said("Healthy", "True")).toMatchObject({ reason: "MemberClusterAPIServerHealthy" });
      const seen = await isReady();
      expect(seen["status"]).toMatchObject({ effective: { protocol: "kubefleet", heartbeatPeriodSeconds: 2 } });
      await beatsAgain();
      expect(refused()).toEqual([]);
    });

    it("reports the resources of its cluster", async () => {
      const metadata = { name: stage.apps };
      await stage.childApi.create({ apiVersion: "v1", kind: "Node", metadata }, { fieldManager: "test" });
      const amounts = { cpu: "4", memory: "8Gi" };
      const status = { capacity: amounts, allocatable: amounts };
      const writing = { fieldManager: "test", subresource: "status" as const };
      await stage.childApi.mergePatch({ type: node, name: stage.apps }, { status }, writing);
      const seen = await stage.session.eventually("it is shown", async () => {
        const found = await stage.session.get(cluster, stage.name);
        return textAt(found, "status", "resources", "capacity", "cpu") === "4" ? found : undefined;
      });
      expect(seen["status"]).toMatchObject({
        resources: { capacity: amounts, allocatable: amounts, available: amounts },
        properties: { "kubernetes-fleet.io/node-count": "1" },
      });
      const shown = await stage.session.get(memberCluster, stage.name);
      expect(shown?.["status"]).toMatchObject({
        resourceUsage: { capacity: amounts },
        properties: { "kubernetes-fleet.io/node-count": { value: "1" } },
        agentStatus: [{ type: "MemberAgent" }],
      });
    });

    it("applies the Works that are put into its namespace, and what becomes of them is shown", async () => {
      await stage.session.api.create(workOf("web", stage.apps), { fieldManager: "test" });
      const ref = { type: configMap, namespace: stage.apps, name: "web" };
      const made = await stage.session.eventually("it is applied", () => stage.childApi.get(ref));
      expect(made["data"]).toEqual({ key: "value" });
      await stage.told("1 of 1 Works are applied, 1 available.");
      await stage.session.api.create(workOf("broken", "no-such-namespace"), { fieldManager: "test" });
      await stage.told("1 of 2 Works are applied, 1 available; not applied: broken.");
    });

    it("continues after a restart of the daemon, and its health is never in doubt", async () => {
      const { lastTransitionTime } = await stage.said("Healthy", "True");
      await stage.session.restartHub();
      await beatsAgain();
      await beatsAgain();
      expect(await stage.said("Healthy", "True")).toMatchObject({ lastTransitionTime });
      expect(refused()).toEqual([]);
    });

    it("continues after a restart of the hub's API server", async () => {
      await stage.hub.restart?.();
      await beatsAgain();
      await stage.said("Healthy", "True");
      await isReady();
    });

    it("gets a new token while the old one is good, and no heartbeat is refused", async () => {
      const old = await stage.brought();
      const answered = stage.calls().length;
      stage.session.shiftHubTime(13 * hourMs);
      const fresh = await stage.session.eventually("another token is brought", async () => {
        const token = await stage.brought();
        return token === old ? undefined : token;
      });
      await stage.agent().mountToken(fresh);
      await beatsAgain(fresh);
      stage.session.shiftHubTime(13.5 * hourMs);
      await stage.session.eventually("the old one has ended", async () => {
        const tokens = (await stage.session.api.list(secret, { namespace: stage.session.workspace })).items;
        return tokens.filter(({ metadata }) => metadata.name.startsWith(`rollcall-${stage.name}.`)).length === 1;
      });
      await beatsAgain(fresh);
      expect(
        stage
          .calls()
          .slice(answered)
          .filter(({ status }) => status >= 400),
      ).toEqual([]);
    });

    it("is Unknown when it was killed, as soon as its window is over, and well when it is there again", async () => {
      await beatsAgain();
      const lastHeartbeatMs = stage.heartbeats().at(-1)?.atMs ?? 0;
      await stage.agent().stop();
      expect(await stage.said("Healthy", "Unknown")).toMatchObject({ reason: "MemberAgentHeartbeatLost" });
      expect(Date.now() - lastHeartbeatMs).toBeGreaterThan(windowMs);
      expect(await stage.said("Joined", "True")).toBeDefined();
      await stage.startAgent();
      await stage.said("Healthy", "True");
    });

    it("releases its Works when its cluster leaves; what it applied stays, and nothing of it on the hub", async () => {
      await stage.annotate({ "rollcall.dev/leave": "c".repeat(40) });
      await isGone();
      const left = stage.heartbeats().findLast(({ status }) => status === 200);
      expect(left?.body).toContain("InternalMemberClusterLeft");
      expect(await stage.session.get(work, "web", stage.home)).toBeUndefined();
      const { childApi, agentNamespace, apps } = stage;
      const agentRef = { type: deployment, namespace: agentNamespace, name: kubefleetAgentNames.agent };
      expect(await childApi.get(agentRef)).toBeUndefined();
      expect(await childApi.get({ type: configMap, namespace: apps, name: "web" })).toBeDefined();
      const definition = { type: customResourceDefinition, name: "appliedworks.placement.kubernetes-fleet.io" };
      expect(await childApi.get(definition)).toBeDefined();
    });

    it("joins again under its name", async () => {
      await stage.declare();
      await stage.startAgent();
      await stage.said("Healthy", "True");
      await isReady();
    });

    const leaveIsTold = () =>
      stage.session.eventually("the leave has begun", async () => {
        const phase = textAt(await stage.session.get(cluster, stage.name), "status", "leave", "phase");
        return phase === "Uninstalling";
      });

    it("is not waited for in vain when it is dead", async () => {
      await stage.agent().stop();
      await stage.annotate({ "rollcall.dev/leave": "d".repeat(40) });
      await leaveIsTold();
      stage.session.shiftHubTime(16 * 60_000);
      await isGone();
    });

    it("is installed by a person with one command, and not waited for once it is revoked", async () => {
      await stage.declareForPerson();
      await stage.join();
      await stage.startAgent();
      await stage.said("Healthy", "True");
      expect(conditionOf(await isReady(), "CredentialsValid")).toBe("True");
      await stage.agent().stop();
      await stage.annotate({ "rollcall.dev/leave": "e".repeat(40) });
      await leaveIsTold();
      await stage.annotate({ "rollcall.dev/revoked": "-/somebody/2030-01-01T00:00:00Z" });
      await isGone();
    });

    const workOf = (name: string, into: string): KubeObject => ({
      apiVersion: "placement.kubernetes-fleet.io/v1beta1",
      kind: "Work",
      metadata: { name, namespace: stage.home },
      spec: {
        workload: {
          manifests: [
            { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: into }, data: { key: "value" } },
          ],
        },
      },
    });
  });
}
