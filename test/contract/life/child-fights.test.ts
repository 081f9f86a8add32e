import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
});
