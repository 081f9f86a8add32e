import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "../daemon/daemon-session.ts";
import { openDaemonSession } from "../daemon/daemon-session.ts";

const otherTool = { fieldManager: "other-tool" };
const rounds = 5;

describe("two owners of a field of a cluster's children", () => {
  let session: DaemonSession;
  beforeAll(async () => {
    session = await openDaemonSession(await embeddedHub());
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
