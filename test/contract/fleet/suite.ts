import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { clusterNamespaceName, createdClusterName, safeConcatName } from "../../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import type { FleetBootstrap } from "../../support/fleet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import { describeFleetByHand } from "./by-hand.ts";
import { describeHandedOver } from "./handed-over.ts";
import { describeInstalledAgents } from "./installed-agents.ts";
import { describePlacedRemoval } from "./placed.ts";
import { describeReplay } from "./replayed.ts";
import { describeFleetRush } from "./rush.ts";
import { describeAgentsInTrouble } from "./agents-in-trouble.ts";
import { describeServedKinds } from "./served-kinds.ts";
import { openFleetHubSession } from "./fleet-hub-session.ts";
import type { FleetHubSession } from "./fleet-hub-session.ts";

const { cluster, fleetCluster, fleetRegistration, fleetRegistrationToken, namespace, secret, serviceAccount } =
  resourceTypes;

/** Rancher Fleet's agents and a hub that serves them; the same on every hub. */
export function describeFleetAgents(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`Fleet's agents on ${hubName}`, () => {
    let session: FleetHubSession;
    let bootstrap: FleetBootstrap;
    let home = "";
    beforeAll(async () => {
      session = await openFleetHubSession(await startHub());
      await session.declareToken("door", { clusterNames: ["eu-1", "*"] });
      bootstrap = await session.bootstrapOf("door");
    });
    afterEach(() => session.shiftHubTime(0));
    afterAll(async () => {
      await session.close();
    });

    const isJoined = async (name: string, status = "True") =>
      conditionOf(await session.get(cluster, name), "Joined") === status;

    it("gives a token's values under its own name, with every key that the agent's chart reads", async () => {
      expect(bootstrap).toMatchObject({
        clusterNamespace: session.workspace,
        apiServerURL: session.api.server,
        systemRegistrationNamespace: "cattle-fleet-clusters-system",
        tokenName: "door",
      });
      expect((await session.get(secret, "door"))?.["type"]).toBe("fleet.cattle.io/cluster-registration-values");
      const token = await session.eventually("the token's status", async () => {
        const seen = await session.get(fleetRegistrationToken, "door");
        return textAt(seen, "status", "secretName") === undefined ? undefined : seen;
      });
      expect(textAt(token, "status", "secretName")).toBe("door");
    });

    describe("an agent whose cluster is declared", () => {
      let agent: FleetAgentClient;
      beforeAll(async () => {
        await session.declareCluster("eu-1", { protocol: "fleet", clientID: "really-random" }, { env: "prod" });
        home = clusterNamespaceName(session.workspace, "eu-1");
        agent = new FleetAgentClient(bootstrap, { clientID: "really-random" });
      });

      it("is matched by its clientID, and keeps the labels that git gave it", async () => {
        expect(await agent.register({ env: "dev", foo: "bar" })).toBe(true);
        expect(agent.credential).toMatchObject({
          clusterName: "eu-1",
          clusterNamespace: session.workspace,
          deploymentNamespace: home,
        });
        const seen = await session.get(fleetCluster, "eu-1");
        expect(seen?.metadata.labels).toMatchObject({ env: "prod", "fleet.cattle.io/cluster": "eu-1" });
        expect(seen?.metadata.labels).not.toHaveProperty("foo");
        expect((await session.get(namespace, home))?.metadata).toMatchObject({
          labels: { "fleet.cattle.io/managed": "true" },
          annotations: {
            "fleet.cattle.io/cluster": "eu-1",
            "fleet.cattle.io/cluster-namespace": session.workspace,
          },
        });
      });

      it("makes no call but those that it makes to Fleet's own hub, none of them refused but those it repeats", () => {
        const { workspace } = session;
        const kinds = agent.calls.map(({ call, status }) => `${call.replace(/c-[0-9a-f]{61}$/u, "c-*")} ${status}`);
        const answer = "GET /api/v1/namespaces/cattle-fleet-clusters-system/secrets/c-*";
        expect([...new Set(kinds)]).toEqual(
          [
            `POST /apis/fleet.cattle.io/v1alpha1/namespaces/${workspace}/clusterregistrations 201`,
            ...(kinds.includes(`${answer} 403`) ? [`${answer} 403`] : []),
            ...(kinds.includes(`${answer} 404`) ? [`${answer} 404`] : []),
            `${answer} 200`,
            `GET /apis/fleet.cattle.io/v1alpha1/namespaces/${home}/bundledeployments 200`,
          ].filter((call) => call !== ""),
        );
      });

      it("becomes Ready with its first heartbeat", async () => {
        await session.eventually("eu-1 is joined", () => isJoined("eu-1"));
        expect((await agent.heartbeat()).status).toBe(200);
        const ready = await session.eventually("eu-1 is ready", async () => {
          const seen = await session.get(cluster, "eu-1");
          return conditionOf(seen, "Ready") === "True" ? seen : undefined;
        });
        expect(ready["status"]).toMatchObject({
          agent: { namespace: "cattle-fleet-system" },
          join: { token: "door", mode: "AgentInitiated" },
          effective: { protocol: "fleet", heartbeatPeriodSeconds: 900 },
        });
      });

      it("A4: may do nothing else, and nothing to another cluster", async () => {
        const { token } = agent.credential ?? { token: "" };
        const { workspace } = session;
        const group = "/apis/fleet.cattle.io/v1alpha1";
        for (const [method, path] of [
          ["GET", `/api/v1/namespaces/${workspace}/secrets`],
          ["GET", `/api/v1/namespaces/${workspace}/secrets/door`],
          ["GET", "/api/v1/namespaces/cattle-fleet-clusters-system/secrets"],
          ["GET", "/api/v1/namespaces/cattle-fleet-clusters-system/secrets/of-another"],
          ["PATCH", `${group}/namespaces/${workspace}/clusters/eu-2/status`],
          ["PATCH", `${group}/namespaces/${workspace}/clusters/eu-1`],
          ["GET", `${group}/namespaces/${workspace}/clusters`],
          ["GET", `${group}/namespaces/${workspace}/clusterregistrations`],
          ["GET", `${group}/contents`],
          ["DELETE", `${group}/namespaces/${workspace}/clusters/eu-1`],
        ] as const)
          expect((await agent.call(method, path, { token })).status, `${method} ${path}`).toBe(403);
        const bare = await agent.call("GET", `${group}/namespaces/${workspace}/clusterregistrations`, {
          token: bootstrap.token,
        });
        expect(bare.status).toBe(403);
        // The rule that lets it read its answer names that one Secret.
        const place = "cattle-fleet-clusters-system";
        const other = { apiVersion: "v1", kind: "Secret", metadata: { name: "of-another", namespace: place } };
        await session.api.create(other, { fieldManager: "test" });
        for (const holder of [token, bootstrap.token]) {
          const path = `/api/v1/namespaces/${place}/secrets/of-another`;
          expect((await agent.call("GET", path, { token: holder })).status).toBe(403);
        }
        await session.api.delete({ type: resourceTypes.secret, namespace: place, name: "of-another" });
      });

      it("continues after a restart of the hub, which writes nothing", async () => {
        const before = await session.get(serviceAccount, await accountOf("eu-1"));
        await session.restartHub();
        expect((await agent.listDeployments()).status).toBe(200);
        expect((await agent.heartbeat()).status).toBe(200);
        expect((await session.get(serviceAccount, await accountOf("eu-1")))?.metadata.uid).toBe(before?.metadata.uid);
      });

      it("gets back what is deleted of its rights, and of its cluster", async () => {
        const name = textAt(await memberStateOf("eu-1"), "join", "registration") ?? "";
        const { role, roleBinding, clusterRoleBinding } = resourceTypes;
        for (const ref of [
          { type: roleBinding, namespace: session.workspace, name },
          { type: role, namespace: session.workspace, name },
          { type: roleBinding, namespace: home, name },
          { type: clusterRoleBinding, name: safeConcatName(await accountOf("eu-1"), "content") },
          { type: fleetCluster, namespace: session.workspace, name: "eu-1" },
        ]) {
          const before = await session.api.get(ref);
          await session.api.delete(ref);
          await session.eventually(`${ref.type.kind} ${ref.name} is back`, async () => {
            const seen = await session.api.get(ref);
            return seen !== undefined && seen.metadata.uid !== before?.metadata.uid;
          });
        }
        await session.eventually("it may heartbeat again", async () => (await agent.heartbeat()).status === 200);
        expect((await agent.listDeployments()).status).toBe(200);
        const { token } = agent.credential ?? { token: "" };
        const content = await agent.call("GET", "/apis/fleet.cattle.io/v1alpha1/contents/s-none", { token });
        expect(content.status).toBe(404);
      });

      it("A1: is not replaced by an agent that claims its clientID with a token that does not name it", async () => {
        await session.declareToken("other");
        const impostor = new FleetAgentClient(await session.bootstrapOf("other"), { clientID: "really-random" });
        expect(await impostor.register({}, { waitMs: 1500 })).toBe(false);
        expect((await agent.heartbeat()).status).toBe(200);
      });

      it("A1: is not replaced by an agent that does not name the token that it uses", async () => {
        const impostor = new FleetAgentClient(bootstrap, { clientID: "really-random", isOld: true });
        expect(await impostor.register({}, { waitMs: 1500 })).toBe(false);
        expect((await agent.heartbeat()).status).toBe(200);
      });

      it("A1: cannot name another token than the one that it uses", async () => {
        const other = await session.bootstrapOf("other");
        const impostor = new FleetAgentClient({ ...other, tokenName: "door" }, { clientID: "really-random" });
        // An API server takes a moment to heed a new policy; trying it must not let anybody in.
        await session.eventually(
          "the policy is heeded",
          async () => (await impostor.ask({ isDryRun: true })).status === 403,
        );
        expect((await impostor.ask()).status).toBe(403);
        const old = new FleetAgentClient(other, { clientID: "really-random", isOld: true });
        expect((await old.ask({ labels: { "rollcall.dev/token": "door" } })).status).toBe(403);
        expect((await old.ask({ labels: { "rollcall.dev/token": "other" }, isDryRun: true })).status).toBe(201);
      });

      it("asks by a token of any length", async () => {
        for (const name of ["t".repeat(27), "u".repeat(56), "v".repeat(63)]) {
          await session.declareToken(name);
          const agent = new FleetAgentClient(await session.bootstrapOf(name), { clientID: "long" });
          expect(await agent.ask({ isDryRun: true }), name).toMatchObject({ status: 201 });
        }
      });

      it("A8: comes back by a token that names it, which ends the former credential", async () => {
        const again = new FleetAgentClient(bootstrap, { clientID: "really-random" });
        expect(await again.register()).toBe(true);
        expect(again.credential?.clusterName).toBe("eu-1");
        await session.eventually("the former is refused", async () => (await agent.heartbeat()).status === 401);
        expect((await again.heartbeat()).status).toBe(200);
        agent = again;
      });

      it("leaves one registration of it, however often it asked", async () => {
        await session.eventually("the others are collected", async () => {
          const { items } = await session.api.list(fleetRegistration, { namespace: session.workspace });
          const own = items.filter((item) => textAt(item, "spec", "clientID") === "really-random");
          return own.filter((item) => textAt(item, "status", "clusterName") === "eu-1").length === 1;
        });
      });

      it("is answered for 40 minutes, and works on after that", async () => {
        const answer = textAt(await memberStateOf("eu-1"), "protocolFacts", "answer") ?? "";
        expect(await session.get(secret, answer, "cattle-fleet-clusters-system")).toBeDefined();
        session.shiftHubTime(41 * 60_000);
        await session.eventually(
          "the answer is gone",
          async () => (await session.get(secret, answer, "cattle-fleet-clusters-system")) === undefined,
        );
        expect((await agent.heartbeat()).status).toBe(200);
      });

      it("keeps what it is to deploy while it can see it, when its cluster leaves", async () => {
        await session.api.create(
          {
            apiVersion: "fleet.cattle.io/v1alpha1",
            kind: "BundleDeployment",
            metadata: { name: "app", namespace: home },
            spec: { deploymentID: "s-1:2", stagedDeploymentID: "s-1:2" },
          },
          { fieldManager: "test" },
        );
        await session.eventually("its state is shown", async () => {
          const seen = await session.get(fleetCluster, "eu-1");
          return textAt(seen, "status", "display", "readyBundles") === "0/1" && conditionOf(seen, "Ready") === "False";
        });
        await session.api.mergePatch(
          { type: cluster, namespace: session.workspace, name: "eu-1" },
          { metadata: { annotations: { "rollcall.dev/leave": "c0ffee".padEnd(40, "0") } } },
          { fieldManager: "test" },
        );
        await session.eventually("the agent is refused", async () => (await agent.listDeployments()).status === 401);
        expect(await session.get(resourceTypes.fleetBundleDeployment, "app", home)).toBeDefined();
        expect((await session.get(namespace, home))?.metadata.deletionTimestamp).toBeUndefined();
        const isRevoked = async () => conditionOf(await session.get(cluster, "eu-1"), "CredentialsValid") === "False";
        await session.eventually("its credential is reported as revoked", isRevoked);
      });

      it("leaves nothing behind on the hub when no agent can see it any more", async () => {
        session.shiftHubTime(12 * 60_000);
        await session.eventually("it is gone", async () => (await session.get(cluster, "eu-1")) === undefined);
        expect(await session.get(fleetCluster, "eu-1")).toBeUndefined();
        const label = "rollcall.dev/cluster=eu-1";
        const outside = `${label},rollcall.dev/owner-workspace=${session.workspace}`;
        const left = await Promise.all([
          ...[serviceAccount, secret, resourceTypes.role, resourceTypes.roleBinding].map((type) =>
            session.api.list(type, { namespace: session.workspace, labelSelector: label }),
          ),
          ...[resourceTypes.clusterRoleBinding, secret, resourceTypes.role].map((type) =>
            session.api.list(type, { labelSelector: outside }),
          ),
        ]);
        expect(left.flatMap(({ items }) => items.map((item) => JSON.stringify(item)))).toEqual([]);
        await session.eventually("its namespace goes", async () => {
          const seen = await session.get(namespace, home);
          return seen === undefined || seen.metadata.deletionTimestamp !== undefined;
        });
      });
    });

    describeAgentsInTrouble(() => session);

    describe("an agent whose cluster is not declared", () => {
      it("joins under the name that Fleet gives it, with labels that are not reserved", async () => {
        const agent = new FleetAgentClient(bootstrap, { clientID: "newcomer" });
        expect(await agent.register({ site: "b", "management.cattle.io/x": "y", "fleet.cattle.io/z": "y" })).toBe(true);
        const name = createdClusterName("newcomer");
        expect(agent.credential?.clusterName).toBe(name);
        const seen = await session.eventually("its labels", async () => {
          const object = await session.get(fleetCluster, name);
          return object?.metadata.labels?.["site"] === "b" ? object : undefined;
        });
        expect(Object.keys(seen.metadata.labels ?? {}).sort()).toEqual([
          "fleet.cattle.io/cluster",
          "fleet.cattle.io/created-by-agent-pod",
          "rollcall.dev/cluster",
          "site",
        ]);
      });

      it("of 0.15, which has no label for its token, joins too, and again by our values of one that names it", async () => {
        const agent = new FleetAgentClient(bootstrap, { clientID: "old-one", isOld: true });
        expect(await agent.register()).toBe(true);
        expect((await agent.heartbeat()).status).toBe(200);
        const name = createdClusterName("old-one");
        await session.declareToken("names-it", { clusterNames: [name] });
        const again = new FleetAgentClient(await session.bootstrapOf("names-it"), { clientID: "old-one", isOld: true });
        expect(await again.register({}, { waitMs: 1000 })).toBe(false);
        expect((await agent.heartbeat()).status).toBe(200);
        expect(await again.register({ "rollcall.dev/token": "names-it" })).toBe(true);
        expect(again.credential?.clusterName).toBe(name);
        expect((await session.get(fleetCluster, name))?.metadata.labels).not.toHaveProperty(["rollcall.dev/token"]);
        await session.eventually("the former is refused", async () => (await agent.heartbeat()).status === 401);
        await session.eventually("one registration is left", async () => {
          const { items } = await session.api.list(fleetRegistration, { namespace: session.workspace });
          return items.filter((item) => textAt(item, "spec", "clientID") === "old-one").length === 1;
        });
      });
    });

    describeFleetRush(() => session);
    describeInstalledAgents(() => session);
    describeHandedOver(() => session);
    describePlacedRemoval(() => session);
    describeReplay(() => session);
    describeServedKinds(() => session);
    describeFleetByHand(() => session);

    describe("what another manager made on the hub", () => {
      const foreign = (kind: string, name: string, spec: Record<string, unknown>) =>
        session.api.create(
          { apiVersion: "fleet.cattle.io/v1alpha1", kind, metadata: { name, namespace: session.workspace }, spec },
          { fieldManager: "somebody" },
        );
      const adopt = { "rollcall.dev/adopt": "true" };

      it("is not taken over by a Cluster without the annotation, and by one with it", async () => {
        await foreign("Cluster", "taken", { clientID: "theirs" });
        await session.declareCluster("taken", { protocol: "fleet", clientID: "ours" });
        const refused = await session.eventually("it is refused", async () => {
          const seen = await session.get(cluster, "taken");
          return conditionOf(seen, "Accepted") === "False" ? seen : undefined;
        });
        expect(JSON.stringify(refused["status"])).toContain("NameExists");
        expect(textAt(await session.get(fleetCluster, "taken"), "spec", "clientID")).toBe("theirs");
        const ref = { type: cluster, namespace: session.workspace, name: "taken" };
        await session.api.mergePatch(ref, { metadata: { annotations: adopt } }, { fieldManager: "test" });
        await session.eventually("it is taken over", async () => {
          const seen = await session.get(fleetCluster, "taken");
          return textAt(seen, "spec", "clientID") === "ours";
        });
      });

      it("is not taken over by a token without the annotation", async () => {
        await foreign("ClusterRegistrationToken", "taken-token", { ttl: "5m" });
        await session.declareToken("taken-token", { ttl: "1h" });
        await session.eventually("it is refused", async () =>
          JSON.stringify(
            (await session.get(resourceTypes.clusterRegistrationToken, "taken-token"))?.["status"] ?? {},
          ).includes("NameExists"),
        );
        expect(textAt(await session.get(fleetRegistrationToken, "taken-token"), "spec", "ttl")).toBe("5m");
        expect(await session.get(secret, "taken-token")).toBeUndefined();
      });
    });

    describe("a token that ends", () => {
      it("takes its account with it, and leaves those who are in", async () => {
        await session.declareToken("short", { fleet: { ttl: "5m" } });
        const given = await session.bootstrapOf("short");
        const agent = new FleetAgentClient(given, { clientID: "in-time" });
        expect(await agent.register()).toBe(true);
        session.shiftHubTime(6 * 60_000);
        await session.eventually("its values go", async () => (await session.get(secret, "short")) === undefined);
        const late = new FleetAgentClient(given, { clientID: "too-late" });
        await session.eventually("it is refused", async () => {
          await late.register({}, { waitMs: 0 });
          return late.calls.at(-1)?.status === 401;
        });
        expect((await agent.heartbeat()).status).toBe(200);
      });
    });

    async function memberStateOf(name: string): Promise<unknown> {
      const object = await session.get(resourceTypes.configMap, `rollcall-cluster-${name}`);
      return JSON.parse(textAt(object, "data", "memory") ?? "{}");
    }

    async function accountOf(name: string): Promise<string> {
      return textAt(await memberStateOf(name), "protocolFacts", "account") ?? "";
    }
  });
}
