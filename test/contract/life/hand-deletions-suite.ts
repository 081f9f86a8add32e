import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, textAt } from "../../../src/core/read-json.ts";
import { readValuesText } from "../../../src/join/rollcall/downstream/values.ts";
import { readMemberState } from "../../../src/model/member-state.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { follow } from "../agent/fleet-session.ts";
import { installAgent } from "./install-agent.ts";
import type { HandDeletion } from "./hand-deletions.ts";
import { handDeletions } from "./hand-deletions.ts";
import { clusterFile, conditionReason, conditionStatus, openLifeSession, tokenFile } from "./life-session.ts";
import type { LifeSession } from "./life-session.ts";

const { cluster, clusterReport, configMap, lease, secret, serviceAccount } = resourceTypes;
const since = "2027-01-01T00:00:00Z";
const clusterOf = { declared: "kept", newcomer: "guest", token: "guest" } as const;

/** Manual deletions on the hub: the documented outcome is the real one. */
export function describeHandDeletions(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`manual deletions on ${name}`, () => {
    let session: LifeSession;
    const credentialOf = async (of: string) =>
      numberAt(await session.get(clusterReport, of), "spec", "credentialNumber") ?? 0;
    const valuesOf = async () => textAt(await session.get(secret, "door"), "data", "values");
    const untilBeat = async (of: string) => {
      const last = textAt(await session.get(lease, `rollcall-${of}`), "spec", "renewTime");
      await session.until(lease, `rollcall-${of}`, (seen) => (textAt(seen, "spec", "renewTime") ?? last) !== last);
    };
    const remove = (type: HandDeletion["type"], object: string) =>
      session.api.delete({ type, namespace: session.workspace, name: object });

    beforeAll(async () => {
      session = await openLifeSession(await startHub());
      const [kept, guest] = [session.agentNamespace(), session.agentNamespace()];
      await session.kubeconfigSecret("kubeconfig");
      await session.startDaemon();
      const spec = ["clientID: kept", "kubeConfigSecretRef: { name: kubeconfig }", `agent: { namespace: ${kept} }`];
      await session.commit({
        "clusters/kept.yaml": clusterFile("kept", [...spec, "heartbeat: { periodSeconds: 1 }"]),
        "tokens/door.yaml": tokenFile("door", ["ttl: 1h", "clusterLabels: { ring: outer }"]),
      });
      const filled = await session.until(secret, "door", (seen) => textAt(seen, "data", "values") !== undefined);
      const text = Buffer.from(textAt(filled, "data", "values") ?? "", "base64").toString("utf8");
      const finding = readValuesText(text);
      if (finding.kind !== "values") throw new Error("the token's values are not complete");
      const asked = { name: "guest", clientID: "guest" };
      await installAgent(session.api, guest, { ...finding.values, cluster: asked });
      await session.startAgent(guest, { factsPeriodMs: 500 });
      await session.startInstalledAgent(kept, { factsPeriodMs: 500 });
      await session.untilReady("guest");
      await session.untilReady("kept");
    });
    afterAll(async () => {
      await session.close();
    });

    it.each(handDeletions)("$object: $outcome", async ({ type, nameOf, owner, isRenewed, changesValues, isLost }) => {
      const of = clusterOf[owner];
      const object = nameOf(of, await credentialOf(of));
      const [before, credential, values] = [await session.get(type, object), await credentialOf(of), await valuesOf()];
      expect(before).toBeDefined();
      await remove(type, object);
      if (isRenewed) {
        // One credential in half a minute is all that an agent is given.
        const ref = { type: clusterReport, namespace: session.workspace, name: of };
        await follow(session.api, ref, (seen) => (numberAt(seen, "spec", "credentialNumber") ?? 0) > credential);
      }
      if (!isLost) {
        const again = await session.until(
          type,
          object,
          (seen) => seen !== undefined && seen.metadata.uid !== before?.metadata.uid,
        );
        if (owner === "newcomer") expect(again.metadata.labels).toMatchObject({ ring: "outer" });
      }
      if (changesValues) {
        await session.until(secret, "door", (seen) => (textAt(seen, "data", "values") ?? values) !== values);
      } else expect(await valuesOf()).toBe(values);
      await untilBeat(of === "guest" ? "kept" : of);
      const ready = await session.untilReady(of);
      expect(conditionStatus(ready, "Joined")).toBe("True");
      expect(textAt(ready, "status", "kubernetesVersion")).toMatch(/^v1\./u);
    });

    it("`Cluster` whose leave was called back: made again, and does not leave", async () => {
      // What a hub remembers that saw the offboarding, and was away when its file came back.
      await session.stopDaemon();
      const held = await session.get(configMap, "rollcall-cluster-kept");
      const remembered = { ...readMemberState(held), leave: { commit: "c0ffee".padEnd(40, "0"), since } };
      const ref = { type: configMap, namespace: session.workspace, name: "rollcall-cluster-kept" };
      const data = { memory: JSON.stringify(remembered) };
      await session.api.mergePatch(ref, { data }, { fieldManager: "test" });
      await session.startDaemon();
      await session.until(
        configMap,
        ref.name,
        (seen) => seen !== undefined && readMemberState(seen)?.leave === undefined,
      );
      const before = await session.untilReady("kept");
      await remove(cluster, "kept");
      const again = await session.until(
        cluster,
        "kept",
        (seen) => seen !== undefined && seen.metadata.uid !== before.metadata.uid,
      );
      expect(again.metadata.annotations).not.toHaveProperty("rollcall.dev/leave");
      await session.untilReady("kept");
      await untilBeat("kept");
    });

    it("state (ConfigMap `rollcall-cluster-<name>`): the agent continues to work, and no other agent is admitted as it", async () => {
      await remove(configMap, "rollcall-cluster-kept");
      await session.until(cluster, "kept", (seen) => conditionReason(seen, "Accepted") === "IdentityLost");
      await untilBeat("kept");
      expect(await session.get(serviceAccount, "rollcall-kept")).toBeDefined();
      const seen = await session.get(cluster, "kept");
      expect(conditionReason(seen, "Accepted")).toBe("IdentityLost");
    });

    it("`Cluster` without a file and its state: the cluster is unknown, and its credentials end", async () => {
      await session.stopDaemon();
      await remove(cluster, "guest");
      await remove(configMap, "rollcall-cluster-guest");
      await session.startDaemon();
      await session.untilDeleted(serviceAccount, "rollcall-guest");
      await session.untilDeleted(serviceAccount, "rollcall-guest.recovery");
      await session.untilDeleted(clusterReport, "guest");
      expect(await session.get(cluster, "guest")).toBeUndefined();
    });

    it("made no step between two states that docs/cluster-states.md does not list", () => {
      expect(session.impossibleSteps()).toEqual([]);
    });
  });
}
