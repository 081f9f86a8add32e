import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";

const { cluster, managedCluster, registrationRequest } = resourceTypes;
const group = "/apis/clusters.clusternet.io/v1beta1";
const requests = `${group}/clusterregistrationrequests`;

/** What an agent, and a holder of the credential that one is installed with, can not do. */
export function describeWalls(given: () => ClusternetHubSession): void {
  describe("between two clusters", () => {
    let session: ClusternetHubSession;
    let first: ClusternetAgentClient;
    let second: ClusternetAgentClient;
    beforeAll(async () => {
      session = given();
      await session.declareToken("walls", { clusterNames: ["wall-1", "wall-2"] });
      first = await session.agentOf("walls", "wall-1");
      second = await session.agentOf("walls", "wall-2");
      await session.join(first);
      await session.join(second);
      expect((await second.heartbeat()).status).toBe(200);
    });

    const requestOf = (over: { name?: string; spec?: Record<string, unknown>; id?: string }) => {
      const { id = randomUUID() } = over;
      const clusterLabels = { "rollcall.dev/workspace": session.workspace, "rollcall.dev/token": "walls" };
      const spec = { clusterId: id, clusterName: "wall-1", syncMode: "Pull", clusterLabels, ...over.spec };
      const kind = { kind: "ClusterRegistrationRequest", apiVersion: "clusters.clusternet.io/v1beta1" };
      return { ...kind, metadata: { name: over.name ?? `clusternet-${id}` }, spec };
    };

    it("A1: an agent cannot register as another cluster than that of its credential", async () => {
      const { workspace } = session;
      const labels = (workspaceSaid: string, token?: string) => ({
        clusterLabels: {
          "rollcall.dev/workspace": workspaceSaid,
          ...(token === undefined ? {} : { "rollcall.dev/token": token }),
        },
      });
      for (const [reason, body] of [
        ["another's name", requestOf({ spec: { clusterName: "wall-2" } })],
        ["a name of two", requestOf({ spec: { clusterName: "walls.wall-1" } })],
        ["another workspace", requestOf({ spec: labels("default", "walls") })],
        ["another token", requestOf({ spec: labels(workspace, "door") })],
        ["no token", requestOf({ spec: labels(workspace) })],
        ["no workspace", requestOf({ spec: { clusterLabels: {} } })],
        ["no labels", requestOf({ spec: { clusterLabels: undefined } })],
        ["a request's name that is not its id's", requestOf({ name: `clusternet-${randomUUID()}` })],
      ] as const) {
        const asked = await first.call("POST", requests, { token: first.doorToken, body });
        expect(asked.status, reason).toBe(403);
      }
    });

    it("names in the refusal of an agent with parentURL and token alone the flags that it lacks", async () => {
      // As Clusternet's agent names a cluster that has no name.
      const named = { clusterName: "clusternet-cluster-b9wpn", clusterLabels: undefined };
      const asked = await first.call("POST", requests, { token: first.doorToken, body: requestOf({ spec: named }) });
      expect(asked.status).toBe(403);
      expect(JSON.stringify(asked.body)).toContain(
        "start the agent with --cluster-reg-name=wall-1 --cluster-labels=" +
          `rollcall.dev/workspace=${session.workspace},rollcall.dev/token=walls (extraArgs`,
      );
    });

    it("A7: an agent cannot make a request that stays after the hub has deleted it", async () => {
      const owner = { apiVersion: "v1", kind: "Namespace", name: session.workspace, uid: randomUUID() };
      for (const held of [{ finalizers: ["example.com/stay"] }, { ownerReferences: [owner] }]) {
        const { metadata, ...rest } = requestOf({});
        const body = { ...rest, metadata: { ...metadata, ...held } };
        const asked = await first.call("POST", requests, { token: first.doorToken, body });
        expect(asked.status, JSON.stringify(held)).toBe(403);
      }
    });

    it("A4: an agent cannot read another's answer, by the token's credential or by its own", async () => {
      for (const token of [first.doorToken, first.answer?.token ?? ""]) {
        const own = await first.call("GET", `${requests}/${first.requestName}`, { token });
        expect(own.status).toBe(200);
        for (const path of [`${requests}/${second.requestName}`, requests, `${requests}?watch=true`])
          expect((await first.call("GET", path, { token })).status, path).toBe(403);
      }
    });

    it("cannot read its answer with the token's credential ten minutes after its heartbeat", async () => {
      const look = async () =>
        (await second.call("GET", `${requests}/${second.requestName}`, { token: second.doorToken })).status;
      expect(await look()).toBe(200);
      session.shiftHubTime(11 * 60_000);
      await session.eventually("the door is closed", async () => (await look()) === 403);
      expect(await second.restart()).toBe(true);
    });

    it("A4: an agent can do nothing to another cluster, and nothing to what the hub decides", async () => {
      const { workspace } = session;
      const other = session.homeOf("wall-2");
      const own = session.homeOf("wall-1");
      const hostile = { metadata: { labels: { evil: "yes" } } };
      for (const [method, path] of [
        ["GET", `${group}/namespaces/${other}/managedclusters`],
        ["GET", `${group}/managedclusters`],
        ["PATCH", `${group}/namespaces/${other}/managedclusters/wall-2`],
        ["PUT", `${group}/namespaces/${other}/managedclusters/wall-2/status`],
        ["DELETE", `${group}/namespaces/${own}/managedclusters/wall-1`],
        ["POST", `${group}/namespaces/${own}/managedclusters`],
        ["PATCH", `${requests}/${first.requestName}`],
        ["PATCH", `${requests}/${first.requestName}/status`],
        ["DELETE", `${requests}/${first.requestName}`],
        ["GET", `/api/v1/namespaces/${own}/secrets`],
        ["POST", `/api/v1/namespaces/${own}/secrets`],
        ["GET", `/api/v1/namespaces/${workspace}/secrets/walls`],
        ["POST", `/api/v1/namespaces/${workspace}/serviceaccounts/clusternet.walls.wall-2/token`],
        ["GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
      ] as const) {
        const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
        const body = method === "GET" || method === "DELETE" ? {} : { body: hostile, type };
        expect((await first.call(method, path, body)).status, `${method} ${path}`).toBe(403);
      }
    });

    it("A2: an agent changes nothing of its ManagedCluster but the labels of its nodes", async () => {
      const place = { type: managedCluster, namespace: session.homeOf("wall-1"), name: "wall-1" };
      const path = `${group}/namespaces/${place.namespace}/managedclusters/wall-1`;
      const before = await session.api.get(place);
      for (const patch of [
        { metadata: { labels: { "rollcall.dev/cluster": "wall-2" } } },
        { metadata: { labels: { "rollcall.dev/owner-workspace": null } } },
        { metadata: { labels: { "rollcall.dev/more": "yes" } } },
        { metadata: { labels: { "clusters.clusternet.io/cluster-id": randomUUID() } } },
        { metadata: { labels: { env: "prod" } } },
        { metadata: { labels: null } },
        { metadata: { annotations: { "rollcall.dev/leave": "c".repeat(40) } } },
        { metadata: { finalizers: ["example.com/mine"] } },
        { spec: { syncMode: "Push" } },
        { spec: { clusterId: randomUUID() } },
      ]) {
        const type = "application/merge-patch+json";
        expect((await first.call("PATCH", path, { body: patch, type })).status, JSON.stringify(patch)).toBe(403);
      }
      expect(await session.api.get(place)).toEqual(before);
      const allowed = { metadata: { labels: { "node.clusternet.io/zone": "a" } } };
      expect((await first.call("PATCH", path, { body: allowed, type: "application/merge-patch+json" })).status).toBe(
        200,
      );
    });

    it("A174: an agent can have neither a request nor a ManagedCluster of a megabyte kept", async () => {
      const entries = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`node.clusternet.io/n${index}`, "v"]));
      for (const held of [
        { labels: entries(9000) },
        { annotations: entries(100) },
        { annotations: { a: "x".repeat(2000) } },
      ]) {
        const { metadata, ...rest } = requestOf({});
        const body = { ...rest, metadata: { ...metadata, ...held } };
        const asked = await first.call("POST", requests, { token: first.doorToken, body });
        expect(asked.status, Object.keys(held).join()).toBe(403);
      }
      const path = `${group}/namespaces/${session.homeOf("wall-1")}/managedclusters/wall-1`;
      const label = (count: number) =>
        first.call("PATCH", path, {
          body: { metadata: { labels: entries(count) } },
          type: "application/merge-patch+json",
        });
      expect((await label(9000)).status).toBe(403);
      expect((await label(100)).status).toBe(200);
    });

    it("A205: an agent takes no name for ever by a label that no cluster may have", async () => {
      await session.declareToken("labelled", { clusterNames: ["wall-3"] });
      const agent = await session.agentOf("labelled", "wall-3", { labels: { "a b/c": "x", zone: "a" } });
      await session.join(agent);
      expect((await session.get(cluster, "wall-3"))?.metadata.labels).toMatchObject({ zone: "a" });
    });

    it("reports why a request without a workspace is denied, also one that a user made", async () => {
      const id = randomUUID();
      const body = requestOf({ id, spec: { clusterLabels: { team: "a" } } });
      await session.api.create(body, { fieldManager: "somebody" });
      const name = `clusternet-${id}`;
      const seen = await session.eventually("it is told", async () => {
        const found = await session.get(registrationRequest, name);
        return found?.["status"] === undefined ? undefined : found;
      });
      expect(seen["status"]).toMatchObject({
        result: "Denied",
        errorMessage: expect.stringContaining("--cluster-labels=rollcall.dev/workspace=") as string,
      });
      await session.api.delete({ type: registrationRequest, name });
    });
  });
}
