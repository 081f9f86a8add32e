import { randomUUID } from "node:crypto";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";
import { KubefleetAgentClient } from "../../support/kubefleet-agent-client.ts";

const { cluster, memberCluster, namespace, secret, work } = resourceTypes;

/** Members whose files declare placedResources: Remove. */
export function describePlacedRemoval(opened: () => ForeignHubSession): void {
  describe("a member that leaves with placedResources: Remove", () => {
    const unique = randomUUID().slice(0, 6);
    const [answered, silent] = [`p-${unique}`, `q-${unique}`];
    afterEach(() => opened().shiftHubTime(0));
    afterAll(async () => {
      for (const name of [answered, silent]) {
        await opened().api.delete({ type: namespace, name: `fleet-member-${name}` });
        await opened().api.delete({ type: memberCluster, name });
      }
    });

    /** A joined member with one Work, as KubeFleet's agent holds it, whose file was deleted. */
    async function startOffboarding(name: string): Promise<KubefleetAgentClient> {
      const session = opened();
      const { api, kubeconfig, workspace } = session;
      await session.declareCluster(name, { protocol: "kubefleet", placedResources: "Remove" });
      const token = await session.eventually(`the token of ${name}`, async () => {
        const encoded = textAt(await session.get(secret, `${name}-hub-cluster-access-token`), "data", "token");
        return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
      });
      const ca = (await readKubeconfig(kubeconfig).getTls()).caPem ?? "";
      const agent = new KubefleetAgentClient({ server: api.server, ca, token, clusterName: name });
      await session.eventually("its agent may report", async () => (await agent.heartbeat()).status === 200);
      const joined = async () =>
        objectsAt(await session.get(memberCluster, name), "status", "conditions").some(
          ({ type, status }) => type === "Joined" && status === "True",
        );
      await session.eventually("it has joined", joined);
      const metadata = { name: "web", namespace: homeOf(name), finalizers: ["kubernetes-fleet.io/work-cleanup"] };
      const spec = { workload: { manifests: [] } };
      const apiVersion = "placement.kubernetes-fleet.io/v1beta1";
      await api.create({ apiVersion, kind: "Work", metadata, spec }, { fieldManager: "test" });
      const shown = async () => JSON.stringify(await session.get(cluster, name)).includes("of 1 Works");
      await session.eventually("the Work is counted", shown);
      const annotations = { "rollcall.dev/leave": "c".repeat(40) };
      await api.mergePatch({ type: cluster, namespace: workspace, name }, { metadata: { annotations } }, manager);
      await session.eventually("the Work is deleted", async () => {
        const seen = await session.get(work, "web", homeOf(name));
        return seen?.metadata.deletionTimestamp !== undefined;
      });
      return agent;
    }

    it("keeps its agent until that has removed what it applied, and then leaves", async () => {
      const agent = await startOffboarding(answered);
      // The agent still has its rights, and is not notified to leave: it could not remove anything then.
      expect((await agent.heartbeat()).status).toBe(200);
      expect(await agent.state()).toBe("Join");
      await opened().restartHub();
      expect(await agent.state()).toBe("Join");
      const ref = { type: work, namespace: homeOf(answered), name: "web" };
      await opened().api.mergePatch(ref, { metadata: { finalizers: null } }, manager);
      await opened().eventually("the agent is told", async () => (await agent.state()) === "Leave");
      expect(await opened().get(work, "web", homeOf(answered))).toBeUndefined();
      expect((await agent.heartbeat({ joined: "False" })).status).toBe(200);
      const isGone = async () => (await opened().get(cluster, answered)) === undefined;
      await opened().eventually("it is gone", isGone);
      expect(opened().noted.some(({ reason, regarding }) => isLeftBehind(reason) && isOf(regarding, answered))).toBe(
        false,
      );
    });

    it("is waited for 15 minutes at most, and what is left is named", async () => {
      await startOffboarding(silent);
      opened().shiftHubTime(16 * 60_000);
      const said = await opened().eventually("what is left is named", () =>
        Promise.resolve(
          opened().noted.find(({ reason, regarding }) => isLeftBehind(reason) && isOf(regarding, silent)),
        ),
      );
      expect(said.message).toContain(`Work.placement.kubernetes-fleet.io/${homeOf(silent)}/web`);
      opened().shiftHubTime(32 * 60_000);
      await opened().eventually("it is gone", async () => (await opened().get(cluster, silent)) === undefined);
    });
  });
}

const manager = { fieldManager: "test" };
const homeOf = (name: string): string => `fleet-member-${name}`;
const isLeftBehind = (reason: string): boolean => reason === "PlacedLeftBehind";
const isOf = ({ metadata }: { readonly metadata: { readonly name: string } }, name: string): boolean =>
  metadata.name === name;
