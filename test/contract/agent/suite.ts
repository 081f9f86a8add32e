import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { readMemberState } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeControlPlaneKeys } from "../../support/control-plane-keys.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import {
  conditionOf,
  countsOf,
  declare,
  install,
  kubeconfigSecret,
  textOf,
  token,
  untilLogged,
  untilReady,
  valuesOf,
} from "./fleet-helpers.ts";
import { openFleetSession } from "./fleet-session.ts";
import type { FleetSession } from "./fleet-session.ts";

const { cluster, clusterReport, clusterRegistration, configMap, lease, secret, serviceAccount, deployment } =
  resourceTypes;

/** How agents and hub live together; the same on every hub. */
export function describeAgents(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`agents on ${name}`, () => {
    let session: FleetSession;
    beforeAll(async () => {
      session = await openFleetSession(await startHub());
    });
    afterAll(async () => {
      await session.close();
    });

    describe("an agent that the hub installs", () => {
      let namespace: string;
      beforeAll(() => {
        namespace = session.agentNamespace();
      });

      it("is installed by the kubeconfig, joins, reports, and makes its cluster Ready", async () => {
        await declare(session, "hub-1", {
          kubeConfigSecretRef: await kubeconfigSecret(session, "hub-1"),
          agent: { namespace },
        });
        await session.untilIn(namespace, deployment, "rollcall-agent", (object) => object !== undefined);
        const agent = await session.startAgent(namespace);
        const ready = await session.until(cluster, "hub-1", (object) => conditionOf(object, "Ready") === "True");
        expect(ready["status"]).toMatchObject({
          agent: { version: "0.1.0", namespace },
          join: { mode: "HubInitiated" },
          health: { livez: true, readyz: true },
          credential: { number: 1, rotates: true },
        });
        expect(textAt(ready, "status", "kubernetesVersion")).toMatch(/^v1\./u);
        expect(conditionOf(ready, "AgentUpToDate")).toBe("True");
        expect((await fetch(`http://127.0.0.1:${agent.healthPort()}/readyz`)).status).toBe(200);
        expect(agent.lines.filter(({ level }) => level === "error")).toEqual([]);
        await agent.stop();
      });

      it("has forgotten what it joined by, and the hub too", async () => {
        const values = await session.get(secret, "rollcall-agent-values", namespace);
        expect(textAt(values, "data", "values")).toBeUndefined();
        await session.untilDeleted(secret, "rollcall-hub-1.bootstrap.1");
        await session.untilDeleted(serviceAccount, "rollcall-hub-1.bootstrap");
      });

      it("does not register again after a restart, and writes nothing but its heartbeat", async () => {
        const before = await session.get(clusterReport, "hub-1");
        const lastBeat = textAt(await session.get(lease, "rollcall-hub-1"), "spec", "renewTime");
        const agent = await session.startAgent(namespace);
        await session.until(lease, "rollcall-hub-1", (object) => textAt(object, "spec", "renewTime") !== lastBeat);
        await untilReady(agent.healthPort);
        const report = await session.get(clusterReport, "hub-1");
        expect(agent.lines.filter(({ message }) => message === "reported")).toEqual([]);
        expect(report?.metadata.generation).toBe(before?.metadata.generation);
        expect(agent.lines.map(({ message }) => message)).not.toContain("joined the hub");
        expect(countsOf(agent.hubApis)["create"]).toBeUndefined();
        await agent.stop();
      });

      it("loses every credential when it is revoked, logs it, and keeps trying", async () => {
        const agent = await session.startAgent(namespace);
        await untilReady(agent.healthPort);
        await session.api.mergePatch(
          { type: cluster, namespace: session.workspace, name: "hub-1" },
          { metadata: { annotations: { "rollcall.dev/revoked": "blob/who/when" } } },
          { fieldManager: "rollcall-operator" },
        );
        await session.until(cluster, "hub-1", (object) => conditionOf(object, "Ready") === "False");
        await session.untilDeleted(serviceAccount, "rollcall-hub-1");
        await session.untilDeleted(serviceAccount, "rollcall-hub-1.recovery");
        await agent.stop();
      });
    });

    describe("an agent that a user installs with a token's values", () => {
      let namespace: string;
      let values: AgentValues;

      beforeAll(async () => {
        namespace = session.agentNamespace();
        await session.create(token(session, "door", { ttl: "1h", maxRegistrations: 2, agentLabels: ["site"] }));
        values = await valuesOf(session, "door");
        await install(session, namespace, {
          ...values,
          cluster: {
            name: "edge-1",
            clientID: "edge-one",
            labels: { site: "b", tier: "gold", "rollcall.dev/repository": "a.b", "app.kubernetes.io/name": "x" },
          },
        });
      });

      it("A2: joins as a new cluster, with the labels that it may propose and no others", async () => {
        const agent = await session.startAgent(namespace);
        const ready = await session.until(cluster, "edge-1", (object) => conditionOf(object, "Ready") === "True");
        expect(ready.metadata.labels).toMatchObject({ site: "b" });
        for (const key of ["tier", "app.kubernetes.io/name"])
          expect(Object.keys(ready.metadata.labels ?? {})).not.toContain(key);
        // Of the token, and not what the agent proposes.
        expect(ready.metadata.labels?.["rollcall.dev/repository"]).toBe("rollcall.fleet");
        expect(ready["status"]).toMatchObject({ join: { mode: "AgentInitiated", token: "door" } });
        await agent.stop();
      });

      it("takes few calls of the agent to join", async () => {
        const other = session.agentNamespace();
        await install(session, other, { ...values, cluster: { name: "edge-2", clientID: "another-cluster" } });
        const agent = await session.startAgent(other, { factsPeriodMs: 60_000 });
        await session.until(cluster, "edge-2", (object) => conditionOf(object, "Ready") === "True");
        await agent.stop();
        const counts = countsOf(agent.hubApis);
        // create and gets of the registration; report (read once, written once), heartbeat, list and watch of the report, manifest
        expect(counts["create"]).toBe(1);
        // A hub that is slow to decide is polled once or twice more.
        expect(counts["get"]).toBeLessThanOrEqual(7);
        expect(counts["patch"]).toBeLessThanOrEqual(3); // one may come before its right does
        expect((counts["list"] ?? 0) + (counts["watch"] ?? 0)).toBeLessThanOrEqual(3);
      });

      it("A7: is not admitted by a token whose uses are all taken, and logs the refusal", async () => {
        await session.until(
          resourceTypes.clusterRegistrationToken,
          "door",
          (object) => numberAt(object, "status", "uses") === 2,
        );
        const other = session.agentNamespace();
        await install(session, other, { ...values, cluster: { name: "edge-3", clientID: "a-third-cluster" } });
        const agent = await session.startAgent(other);
        await untilLogged(agent.lines, ({ fields }) => textOf(fields["error"]).includes("E_KUBE_FORBIDDEN"));
        expect(await session.get(cluster, "edge-3")).toBeUndefined();
        await agent.stop();
      });

      it("A1: is refused with another cluster's clientID, and logs the reason", async () => {
        await session.create(token(session, "second-door", { ttl: "1h" }));
        const given = await valuesOf(session, "second-door");
        const other = session.agentNamespace();
        await install(session, other, { ...given, cluster: { name: "edge-4", clientID: "another-cluster" } });
        const agent = await session.startAgent(other);
        await untilLogged(agent.lines, ({ fields }) => fields["reason"] === "ClientIDTaken");
        expect(await session.get(cluster, "edge-4")).toBeUndefined();
        await agent.stop();
      });

      it.each([
        { what: "the CA of another hub", error: "E_KUBE_TLS", isAsking: false },
        { what: "a credential that is none", error: "E_KUBE_UNAUTHORIZED", isAsking: false },
        { what: "plain http", error: "hub.url is plain http", isAsking: false },
        { what: "the id of another hub", error: "ProofInvalid", isAsking: true },
        { what: "a token that is not there", error: "UnknownToken", isAsking: true },
      ])("is not admitted with $what, and logs the reason", async ({ what, error, isAsking }) => {
        const door = `door-${error.toLowerCase().replace(/[^a-z]+/gu, "-")}`;
        await session.create(token(session, door, { ttl: "1h" }));
        const given = await valuesOf(session, door);
        const { ca } = await makeControlPlaneKeys();
        const changes: Record<string, AgentValues> = {
          "the CA of another hub": { ...given, hub: { ...given.hub, caBundle: ca.cert } },
          "a credential that is none": { ...given, token: { ...given.token, credential: "nothing" } },
          "plain http": { ...given, hub: { ...given.hub, url: given.hub.url.replace("https://", "http://") } },
          "the id of another hub": { ...given, hub: { ...given.hub, id: `sha256:${"0".repeat(64)}` } },
          "a token that is not there": { ...given, token: { ...given.token, name: "no-such-door" } },
        };
        const bad = changes[what];
        if (bad === undefined) throw new Error(`no such change: ${what}`);
        const known = await registrationNames();
        const other = session.agentNamespace();
        await install(session, other, { ...bad, cluster: { name: "edge-9", clientID: "edge-nine" } });
        const agent = await session.startAgent(other);
        await untilLogged(agent.lines, ({ fields }) => JSON.stringify(fields).includes(error));
        await agent.stop();
        expect(await session.get(cluster, "edge-9")).toBeUndefined();
        expect((await registrationNames()).length > known.length).toBe(isAsking);
        expect(JSON.stringify(agent.lines)).not.toContain(given.token.credential);
        expect(JSON.stringify(agent.lines)).not.toContain(given.token.proofKey);
      });

      const registrationNames = async () =>
        (await session.api.list(clusterRegistration, { namespace: session.workspace })).items.map(
          ({ metadata }) => metadata.name,
        );

      it("waits and reports when its values are half-written", async () => {
        const other = session.agentNamespace();
        await install(session, other, { ...values, workspace: "" });
        const agent = await session.startAgent(other);
        await untilLogged(agent.lines, ({ fields }) => textOf(fields["error"]).includes("workspace is missing"));
        await agent.stop();
        expect(JSON.stringify(agent.lines)).not.toContain(values.token.credential);
      });

      it("leaves its cluster when it is to uninstall itself", async () => {
        await session.api.mergePatch(
          { type: cluster, namespace: session.workspace, name: "edge-1" },
          { spec: { deletionPolicy: "Uninstall" } },
          { fieldManager: "rollcall-git" },
        );
        const agent = await session.startAgent(namespace);
        await untilReady(agent.healthPort);
        await session.api.mergePatch(
          { type: cluster, namespace: session.workspace, name: "edge-1" },
          { metadata: { annotations: { "rollcall.dev/leave": "c0ffee".padEnd(40, "0") } } },
          { fieldManager: "test" },
        );
        await session.untilDeleted(cluster, "edge-1");
        for (const [type, object] of [
          [clusterReport, "edge-1"],
          [lease, "rollcall-edge-1"],
          [serviceAccount, "rollcall-edge-1"],
          [serviceAccount, "rollcall-edge-1.recovery"],
          [secret, "rollcall-edge-1.1"],
        ] as const)
          expect(await session.get(type, object)).toBeUndefined();
        await session.untilDeleted(resourceTypes.clusterRoleBinding, `rollcall-agent.${namespace}`);
        await session.untilDeleted(resourceTypes.clusterRole, `rollcall-agent.${namespace}`);
        expect(
          (await session.get(resourceTypes.namespace, namespace))?.metadata.deletionTimestamp ?? "gone",
        ).toBeDefined();
        await agent.stop();
        expect(agent.lines.map(({ message }) => message)).toContain("left the fleet");
      });
    });

    describe("a cluster that has vanished", () => {
      const given = "leaving without a removal downstream";
      const leftOf = (name: string) =>
        session.hubLines.find(({ message, fields }) => message === given && String(fields["cluster"]).endsWith(name));
      const annotate = (name: string, annotations: Record<string, string>) =>
        session.api.mergePatch(
          { type: cluster, namespace: session.workspace, name },
          { metadata: { annotations } },
          { fieldManager: "test" },
        );
      /** Its agent was installed, its kubeconfig leads nowhere now, and its leave began this long ago. */
      const vanish = async (name: string, minutesAgo: number, labels: Record<string, string> = {}) => {
        const namespace = session.agentNamespace();
        await declare(session, name, {
          clientID: name,
          kubeConfigSecretRef: await kubeconfigSecret(session, name),
          agent: { namespace },
        });
        const inWorkspace = { namespace: session.workspace };
        await session.api.mergePatch(
          { type: cluster, ...inWorkspace, name },
          { metadata: { labels } },
          { fieldManager: "rollcall-git" },
        );
        await session.untilIn(namespace, deployment, "rollcall-agent", (object) => object !== undefined);
        const unreachable = session.kubeconfig.replaceAll(session.api.server, "https://127.0.0.1:1");
        await session.api.mergePatch(
          { type: secret, ...inWorkspace, name: `${name}-kubeconfig` },
          { data: { value: Buffer.from(unreachable).toString("base64") } },
          { fieldManager: "test" },
        );
        const commit = "c0ffee".padEnd(40, "0");
        await annotate(name, { "rollcall.dev/leave": commit });
        const phase = (object: unknown) => textAt(object, "status", "leave", "phase");
        await session.until(cluster, name, (object) => phase(object) === "Uninstalling");
        const memberStateRef = { type: configMap, ...inWorkspace, name: `rollcall-cluster-${name}` };
        const state = readMemberState(await session.api.get(memberStateRef));
        const since = new Date(Date.now() - minutesAgo * 60_000).toISOString();
        const aged = { ...state, leave: { commit, since } };
        await session.api.mergePatch(
          memberStateRef,
          { data: { memory: JSON.stringify(aged) } },
          { fieldManager: "test" },
        );
        return namespace;
      };

      it("F24: leaves after a quarter of an hour: what is left of it there stays, its credentials die", async () => {
        const { daemonNamespace } = session.hubFacts();
        const repositoryRef = { type: resourceTypes.repository, namespace: daemonNamespace, name: "fleet" };
        await session.create({
          apiVersion: "rollcall.dev/v1alpha1",
          kind: "Repository",
          metadata: { name: "fleet", namespace: daemonNamespace },
          spec: { url: "https://git.example.com/fleet.git" },
        });
        const namespace = await vanish("gone-1", 16, { "rollcall.dev/repository": `${daemonNamespace}.fleet` });
        await session.untilDeleted(cluster, "gone-1");
        expect(await session.get(secret, "rollcall-gone-1.bootstrap.1")).toBeUndefined();
        expect(await session.get(serviceAccount, "rollcall-gone-1.bootstrap")).toBeUndefined();
        expect(await session.get(deployment, "rollcall-agent", namespace)).toBeDefined();
        expect(leftOf("gone-1")?.fields["left"]).toContain(`Deployment/${namespace}/rollcall-agent`);
        const [left, ...others] = objectsAt(await session.api.get(repositoryRef), "status", "leftBehind");
        expect(left).toMatchObject({ cluster: `${session.workspace}/gone-1` });
        expect(textAt(left, "remains")).toContain(`Deployment/${namespace}/rollcall-agent`);
        expect(others).toEqual([]);
      });

      it("is not tried for longer than a minute once it is revoked", async () => {
        const namespace = await vanish("gone-2", 2);
        const tried = await session.get(cluster, "gone-2");
        expect(textAt(tried, "status", "leave", "phase")).toBe("Uninstalling");
        await annotate("gone-2", { "rollcall.dev/revoked": "-/somebody/2030-01-01T00:00:00Z" });
        await session.untilDeleted(cluster, "gone-2");
        expect(leftOf("gone-2")?.fields["left"]).toContain(`Deployment/${namespace}/rollcall-agent`);
      });
    });

    describe("registrations", () => {
      it("A9: carry no secret that others could use", async () => {
        const { items } = await session.api.list(clusterRegistration, { namespace: session.workspace });
        expect(items.length).toBeGreaterThan(0);
        for (const registration of items) {
          expect(JSON.stringify(registration)).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/u);
          expect(JSON.stringify(registration)).not.toMatch(/proofKey|PRIVATE/u);
        }
      });
    });
  });
}
