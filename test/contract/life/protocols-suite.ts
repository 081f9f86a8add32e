import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { numberAt, objectAt, textAt } from "../../../src/core/read-json.ts";
import { readValuesText } from "../../../src/join/rollcall/downstream/values.ts";
import { fixedConnection } from "../../../src/kube/connection.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { FleetAgentClient } from "../../support/fleet-agent-client.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { KubefleetAgentClient } from "../../support/kubefleet-agent-client.ts";
import { until } from "../../support/until.ts";
import type { RunningAgent } from "../agent/fleet-session.ts";
import { installAgent } from "./install-agent.ts";
import { clusterFile, conditionReason, openLifeSession, tokenFile } from "./life-session.ts";
import type { LifeSession } from "./life-session.ts";

const { cluster, clusterReport, configMap, deployment, lease, secret, serviceAccount } = resourceTypes;
const { fleetCluster, internalMemberCluster, memberCluster, repository } = resourceTypes;

const serves = [
  { name: "fleet", controllers: "Rollcall" },
  { name: "kubefleet", controllers: "Rollcall" },
] as const;

/** A cluster whose file names another join protocol parts from the one that it had, and joins anew by the other. */
export function describeProtocolChanges(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`changes of protocol on ${name}`, () => {
    let session: LifeSession;
    let namespace: string;
    const id = randomUUID().slice(0, 6);
    // KubeFleet's names are of the whole hub.
    const guest = `guest-${id}`;
    const file = (lines: readonly string[]) =>
      clusterFile("eu-1", [
        "kubeConfigSecretRef: { name: kubeconfig }",
        `agent: { namespace: ${namespace} }`,
        "heartbeat: { periodSeconds: 2 }",
        ...lines,
      ]);
    const guestFile = (lines: readonly string[]) =>
      clusterFile(guest, ["clientID: guest", "deletionPolicy: Uninstall", ...lines]);
    const repositoryStatus = async () =>
      JSON.stringify((await session.get(repository, "fleet", session.namespace))?.["status"]);
    const decoded = (object: unknown, key: string) =>
      Buffer.from(textAt(object, "data", key) ?? "", "base64").toString("utf8");
    const untilOwnGone = async (of: string) => {
      for (const [type, object] of [
        [clusterReport, of],
        [lease, `rollcall-${of}`],
        [configMap, `rollcall-agent-${of}`],
        [serviceAccount, `rollcall-${of}`],
        [serviceAccount, `rollcall-${of}.recovery`],
      ] as const)
        await session.untilDeleted(type, object);
    };
    const untilJoining = (of: string, reason: string) =>
      session.until(cluster, of, (seen) => conditionReason(seen, "Joined") === reason);

    beforeAll(async () => {
      session = await openLifeSession(await startHub());
      namespace = session.agentNamespace();
      await session.kubeconfigSecret("kubeconfig");
      await session.startDaemon({ serves });
    });
    afterAll(async () => {
      for (const type of [memberCluster, resourceTypes.namespace])
        await session.api
          .delete({ type, name: type === memberCluster ? guest : `fleet-member-${guest}` })
          .catch(() => undefined);
      await session.close();
    });

    describe("of a cluster whose agent the hub installs", () => {
      let agent: RunningAgent;
      let fleetAgent: FleetAgentClient;
      let firstKeys: unknown;

      it("takes the own agent, its accounts and credentials away, and installs the other one", async () => {
        await session.commit({ "clusters/eu-1.yaml": file(["clientID: one"]) });
        agent = await session.startInstalledAgent(namespace);
        firstKeys = objectAt(await session.untilReady("eu-1"), "status", "identity");
        const held = JSON.parse(
          decoded(await session.get(secret, "rollcall-agent-identity", namespace), "identity"),
        ) as {
          membership: { credential: { token: string }; recoveryToken: string };
        };
        await session.commit({ "clusters/eu-1.yaml": file(["clientID: one", "protocol: fleet"]) });
        await session.until(deployment, "rollcall-agent", (seen) => seen === undefined, namespace);
        await agent.stop();
        await untilOwnGone("eu-1");
        for (const token of [held.membership.credential.token, held.membership.recoveryToken])
          await untilRefused(token);
        await session.until(deployment, "fleet-agent", (seen) => seen !== undefined, namespace);
        expect(await repositoryStatus()).toContain('"action":"ProtocolChange"');
      });

      it("admits the other one, and shows nothing of the previous one", async () => {
        const bootstrap = await session.until(secret, "fleet-agent-bootstrap", (seen) => seen !== undefined, namespace);
        fleetAgent = new FleetAgentClient(
          {
            apiServerURL: decoded(bootstrap, "apiServerURL"),
            apiServerCA: decoded(bootstrap, "apiServerCA"),
            clusterNamespace: decoded(bootstrap, "clusterNamespace"),
            systemRegistrationNamespace: decoded(bootstrap, "systemRegistrationNamespace"),
            token: decoded(bootstrap, "token"),
            tokenName: decoded(bootstrap, "tokenName"),
          },
          { clientID: "one" },
        );
        expect(await fleetAgent.register()).toBe(true);
        expect((await fleetAgent.heartbeat()).status).toBe(200);
        const ready = await session.untilReady("eu-1");
        expect(objectAt(ready, "status", "identity")).toEqual({ clientID: "one" });
        expect(textAt(ready, "status", "effective", "protocol")).toBe("fleet");
        expect(objectAt(ready, "status", "credential")).toBeUndefined();
      });

      it("counts each change against the deletion budget: the second of a day waits, and nothing of it happens", async () => {
        await session.commit({ "clusters/eu-1.yaml": file(["clientID: one"]) });
        expect(await repositoryStatus()).toContain("Rollcall-Allow-Deletions");
        expect(textAt(await session.get(cluster, "eu-1"), "spec", "protocol")).toBe("fleet");
        expect((await fleetAgent.heartbeat()).status).toBe(200);
      });

      it("changes back to the own protocol: the other agent is removed, and the cluster joins with a new identity", async () => {
        const wanted = file(["clientID: one", "deletionGracePeriod: 0s"]);
        await session.commit({ "clusters/eu-1.yaml": wanted }, allow(1));
        await session.until(deployment, "rollcall-agent", (seen) => seen !== undefined, namespace);
        expect(await session.get(deployment, "fleet-agent", namespace)).toBeUndefined();
        expect(await session.get(fleetCluster, "eu-1")).toBeUndefined();
        await until(
          () => fleetAgent.heartbeat(),
          ({ status }) => status === 401,
        );
        agent = await session.startAgent(namespace);
        const ready = await session.untilReady("eu-1");
        expect(objectAt(ready, "status", "identity")).not.toEqual(firstKeys);
        // Numbers of credentials are never used again.
        expect(numberAt(ready, "status", "credential", "number")).toBe(2);
      });

      it("F24: resumes where it was interrupted, when its agent can be reached again", async () => {
        const ref = { type: secret, namespace: session.workspace, name: "kubeconfig" };
        const present = await session.api.get(ref);
        const reachable = { value: textAt(present, "data", "value") ?? "" };
        const unreachable = Buffer.from(
          decoded(present, "value").replaceAll(session.api.server, "https://127.0.0.1:1"),
        );
        const write = (data: Record<string, string>) => session.api.mergePatch(ref, { data }, { fieldManager: "test" });
        await write({ value: unreachable.toString("base64") });
        await session.commit({ "clusters/eu-1.yaml": file(["clientID: one", "protocol: fleet"]) }, allow(1));
        await untilJoining("eu-1", "ChangingProtocol");
        expect(await session.get(serviceAccount, "rollcall-eu-1")).toBeDefined();
        await session.stopDaemon();
        await session.startDaemon({ serves });
        await write(reachable);
        await session.until(deployment, "rollcall-agent", (seen) => seen === undefined, namespace);
        await agent.stop();
        await untilOwnGone("eu-1");
        await session.until(deployment, "fleet-agent", (seen) => seen !== undefined, namespace);
      });
    });

    describe("of a cluster whose agent a user installed", () => {
      let values: Parameters<typeof installAgent>[2];
      let foreign: KubefleetAgentClient;

      it("has the own agent remove itself, by deletionPolicy, before the other protocol is served", async () => {
        const place = session.agentNamespace();
        await session.commit({
          "tokens/door.yaml": tokenFile("door", ["ttl: 1h", `clusterNames: [${guest}]`]),
          "clusters/guest.yaml": guestFile([]),
        });
        const filled = await session.until(secret, "door", (seen) => textAt(seen, "data", "values") !== undefined);
        const finding = readValuesText(decoded(filled, "values"));
        if (finding.kind !== "values") throw new Error("the token's values are not complete");
        values = { ...finding.values, cluster: { name: guest, clientID: "guest" } };
        await installAgent(session.api, place, values);
        const agent = await session.startAgent(place);
        await session.untilReady(guest);
        await session.commit({ "clusters/guest.yaml": guestFile(["protocol: kubefleet"]) }, allow(1));
        await untilOwnGone(guest);
        await session.untilDeleted(deployment, "rollcall-agent", place);
        await expect.poll(() => agent.lines.map(({ message }) => message)).toContain("left the fleet");
        await agent.stop();
        const token = await session.until(
          secret,
          `${guest}-hub-cluster-access-token`,
          (seen) => textAt(seen, "data", "token") !== undefined,
        );
        foreign = new KubefleetAgentClient({
          server: session.endpoint.url,
          ca: session.endpoint.caBundle,
          token: decoded(token, "token"),
          clusterName: guest,
        });
        await session.until(internalMemberCluster, guest, (seen) => seen !== undefined, `fleet-member-${guest}`);
        await until(
          () => foreign.heartbeat(),
          ({ status }) => status === 200,
        );
        await session.untilReady(guest);
      });

      it("notifies the other agent that it is to leave, and then waits for one of the own, by a token that names it", async () => {
        await session.commit({ "clusters/guest.yaml": guestFile([]) }, allow(1));
        await until(
          () => foreign.state(),
          (state) => state === "Leave",
        );
        await foreign.heartbeat({ joined: "False" });
        await untilJoining(guest, "WaitingForAgent");
        expect(await session.api.get({ type: memberCluster, name: guest })).toBeUndefined();
        await until(
          () => foreign.heartbeat(),
          ({ status }) => status === 401 || status === 403,
        );
        const place = session.agentNamespace();
        await installAgent(session.api, place, values);
        await session.startAgent(place);
        await session.untilReady(guest);
      });
    });

    it("made no step between two states that docs/cluster-states.md does not list", () => {
      expect(session.impossibleSteps()).toEqual([]);
    });

    /** API servers remember a good token for ten seconds. */
    async function untilRefused(token: string): Promise<void> {
      const { url, caBundle } = session.endpoint;
      const transport = createHttpsTransport(fixedConnection({ server: url, caPem: caBundle, token }));
      const api = createKubeApi({ transport, clock: realClock, random: realRandom, types: [] });
      const ref = { type: clusterReport, namespace: session.workspace, name: "eu-1" };
      await until(
        () =>
          api.get(ref).then(
            () => "accepted",
            (error: unknown) => textAt(error, "code") ?? String(error),
          ),
        (answer) => answer === "E_KUBE_UNAUTHORIZED",
      );
      await api.close();
    }
  });
}

function allow(count: number): string {
  return `Change\n\nRollcall-Allow-Deletions: ${count}\n`;
}
