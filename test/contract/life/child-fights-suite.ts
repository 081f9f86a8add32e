import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { AuditedHub } from "../../support/audited-hub.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";

const otherTool = { fieldManager: "other-tool" };
const rounds = 5;
/** Writes of another program that answers each revert at once. */
const answers = 8;

/** Another program changes what the hub makes for clusters and tokens: each of its writes is answered by at most one. */
export function describeChildFights(hubName: string, startHub: () => Promise<AuditedHub>): void {
  describe(`two owners of a field of a cluster's children on ${hubName}`, () => {
    let session: DaemonSession;
    beforeAll(async () => {
      session = await openDaemonSession(await startHub());
      await session.startDaemon({ serves: [{ name: "kubefleet", controllers: "Rollcall" }] });
      await session.repository.commit({
        files: {
          "eu-1.yaml": JSON.stringify({
            apiVersion: "rollcall.dev/v1alpha1",
            kind: "Cluster",
            metadata: { name: "eu-1" },
            spec: { protocol: "kubefleet", heartbeat: { periodSeconds: 30 } },
          }),
        },
      });
      await session.settle();
    });
    afterAll(() => session.close());

    const ref = { type: resourceTypes.memberCluster, name: "eu-1" };
    const read = () => session.api.get(ref);
    const isWanted = (seen: KubeObject | undefined): boolean =>
      (seen?.["spec"] as { heartbeatPeriodSeconds?: number } | undefined)?.heartbeatPeriodSeconds === 30;

    it("F13 has each change of the other one reverted by one write, and what is only the other's is kept", async () => {
      const before = await until(read, isWanted);
      const mine = { metadata: { annotations: { "other-tool/note": "kept" } } };
      await session.api.mergePatch(ref, mine, otherTool);
      for (let round = 0; round < rounds; round++) {
        await session.api.mergePatch(ref, { spec: { heartbeatPeriodSeconds: 60 } }, otherTool);
        await until(read, isWanted);
      }
      await session.whenIdle();
      const after = await read();
      expect(after?.metadata.generation).toBe((before?.metadata.generation ?? 0) + 2 * rounds);
      expect(after?.metadata.annotations).toMatchObject({ "other-tool/note": "kept" });
    });

    it("F13 is named by a condition of the Cluster, and by an Event", async () => {
      const message =
        "Field manager other-tool keeps changing spec.heartbeatPeriodSeconds of MemberCluster.cluster.kubernetes-fleet.io/eu-1; Rollcall reverts it each time. Stop the other writer.";
      const stalled = await until(
        async () =>
          objectsAt(await session.get(resourceTypes.cluster, "eu-1"), "status", "conditions").find(
            (condition) => textAt(condition, "type") === "Stalled",
          ),
        (found) => found !== undefined,
      );
      expect(stalled).toMatchObject({ status: "True", reason: "FieldFight", message });
      const told = await until(
        async () => (await session.api.list(resourceTypes.event, { namespace: session.workspace })).items,
        (items) => items.some((event) => event["reason"] === "FieldFight"),
      );
      const texts = told.filter((event) => event["reason"] === "FieldFight").map((event) => textAt(event, "message"));
      expect(texts).toEqual([message]);
    });
  });

  describe(`two owners of a field of a token's objects on ${hubName}`, () => {
    let hub: AuditedHub;
    let session: DaemonSession;
    beforeAll(async () => {
      hub = await startHub();
      session = await openDaemonSession(hub, { daemonKubeconfig: hub.daemonKubeconfig });
      await session.startDaemon();
      await session.repository.commit({
        files: {
          "token.yaml": JSON.stringify({
            apiVersion: "rollcall.dev/v1alpha1",
            kind: "ClusterRegistrationToken",
            metadata: { name: "edge" },
            spec: { ttl: "240h" },
          }),
        },
      });
      await session.settle();
    });
    afterAll(() => session.close());

    const refOf = (type: ResourceType, name: string) => ({ type, namespace: session.workspace, name });
    const stalled = async (): Promise<JsonObject | undefined> =>
      objectsAt(await session.get(resourceTypes.clusterRegistrationToken, "edge"), "status", "conditions").find(
        (condition) => textAt(condition, "type") === "Stalled",
      );

    it("F13 has each change of a right reverted, and the fight is named by a condition of the token and by an Event", async () => {
      const ref = refOf(resourceTypes.role, "rollcall.token.edge");
      const rulesOf = (role: KubeObject | undefined): unknown => role?.["rules"];
      const wanted = rulesOf(
        await until(
          () => session.api.get(ref),
          (role) => role !== undefined,
        ),
      );
      const isWanted = (role: KubeObject | undefined): boolean => isDeepStrictEqual(rulesOf(role), wanted);
      const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] }];
      const written = await countWrites(hub, { resource: "roles", name: ref.name }, async () => {
        for (let round = 0; round < answers; round++) {
          await session.api.mergePatch(ref, { rules }, otherTool);
          await until(() => session.api.get(ref), isWanted);
        }
      });
      expect(written).toBe(answers);
      const message = `Field manager other-tool keeps changing rules of Role/${session.workspace}/rollcall.token.edge; Rollcall reverts it each time. Stop the other writer.`;
      expect(await until(stalled, (found) => found !== undefined)).toMatchObject({ reason: "FieldFight", message });
      const texts = await until(
        async () => (await session.api.list(resourceTypes.event, { namespace: session.workspace })).items,
        (items) => items.some((event) => event["reason"] === "FieldFight"),
      );
      expect(
        texts.filter((event) => event["reason"] === "FieldFight").map((event) => textAt(event, "message")),
      ).toEqual([message]);
    });

    it("F13 has values that another program keeps replacing issued once for each of its writes", async () => {
      const ref = refOf(resourceTypes.secret, "edge");
      const valuesOf = (secret: KubeObject | undefined): string => textAt(secret, "data", "values") ?? "";
      const foreign = Buffer.from("not ours").toString("base64");
      const isIssued = (secret: KubeObject | undefined): boolean => ![foreign, ""].includes(valuesOf(secret));
      await until(() => session.api.get(ref), isIssued);
      const issued = new Set<string>();
      const written = await countWrites(hub, { resource: "secrets", name: ref.name }, async () => {
        for (let round = 0; round < answers; round++) {
          await session.api.mergePatch(ref, { data: { values: foreign } }, otherTool);
          issued.add(valuesOf(await until(() => session.api.get(ref), isIssued)));
        }
      });
      expect(issued.size).toBe(answers);
      expect(written).toBe(answers);
      await until(
        async () => textAt(await stalled(), "message"),
        (message) => message?.includes("keeps changing") === true,
      );
    });
  });
}

/** How often the daemon wrote an object while something was done. */
async function countWrites(
  hub: AuditedHub,
  { resource, name }: { readonly resource: string; readonly name: string },
  act: () => Promise<void>,
): Promise<number> {
  const count = async (): Promise<number> =>
    (await hub.writes()).filter((write) => write.resource === resource && write.name === name).length;
  const before = await count();
  await act();
  return (await count()) - before;
}
