import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { installKubefleet } from "../../../src/install/install-kubefleet.ts";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import { readHeartbeat } from "../../../src/daemon/read-heartbeat.ts";
import { kubefleetProtocol } from "../../../src/join/kubefleet/hub/kubefleet-protocol.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import { openForeignHubSession } from "../../support/foreign-hub-session.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { KubefleetAgentClient } from "../../support/kubefleet-agent-client.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { describeInstalledAgent } from "./installed-agent.ts";
import { describeLargeWrites } from "./large-writes.ts";
import { describePlacedRemoval } from "./placed.ts";
import { describeReplay } from "./replayed.ts";
import { describeServedKinds } from "./served-kinds.ts";
import { describeTakenNames } from "./taken-names.ts";
import { longestWaitMs } from "../../support/until.ts";

const { cluster, internalMemberCluster, memberCluster, namespace, role, roleBinding, secret, work } = resourceTypes;
const placement = "/apis/placement.kubernetes-fleet.io/v1beta1";
const clusterApi = "/apis/cluster.kubernetes-fleet.io/v1beta1";

/** KubeFleet's member agents and a hub that serves them; the same on every hub. */
export function describeKubefleetAgents(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`KubeFleet's agents on ${hubName}`, () => {
    let session: ForeignHubSession;
    let ca = "";
    // MemberClusters have no namespace: suites on one hub need names of their own.
    const unique = randomUUID().slice(0, 6);
    const [first, second] = [`a-${unique}`, `b-${unique}`];
    const home = `fleet-member-${first}`;
    beforeAll(async () => {
      session = await openForeignHubSession(await startHub(), {
        protocol: kubefleetProtocol,
        installOnHub: installKubefleet,
      });
      ca = (await readKubeconfig(session.kubeconfig).getTls()).caPem ?? "";
    });
    afterEach(() => session.shiftHubTime(0));
    afterAll(async () => {
      for (const name of [first, second]) await session.api.delete({ type: namespace, name: `fleet-member-${name}` });
      const { items } = await session.api.list(memberCluster);
      for (const { metadata } of items)
        if (metadata.name.endsWith(unique)) await session.api.delete({ type: memberCluster, name: metadata.name });
      await session.close();
    });

    const statusOf = async (name: string, type: string) =>
      objectsAt(await session.get(memberCluster, name), "status", "conditions").find(
        (condition) => condition["type"] === type,
      );
    const isSaid = (name: string, type: string, status: string) =>
      session.eventually(`${name} is ${type}=${status}`, async () => {
        const condition = await statusOf(name, type);
        return condition?.["status"] === status ? condition : undefined;
      });
    const agentOf = async (name: string): Promise<KubefleetAgentClient> => {
      const token = await session.eventually(`the token of ${name}`, async () => {
        const encoded = textAt(await session.get(secret, `${name}-hub-cluster-access-token`), "data", "token");
        return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
      });
      return new KubefleetAgentClient({ server: session.api.server, ca, token, clusterName: name });
    };

    describe("a member that is declared", () => {
      let agent: KubefleetAgentClient;
      beforeAll(async () => {
        const taints = [{ key: "example.com/new", value: "yes", effect: "NoSchedule" as const }];
        await session.declareCluster(first, { protocol: "kubefleet", taints }, { env: "prod" });
        await session.declareCluster(second, {
          protocol: "kubefleet",
          heartbeat: { periodSeconds: 1, failureThreshold: 2 },
        });
      });

      it("is ready to join as soon as it has all that its agent needs", async () => {
        expect(await isSaid(first, "ReadyToJoin", "True")).toMatchObject({
          reason: "MemberClusterReadyToJoin",
          message: "Member cluster is ready to join the fleet",
        });
        expect(await statusOf(first, "Joined")).toMatchObject({
          status: "Unknown",
          reason: "MemberClusterJoinStateUnknown",
          message: `Member cluster ${first} has not reported all the expected agents, expected 1, got 0`,
        });
        const found = await session.get(memberCluster, first);
        expect(found?.metadata.labels).toMatchObject({ env: "prod", "kubernetes-fleet.io/member-name": first });
        expect(found?.["spec"]).toMatchObject({
          identity: { kind: "ServiceAccount", name: `${first}-hub-cluster-access`, namespace: session.workspace },
          heartbeatPeriodSeconds: 60,
          taints: [{ key: "example.com/new", value: "yes", effect: "NoSchedule" }],
        });
        expect((await session.get(namespace, home))?.metadata.labels).toMatchObject({
          "kubernetes-fleet.io/is-fleet-resource": "true",
        });
        expect((await session.get(internalMemberCluster, first, home))?.["spec"]).toEqual({
          state: "Join",
          heartbeatPeriodSeconds: 60,
        });
        expect(JSON.stringify((await session.get(role, `fleet-role-${first}`, home))?.["rules"])).not.toContain("*");
      });

      it("lets its agent make every call that it makes to KubeFleet's own hub", async () => {
        agent = await agentOf(first);
        await agent.start();
        expect((await agent.heartbeat()).status).toBe(200);
        expect(agent.calls.filter(({ status }) => status >= 300)).toEqual([]);
      });

      it("is joined and healthy with its first heartbeat, and shows what the agent reports", async () => {
        expect(await isSaid(first, "Healthy", "True")).toMatchObject({ reason: "MemberClusterAPIServerHealthy" });
        expect(await statusOf(first, "Joined")).toMatchObject({
          status: "True",
          reason: "MemberClusterJoined",
          message: "Member cluster has successfully joined the fleet",
        });
        const status = (await session.get(memberCluster, first))?.["status"];
        expect(status).toMatchObject({
          agentStatus: [{ type: "MemberAgent" }],
          properties: { "kubernetes-fleet.io/node-count": { value: "2" } },
          resourceUsage: { available: { cpu: "4", memory: "9Gi" } },
        });
        const ready = await session.eventually("it is ready", async () => {
          const seen = await session.get(cluster, first);
          return conditionOf(seen, "Ready") === "True" ? seen : undefined;
        });
        expect(ready["status"]).toMatchObject({
          resources: { capacity: { cpu: "8", memory: "16Gi" } },
          properties: { "kubernetes-fleet.io/node-count": "2" },
        });
        const ofMember = session.noted.filter(({ regarding }) => regarding.kind === "MemberCluster");
        const reasons = ofMember
          .filter(({ regarding }) => regarding.metadata.name === first)
          .map(({ reason }) => reason);
        expect(reasons).toEqual(
          expect.arrayContaining(["InternalMemberClusterCreated", "MemberClusterReadyToJoin", "MemberClusterJoined"]),
        );
        const heartbeat = await readHeartbeat(
          session.api,
          ready as unknown as Cluster,
          AbortSignal.timeout(longestWaitMs),
        );
        expect(Date.parse(heartbeat ?? "")).not.toBeNaN();
      });

      describeServedKinds(() => session);

      it("follows what its file declares: period, taints, delete options", async () => {
        const ref = { type: cluster, namespace: session.workspace, name: first };
        // The objects of a member are written beside each other: the order in which they change is no promise.
        const isReported = (seconds: number) =>
          session.eventually(`both objects say ${String(seconds)} s`, async () => {
            const of = [await session.get(memberCluster, first), await session.get(internalMemberCluster, first, home)];
            return of.every((object) => numberAt(object, "spec", "heartbeatPeriodSeconds") === seconds);
          });
        const taints = [{ key: "example.com/old", value: "yes", effect: "NoSchedule" }];
        const spec = {
          taints,
          heartbeat: { periodSeconds: 90 },
          kubefleet: { deleteOptions: { validationMode: "Skip" } },
        };
        await session.api.mergePatch(ref, { spec }, { fieldManager: "rollcall-git" });
        await isReported(90);
        expect((await session.get(memberCluster, first))?.["spec"]).toMatchObject({
          heartbeatPeriodSeconds: 90,
          taints,
          deleteOptions: { validationMode: "Skip" },
        });
        const none = { taints: null, heartbeat: null, kubefleet: null };
        await session.api.mergePatch(ref, { spec: none }, { fieldManager: "rollcall-git" });
        await isReported(60);
        const found = await session.get(memberCluster, first);
        expect(objectsAt(found, "spec", "taints")).toEqual([]);
        expect(objectAt(found, "spec", "deleteOptions")).toBeUndefined();
      });

      it("has an agent that a person can install by one command", async () => {
        const dir = await mkdtemp(join(tmpdir(), "rollcall-kubefleet-"));
        await writeFile(join(dir, "hub"), session.kubeconfig);
        const options = { protocol: "kubefleet", "cluster-name": first, "hub-kubeconfig": join(dir, "hub") };
        const run = (more: Record<string, boolean>) =>
          runCommand("join", runJoin, { options: { ...options, "dry-run": true, ...more } });
        const { code, text } = await run({});
        const shown = await run({ "show-secrets": true });
        await rm(dir, { recursive: true, force: true });
        expect(code).toBe(0);
        expect(text).toContain("token: <hidden");
        const token = await session.get(secret, `${first}-hub-cluster-access-token`);
        const encoded = textAt(token, "data", "token") ?? "";
        expect(text).not.toContain(encoded);
        expect(shown.text).toContain(`token: ${encoded}`);
        expect(text).toContain(`value: ${session.api.server}`);
      });

      it("continues after a restart of the hub", async () => {
        await session.restartHub();
        expect((await agent.heartbeat()).status).toBe(200);
        expect(await statusOf(first, "Healthy")).toMatchObject({ status: "True" });
      });

      it("is unhealthy when its agent reports it", async () => {
        await agent.heartbeat({ healthy: "False" });
        expect(await isSaid(first, "Healthy", "False")).toMatchObject({ reason: "MemberClusterAPIServerUnhealthy" });
        await agent.heartbeat();
        await isSaid(first, "Healthy", "True");
      });

      it("shows what became of its Works", async () => {
        const place = { name: "web", namespace: home };
        const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace: "default" } };
        const object = {
          apiVersion: "placement.kubernetes-fleet.io/v1beta1",
          kind: "Work",
          metadata: { ...place, finalizers: ["kubernetes-fleet.io/work-cleanup"] },
          spec: { workload: { manifests: [manifest] } },
        };
        await session.api.create(object, { fieldManager: "test" });
        const path = `${placement}/namespaces/${home}/works/web`;
        const seen = await agent.call("GET", path);
        expect(seen.body).toMatchObject({ spec: { workload: { manifests: [manifest] } } });
        await session.eventually("it is shown", () => hasMessage(first, "0 of 1 Works are applied"));
        const done = (type: string) => ({
          type,
          status: "True",
          reason: "AllManifests",
          message: "",
          lastTransitionTime: "2030-01-01T00:00:00Z",
        });
        const conditions = [done("Applied"), done("Available")];
        const body = { ...(seen.body as KubeObject), status: { conditions, manifestConditions: [] } };
        expect((await agent.call("PUT", `${path}/status`, body)).status).toBe(200);
        await session.eventually("it is shown", () => hasMessage(first, "1 of 1 Works are applied, 1 available."));
      });

      describe("that writes", () => describeLargeWrites(() => ({ session, agent, home })));

      it("A4: can do nothing to another member, and nothing to what the hub decides", async () => {
        const other = `fleet-member-${second}`;
        const own = await session.get(internalMemberCluster, first, home);
        const hostile = { ...own, spec: { state: "Leave" } };
        for (const [method, path] of [
          ["GET", `${clusterApi}/namespaces/${other}/internalmemberclusters`],
          ["PUT", `${clusterApi}/namespaces/${other}/internalmemberclusters/${second}/status`],
          ["GET", `${placement}/namespaces/${other}/works`],
          ["GET", `${clusterApi}/memberclusters`],
          ["PUT", `${clusterApi}/memberclusters/${first}/status`],
          ["PUT", `${clusterApi}/namespaces/${home}/internalmemberclusters/${first}`],
          ["DELETE", `${clusterApi}/namespaces/${home}/internalmemberclusters/${first}`],
          ["POST", `${placement}/namespaces/${home}/works`],
          ["GET", `/api/v1/namespaces/${home}/secrets`],
          ["GET", `/api/v1/namespaces/${session.workspace}/secrets/${second}-hub-cluster-access-token`],
          ["POST", `/api/v1/namespaces/${session.workspace}/serviceaccounts/${second}-hub-cluster-access/token`],
          ["PUT", `/apis/rbac.authorization.k8s.io/v1/namespaces/${home}/roles/fleet-role-${first}`],
        ] as const) {
          const body = method === "GET" || method === "DELETE" ? undefined : hostile;
          expect((await agent.call(method, path, body)).status, `${method} ${path}`).toBe(403);
        }
        const labels = { ...own?.metadata.labels, "rollcall.dev/cluster": second };
        const disguised = { ...own, spec: { state: "Leave" }, metadata: { ...own?.metadata, labels } };
        await agent.call("PUT", `${clusterApi}/namespaces/${home}/internalmemberclusters/${first}/status`, disguised);
        const after = await session.get(internalMemberCluster, first, home);
        expect(after).toMatchObject({ spec: { state: "Join" }, metadata: { labels: own?.metadata.labels } });
      });

      it("gets back what is deleted of its rights", async () => {
        await session.api.delete({ type: roleBinding, namespace: home, name: `fleet-rolebinding-${first}` });
        await session.eventually("it may heartbeat again", async () => (await agent.heartbeat()).status === 200);
      });

      it("A8: follows another identity, which ends the former one's rights", async () => {
        const identity = { kind: "User", name: "somebody" };
        const ref = { type: cluster, namespace: session.workspace, name: first };
        await session.api.mergePatch(ref, { spec: { kubefleet: { identity } } }, { fieldManager: "rollcall-git" });
        const seen = await session.eventually("it is bound", async () => {
          const binding = await session.get(roleBinding, `fleet-rolebinding-${first}`, home);
          return textAt(objectsAt(binding, "subjects")[0], "kind") === "User" ? binding : undefined;
        });
        expect(seen["subjects"]).toEqual([{ kind: "User", name: "somebody", apiGroup: "rbac.authorization.k8s.io" }]);
        await session.eventually("the former is refused", async () =>
          [401, 403].includes((await agent.heartbeat()).status),
        );
        await session.api.mergePatch(ref, { spec: { kubefleet: null } }, { fieldManager: "rollcall-git" });
        await session.eventually("its account is there again", async () => {
          agent = await agentOf(first);
          return (await agent.heartbeat()).status === 200;
        });
      });

      it("keeps what its agent applied when it leaves, and leaves nothing on the hub", async () => {
        const ref = { type: cluster, namespace: session.workspace, name: first };
        const annotations = { "rollcall.dev/leave": "c".repeat(40) };
        await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
        await session.eventually("the agent is told", async () => (await agent.state()) === "Leave");
        expect(await session.get(work, "web", home)).toBeDefined();
        expect((await agent.heartbeat({ joined: "False" })).status).toBe(200);
        await session.eventually("it is gone", async () => (await session.get(cluster, first)) === undefined);
        await session.eventually(
          "its namespace is deleted",
          async () => (await session.get(namespace, home)) === undefined,
        );
        expect(session.noted.find(({ reason }) => reason === "Left")?.message).toContain(`${home}/web`);
        expect(await session.get(memberCluster, first)).toBeUndefined();
        expect(await session.get(secret, `${first}-hub-cluster-access-token`)).toBeUndefined();
      });
    });

    it("reports Unknown for a member whose agent becomes unresponsive, and Healthy when it comes back", async () => {
      const agent = await agentOf(second);
      await agent.heartbeat();
      await isSaid(second, "Healthy", "True");
      expect(await isSaid(second, "Healthy", "Unknown")).toMatchObject({ reason: "MemberAgentHeartbeatLost" });
      expect(await statusOf(second, "Joined")).toMatchObject({ status: "True" });
      await agent.heartbeat();
      await isSaid(second, "Healthy", "True");
    });

    it("does not wait for ever for an agent that is to leave and has ended", async () => {
      const ref = { type: cluster, namespace: session.workspace, name: second };
      const annotations = { "rollcall.dev/leave": "c".repeat(40) };
      await session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
      // Ready may be False for another reason: time is to move on only after the offboarding has begun.
      await session.eventually(
        "its agent is told",
        async () => textAt(await session.get(cluster, second), "status", "leave", "phase") === "Uninstalling",
      );
      expect(conditionOf(await session.get(cluster, second), "Ready")).toBe("False");
      expect(await isSaid(second, "Healthy", "Unknown")).toMatchObject({ reason: "MemberAgentHeartbeatLost" });
      session.shiftHubTime(16 * 60_000);
      await session.eventually("it is gone", async () => (await session.get(cluster, second)) === undefined);
    });

    it("does not wait for an agent at all once it is revoked", async () => {
      const name = `e-${unique}`;
      await session.declareCluster(name, { protocol: "kubefleet" });
      await isSaid(name, "ReadyToJoin", "True");
      const agent = await agentOf(name);
      await agent.heartbeat();
      await isSaid(name, "Joined", "True");
      const ref = { type: cluster, namespace: session.workspace, name };
      const annotate = (annotations: Record<string, string>) =>
        session.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "test" });
      await annotate({ "rollcall.dev/leave": "c".repeat(40) });
      await session.eventually("its agent is told", async () => (await agent.state()) === "Leave");
      await annotate({ "rollcall.dev/revoked": "-/somebody/2030-01-01T00:00:00Z" });
      await session.eventually("it is gone", async () => (await session.get(cluster, name)) === undefined);
      await session.eventually("it is refused", async () => [401, 403].includes((await agent.heartbeat()).status));
      expect(await session.get(memberCluster, name)).toBeUndefined();
    });

    describeInstalledAgent(() => session);
    describeReplay(() => session);
    describePlacedRemoval(() => session);
    describeTakenNames(() => session, unique);

    async function hasMessage(name: string, text: string): Promise<boolean> {
      const conditions = objectsAt(await session.get(cluster, name), "status", "conditions");
      return conditions.some(
        (condition) => condition["type"] === "Healthy" && textAt(condition, "message")?.includes(text),
      );
    }
  });
}
