import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { FleetSummary } from "../../../src/model/generated/fleet-summary.ts";
import { memberStateName } from "../../../src/model/member-state.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { clusterFile, conditionReason, openLifeSession, tokenFile } from "./life-session.ts";
import type { LifeSession } from "./life-session.ts";

const { cluster, clusterGroup, clusterRegistrationToken, event, secret } = resourceTypes;
const kubectl = { fieldManager: "kubectl-client-side-apply" };

/** Objects of our own kinds, labels and fields that a person writes to the hub: git declares none of it, so none is served. */
export function describeByHand(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`what a person writes to the hub on ${name}`, () => {
    let session: LifeSession;

    beforeAll(async () => {
      session = await openLifeSession(await startHub());
      await session.startDaemon();
    });
    afterAll(() => session.close());

    const make = (kind: string, objectName: string, spec: object): Promise<KubeObject> => {
      const metadata = { name: objectName, namespace: session.workspace };
      return session.api.create({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata, spec }, kubectl);
    };

    it("A62: a token that no file declares gets no values, and its status reports it", async () => {
      await make("ClusterRegistrationToken", "by-hand", { ttl: "1h" });
      const token = await session.until(clusterRegistrationToken, "by-hand", (seen) => reasonOf(seen, "Ready") !== "");
      expect(reasonOf(token, "Ready")).toBe("NotInGit");
      expect(await session.get(secret, "by-hand")).toBeUndefined();

      const adopting = "metadata:\n  annotations: { rollcall.dev/adopt: 'true' }";
      const file = tokenFile("by-hand", ["ttl: 1h"]).replace("metadata:", adopting);
      await session.commit({ "tokens/by-hand.yaml": file });
      await session.until(secret, "by-hand", (seen) => textAt(seen, "data", "values") !== undefined);
    });

    it("A62: a Cluster that no file declares gets no account, and its status reports it", async () => {
      await make("Cluster", "stray", {});
      const stray = await session.until(cluster, "stray", (seen) => reasonOf(seen, "Accepted") !== "");
      expect(reasonOf(stray, "Accepted")).toBe("NotInGit");
      expect(await session.get(resourceTypes.configMap, memberStateName("stray"))).toBeUndefined();
      const children = await session.api.list(resourceTypes.serviceAccount, { namespace: session.workspace });
      expect(children.items.filter(({ metadata }) => metadata.labels?.["rollcall.dev/cluster"] === "stray")).toEqual(
        [],
      );
    });

    it("A62: a label that is set on the hub reaches no group, and its Cluster reports it until it is removed", async () => {
      await session.commit({
        "clusters/labelled.yaml": clusterFile("labelled", []),
        "groups/site.yaml": JSON.stringify({
          apiVersion: "rollcall.dev/v1alpha1",
          kind: "ClusterGroup",
          metadata: { name: "site" },
          spec: { selector: { matchLabels: { site: "x" } } },
        }),
      });
      const ref = { type: cluster, namespace: session.workspace, name: "labelled" };
      await session.api.mergePatch(ref, { metadata: { labels: { site: "x" } } }, { fieldManager: "kubectl-label" });
      const told = await session.until(cluster, "labelled", (seen) => reasonOf(seen, "Declared") !== "");
      expect(messageOf(told, "Declared")).toContain("metadata.labels[site] (kubectl-label)");
      const group = await session.until(clusterGroup, "site", (seen) => reasonOf(seen, "Ready") !== "");
      expect(group["status"]).toMatchObject({ clusters: 0 });

      await session.api.mergePatch(ref, { metadata: { labels: { site: null } } }, { fieldManager: "kubectl-label" });
      await session.until(cluster, "labelled", (seen) => reasonOf(seen, "Declared") === "");
    });

    it("Events, and the status branch, name what is on the hub and in no file", async () => {
      await make("Cluster", "forgotten", {});
      await session.until(cluster, "forgotten", (seen) => reasonOf(seen, "Accepted") === "NotInGit");
      const reasons = async (): Promise<readonly unknown[]> => {
        const { items } = await session.api.list(event, { namespace: session.workspace });
        const about = items.filter((seen) => textAt(seen, "involvedObject", "name") === "forgotten");
        return about.map((seen) => textAt(seen, "reason"));
      };
      expect(await until(reasons, (told) => told.length > 0)).toEqual(["NotInGit"]);

      await session.commit({ "notes.txt": "A commit whose status is written at once." });
      const object = `Cluster/${session.workspace}/forgotten`;
      const summary = parse(await session.repository.git("show", "rollcall/status:summary.yaml")) as FleetSummary;
      expect(summary.hubObjects?.count).toBe(summary.hubObjects?.first.length);
      expect(summary.hubObjects?.first).toContainEqual({ object, reason: "NotInGit" });
      const page = await session.repository.git("show", "rollcall/status:README.md");
      expect(page).toContain("## On the hub, not in git");
      expect(page).toContain(`| ${object} | no file declares it, so nothing serves it |`);
    });

    it("A62: a field that is set on the hub is not served", async () => {
      await session.commit({ "clusters/edited.yaml": clusterFile("edited", []) });
      const ref = { type: cluster, namespace: session.workspace, name: "edited" };
      await session.until(cluster, "edited", (seen) => reasonOf(seen, "Accepted") === "Accepted");
      const patch = { spec: { heartbeat: { periodSeconds: 7 } } };
      await session.api.mergePatch(ref, patch, { fieldManager: "kubectl-edit" });
      const told = await session.until(cluster, "edited", (seen) => reasonOf(seen, "Declared") !== "");
      expect(messageOf(told, "Declared")).toContain("spec.heartbeat.periodSeconds (kubectl-edit)");
      expect(told["status"]).not.toMatchObject({ effective: { heartbeat: { periodSeconds: 7 } } });
    });
  });
}

function reasonOf(object: KubeObject | undefined, type: string): string {
  return conditionReason(object, type) ?? "";
}

function messageOf(object: KubeObject | undefined, type: string): string {
  const condition = objectsAt(object, "status", "conditions").find((candidate) => candidate["type"] === type);
  return textAt(condition, "message") ?? "";
}
