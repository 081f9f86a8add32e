import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCrds } from "../../../src/install/install-crds.ts";
import { textAt, textMapAt } from "../../../src/core/read-json.ts";
import { dedicatedNamespaceName } from "../../../src/model/dialects/clusternet.ts";
import { clusternetCrds } from "../../../src/model/generated/clusternet-crds.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { clusternetAgentBinary } from "../../support/clusternet-agent-process.ts";
import { answerAsClusternet, clusternetDoor, forgetClusternet } from "../../support/clusternet-controllers.ts";
import type { LetInByClusternet } from "../../support/clusternet-controllers.ts";
import type { HubPlace } from "../../support/hub-under-test.ts";
import { clusterFile } from "../life/life-session.ts";
import type { RealAgentSession } from "./real-agent-session.ts";
import { openRealAgentSession } from "./real-agent-session.ts";
import { neverAborted } from "../../support/never-aborted.ts";

const { cluster, clusterRole, clusterRoleBinding, deployment } = resourceTypes;

/** The unmodified agent that Rollcall installs on a hub which Clusternet's own controllers serve. */
export function describeExternalAgent(hub: HubPlace, child: HubPlace): void {
  // Clusternet's agent is built from its own project: ROLLCALL_CLUSTERNET_AGENT names the program.
  describe.skipIf(clusternetAgentBinary === undefined)(
    `Clusternet's own agent in ${child.name}, for Clusternet's controllers on ${hub.name}`,
    () => {
      const id = randomUUID().slice(0, 6);
      const [name, door] = [`ex-${id}`, `clusternet-${id}`];
      const place = `clusternet-${randomUUID().slice(0, 8)}`;
      let session: RealAgentSession;
      let answered: Omit<LetInByClusternet, "agent"> | undefined;
      beforeAll(async () => {
        session = await openRealAgentSession(await hub.start(), await child.start());
        const { api, namespace, workspace } = session;
        await applyCrds(api, clusternetCrds, { isForeignKept: true, signal: neverAborted() });
        for (const object of clusternetDoor(door, namespace)) await api.create(object, { fieldManager: "test" });
        const asked = { namespace, serviceAccount: door, expirationSeconds: 3600 };
        const { token } = await api.requestToken(asked);
        for (const [secret, key, text] of [
          ["child-kubeconfig", "value", session.childKubeconfig],
          ["registration", "token", token],
        ] as const) {
          const data = { [key]: Buffer.from(text, "utf8").toString("base64") };
          const metadata = { name: secret, namespace: workspace };
          await api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "test" });
        }
        await session.startDaemon({ serves: [{ name: "clusternet", controllers: "External" }] });
      });
      afterAll(async () => {
        for (const type of [clusterRole, clusterRoleBinding]) await session.api.delete({ type, name: door });
        await session.stopDaemon();
        if (answered) await forgetClusternet(session.api, answered);
        await session.close();
      });

      it("asks by what its file names, is known by what the approver makes, and is Ready with its first report", async () => {
        const file = clusterFile(name, [
          ...["protocol: clusternet", "kubeConfigSecretRef: { name: child-kubeconfig }"],
          ...[`agent: { namespace: ${place} }`, "heartbeat: { periodSeconds: 2 }"],
          "clusternet: { bootstrapSecretRef: { name: registration } }",
        ]);
        await session.commit({ "clusters/ex.yaml": file });
        await session.runInstalled(place);
        const clusterId = await session.clusterIdIn(place);
        const request = await session.untilRequest(clusterId, () => true);
        const home = textAt(request, "spec", "clusterNamespace") ?? "";
        expect(home).toBe(dedicatedNamespaceName(session.workspace, name));
        const labels = textMapAt(request, "spec", "clusterLabels");
        answered = await answerAsClusternet(session, { clusterId, name, syncMode: "Pull", labels, home });
        await session.untilReady(name);
        await session.untilBeat(name, home);
      });

      it("is removed with its file", async () => {
        // A tree that declares nothing at all would remove nothing.
        await session.commit({ "clusters/other.yaml": clusterFile(`other-${id}`) });
        await session.commit({ "clusters/ex.yaml": null }, "Leave\n\nRollcall-Allow-Deletions: 1\n");
        await session.untilDeleted(cluster, name);
        const ref = { type: deployment, namespace: place, name: "clusternet-agent" };
        expect(await session.childApi.get(ref)).toBeUndefined();
      });
    },
  );
}
