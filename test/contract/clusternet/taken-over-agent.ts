import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCrds } from "../../../src/install/install-crds.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { clusternetCrds } from "../../../src/model/generated/clusternet-crds.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { AgentProcess } from "../../support/agent-process.ts";
import { clusternetAgentBinary } from "../../support/clusternet-agent-process.ts";
import { answerAsClusternet, clusternetDoor, forgetClusternet } from "../../support/clusternet-controllers.ts";
import type { LetInByClusternet } from "../../support/clusternet-controllers.ts";
import type { HubPlace } from "../../support/hub-under-test.ts";
import { tokenFile } from "../life/life-session.ts";
import type { RealAgentSession } from "./real-agent-session.ts";
import { openRealAgentSession } from "./real-agent-session.ts";
import { neverAborted } from "../../support/never-aborted.ts";

const { clusterRole, clusterRoleBinding, registrationRequest, role, roleBinding, serviceAccount } = resourceTypes;

/** The unmodified agent that Clusternet's approver admitted, on a hub that Rollcall takes over. */
export function describeTakenOverAgent(hub: HubPlace, child: HubPlace): void {
  // Clusternet's agent is built from its own project: ROLLCALL_CLUSTERNET_AGENT names the program.
  describe.skipIf(clusternetAgentBinary === undefined)(
    `Clusternet's own agent in ${child.name}, taken over on ${hub.name}`,
    () => {
      const name = `old-${randomUUID().slice(0, 6)}`;
      const door = `clusternet-${name.slice(4)}`;
      const switched = /switch to use bootstrap token/u;
      let session: RealAgentSession;
      let place = "";
      let flags: Record<string, string> = {};
      let agent: AgentProcess;
      let old: Omit<LetInByClusternet, "agent">;
      const restart = async (changed: Readonly<Record<string, string>> = {}) => {
        await agent.stop();
        flags = { ...flags, ...changed };
        agent = await session.run(place, flags);
      };
      beforeAll(async () => {
        session = await openRealAgentSession(await hub.start(), await child.start());
        const { api, namespace } = session;
        await applyCrds(api, clusternetCrds, { isForeignKept: true, signal: neverAborted() });
        for (const object of clusternetDoor(door, namespace)) await api.create(object, { fieldManager: "test" });
        const asked = { namespace, serviceAccount: door, expirationSeconds: 3600 };
        const { token } = await api.requestToken(asked);
        place = await session.childNamespace();
        const url = session.endpoint.url;
        flags = { "cluster-reg-parent-url": url, "cluster-reg-token": token, "cluster-reg-name": name };
        agent = await session.run(place, flags);
        const clusterId = await session.clusterIdIn(place);
        await session.untilRequest(clusterId, () => true);
        old = await answerAsClusternet(session, { clusterId, name, syncMode: "Pull" });
        await session.untilBeat(name, old.home);
      });
      afterAll(async () => {
        for (const type of [clusterRole, clusterRoleBinding]) await session.api.delete({ type, name: door });
        await session.stopDaemon();
        await forgetClusternet(session.api, old);
        await session.close();
      });

      it("keeps sending heartbeats when Rollcall takes its cluster over", async () => {
        const file = {
          apiVersion: "clusters.clusternet.io/v1beta1",
          kind: "ManagedCluster",
          metadata: { name, namespace: old.home, annotations: { "rollcall.dev/adopt": "true" } },
          spec: { clusterId: old.clusterId, clusterType: "StandardCluster", syncMode: "Pull" },
        };
        await session.startDaemon({ serves: [{ name: "clusternet", controllers: "Rollcall" }] });
        await session.commit({ "clusters/old.yaml": JSON.stringify(file) });
        await session.untilReady(name);
        await session.untilBeat(name, old.home);
      });

      it("starts again with what it has from Clusternet", async () => {
        await restart();
        await session.untilBeat(name, old.home);
        expect(agent.lines.join("\n")).not.toMatch(switched);
      });

      it("gets an account of Rollcall's with the flags of a token, when its former request is deleted", async () => {
        const { api } = session;
        const token = tokenFile("door", ["protocol: clusternet", `clusterNames: [${name}]`]);
        await session.commit({ "tokens/door.yaml": token });
        const request = `clusternet-${old.clusterId}`;
        await api.delete({ type: registrationRequest, name: request });
        await restart(await session.flagsOf("door", name));
        await session.untilRequest(old.clusterId, (seen) => textAt(seen, "status", "result") === "Approved");
        await session.untilBeat(name, old.home);
        expect(agent.lines.join("\n")).toMatch(switched);
        for (const type of [role, roleBinding])
          await api.delete({ type, namespace: old.home, name: "clusternet-managedcluster-role" });
        await api.delete({ type: serviceAccount, namespace: old.home, name: old.account });
        for (const type of [clusterRole, clusterRoleBinding]) await api.delete({ type, name: request });
        await session.untilBeat(name, old.home);
        await restart();
        await session.untilBeat(name, old.home);
        expect(agent.lines.join("\n")).not.toMatch(switched);
        await session.untilReady(name);
      });
    },
  );
}
