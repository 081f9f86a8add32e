import { beforeAll, expect, it } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ClusternetAgentClient } from "../../support/clusternet-agent-client.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { ClusternetHubSession } from "./clusternet-hub-session.ts";

const { cluster, clusterRegistrationToken, managedCluster, namespace, registrationRequest } = resourceTypes;

/** Who is admitted, who is not and why, and who becomes unresponsive. */
export function describeWaysIn(given: () => ClusternetHubSession): void {
  let session: ClusternetHubSession;
  beforeAll(() => {
    session = given();
  });
  const statusOf = async (agent: ClusternetAgentClient) =>
    (await session.get(registrationRequest, agent.requestName))?.["status"];
  const isReported = (agent: ClusternetAgentClient, text: string) =>
    session.eventually(`it is told ${text}`, async () => {
      const status = await statusOf(agent);
      return textAt(status, "errorMessage")?.includes(text) === true ? status : undefined;
    });
  const patchCluster = (name: string, patch: JsonObject) =>
    session.api.mergePatch({ type: cluster, namespace: session.workspace, name }, patch, {
      fieldManager: "rollcall-git",
    });

  it("denies with a reason when all registrations are taken, and approves when there are more", async () => {
    await session.declareToken("once", { clusterNames: ["once-1", "once-2"], maxRegistrations: 1 });
    const first = await session.agentOf("once", "once-1");
    const second = await session.agentOf("once", "once-2");
    await session.join(first);
    expect((await second.ask()).status).toBe(201);
    expect(await isReported(second, "all registrations of token once are taken")).toMatchObject({ result: "Denied" });
    const ref = { type: clusterRegistrationToken, namespace: session.workspace, name: "once" };
    await session.api.mergePatch(ref, { spec: { maxRegistrations: 2 } }, { fieldManager: "rollcall-git" });
    await session.eventually("it is approved", () => second.look());
    expect(await statusOf(second)).not.toHaveProperty("errorMessage");
  });

  it("A8 F22: admits another id under a name that is taken only when a file declares it, and ends the previous one", async () => {
    await session.declareToken("renewed", { clusterNames: ["renewed-1"] });
    const former = await session.agentOf("renewed", "renewed-1");
    await session.join(former);
    await former.heartbeat();
    const later = await session.agentOf("renewed", "renewed-1");
    expect((await later.ask()).status).toBe(201);
    const clientID = later.requestName.slice("clusternet-".length);
    expect(await isReported(later, `set spec.clientID: ${clientID}`)).toMatchObject({ result: "Denied" });
    await patchCluster("renewed-1", { spec: { clientID } });
    await session.eventually("it is approved", () => later.look());
    expect((await later.heartbeat()).status).toBe(200);
    await session.eventually("the former is refused", async () =>
      [401, 403].includes((await former.heartbeat()).status),
    );
    const home = session.homeOf("renewed-1");
    expect((await session.get(managedCluster, "renewed-1", home))?.["spec"]).toMatchObject({ clusterId: clientID });
    await session.eventually(
      "the former request is deleted",
      async () => (await session.get(registrationRequest, former.requestName)) === undefined,
    );
  });

  it("waits for a file under approval PullRequest, and reports it", async () => {
    await session.declareToken("review", { clusterNames: ["review-1"], approval: "PullRequest" });
    const agent = await session.agentOf("review", "review-1");
    expect((await agent.ask()).status).toBe(201);
    const status = await isReported(agent, "waits for a file that declares cluster review-1");
    expect(status).not.toHaveProperty("result");
    await session.declareCluster("review-1", {
      protocol: "clusternet",
      clientID: agent.requestName.slice("clusternet-".length),
    });
    await session.eventually("it is approved", () => agent.look());
  });

  it("keeps the type, mode and namespace that a file declares", async () => {
    await session.declareToken("declared", { clusterNames: ["declared-1"] });
    const clusterNamespace = `dedicated-${session.workspace}`;
    const clusternet = { clusterType: "EdgeCluster", syncMode: "Push", clusterNamespace } as const;
    await session.declareCluster("declared-1", { protocol: "clusternet", clusternet });
    const agent = await session.agentOf("declared", "declared-1");
    await session.join(agent);
    expect(agent.answer?.namespace).toBe(clusterNamespace);
    expect((await session.get(managedCluster, "declared-1", clusterNamespace))?.["spec"]).toMatchObject({
      clusterType: "EdgeCluster",
      syncMode: "Push",
    });
    expect((await agent.heartbeat()).status).toBe(200);
  });

  it("reports Unknown for a cluster whose agent becomes unresponsive, and Ready when it comes back", async () => {
    await session.declareToken("silent", { clusterNames: ["silent-1"] });
    await session.declareCluster("silent-1", {
      protocol: "clusternet",
      heartbeat: { periodSeconds: 1, failureThreshold: 2 },
    });
    const agent = await session.agentOf("silent", "silent-1");
    await session.join(agent);
    await agent.heartbeat();
    const seen = async (status: string) => {
      const found = await session.get(managedCluster, "silent-1", session.homeOf("silent-1"));
      const ready = objectsAt(found, "status", "conditions").find(({ type }) => type === "Ready");
      return ready?.["status"] === status ? { ready, status: found?.["status"] } : undefined;
    };
    const untilTainted = async (values: readonly string[]) => {
      await session.eventually(`it has taints ${values.join()}`, async () => {
        const found = await session.get(managedCluster, "silent-1", session.homeOf("silent-1"));
        return (
          objectsAt(found, "spec", "taints")
            .map((taint) => textAt(taint, "value"))
            .join() === values.join()
        );
      });
    };
    const silent = await session.eventually("it is unknown", () => seen("Unknown"));
    expect(silent.ready).toMatchObject({ reason: "ClusterStatusUnknown" });
    expect(silent.status).toMatchObject({ healthz: false, livez: false, readyz: false });
    const isHealthy = (status: string) =>
      session.eventually(
        `its health is ${status}`,
        async () => conditionOf(await session.get(cluster, "silent-1"), "Healthy") === status,
      );
    await isHealthy("Unknown");
    await untilTainted(["ClusterStatusUnknown"]);
    expect((await agent.heartbeat()).status).toBe(200);
    expect((await seen("True"))?.status).toMatchObject({ healthz: true });
    await isHealthy("True");
    await untilTainted([]);
  });

  it("never takes over a namespace of another owner, unless the cluster's file allows it", async () => {
    const name = "taken-1";
    const home = session.homeOf(name);
    const theirs = { apiVersion: "v1", kind: "Namespace", metadata: { name: home } };
    await session.api.create(theirs, { fieldManager: "somebody" });
    await session.declareCluster(name, { protocol: "clusternet" });
    await session.eventually("it is refused", async () => {
      const seen = await session.get(cluster, name);
      return objectsAt(seen, "status", "conditions").some(({ reason }) => reason === "NameExists");
    });
    expect((await session.get(namespace, home))?.metadata.labels).not.toHaveProperty(["rollcall.dev/cluster"]);
    await session.api.delete({ type: namespace, name: home });
  });

  it("A262: takes over no namespace of another team that is made in the same moment", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `race-${index}`);
    const teamOf = (name: string) => `${name}-${session.workspace}`;
    const adopting = { "rollcall.dev/adopt": "true" };
    const theirs: string[] = [];
    const make = async (name: string): Promise<void> => {
      const object = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { team: "a" } } };
      try {
        await session.api.create(object, { fieldManager: "somebody" });
        theirs.push(name);
      } catch (error) {
        if (!isAppError(error, "E_KUBE_EXISTS")) throw error; // the daemon came first: it is the cluster's
      }
    };
    await Promise.all(
      names.flatMap((name) => {
        const spec = { protocol: "clusternet", clusternet: { clusterNamespace: teamOf(name) } } as const;
        return [session.declareCluster(name, spec, {}, adopting), make(teamOf(name))];
      }),
    );
    expect(theirs).not.toEqual([]);
    for (const name of names) {
      if (!theirs.includes(teamOf(name))) continue;
      await session.eventually(`${name} is refused`, async () => {
        const seen = await session.get(cluster, name);
        return objectsAt(seen, "status", "conditions").some(({ reason }) => reason === "NameExists");
      });
      const found = await session.get(namespace, teamOf(name));
      expect(found?.metadata.labels).not.toHaveProperty(["rollcall.dev/cluster"]);
    }
    for (const name of theirs) await session.api.delete({ type: namespace, name });
  });

  it("A101: takes over no namespace of another team that a file names, nor deletes it", async () => {
    const name = "taken-2";
    const team = `team-${session.workspace}`;
    await session.api.create(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: team } },
      { fieldManager: "somebody" },
    );
    const spec = { protocol: "clusternet", clusternet: { clusterNamespace: team } } as const;
    await session.declareCluster(name, spec, {}, { "rollcall.dev/adopt": "true" });
    await session.eventually("it is refused", async () => {
      const seen = await session.get(cluster, name);
      return objectsAt(seen, "status", "conditions").some(({ reason }) => reason === "NameExists");
    });
    expect((await session.get(namespace, team))?.metadata.labels).not.toHaveProperty(["rollcall.dev/cluster"]);
    await session.api.delete({ type: namespace, name: team });
  });
}
