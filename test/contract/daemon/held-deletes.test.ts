import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const { clusterRegistrationToken: token, clusterGroup: group } = resourceTypes;
const header = "apiVersion: rollcall.dev/v1alpha1\n";
const cluster = `${header}kind: Cluster\nmetadata: {name: eu-1}\nspec: {displayName: eu-1}\n`;
const door = `${header}kind: ClusterRegistrationToken\nmetadata: {name: door}\nspec: {ttl: 240h}\n`;
const prod = `${header}kind: ClusterGroup\nmetadata: {name: prod}\nspec: {selector: {matchLabels: {env: prod}}}\n`;

describe("tokens and groups of a Repository that was made anew", () => {
  let session: DaemonSession;
  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    await session.repository.commit({ files: { "eu-1.yaml": cluster, "door.yaml": door, "prod.yaml": prod } });
    await session.startDaemon();
    expect(await session.settle()).toMatchObject({ isApplied: true });
    await session.stopDaemon();
    await session.api.delete({ type: resourceTypes.repository, namespace: session.namespace, name: "fleet" });
    await session.repository.commit({ files: { "door.yaml": null, "prod.yaml": null } });
    await session.startDaemon();
  });
  afterAll(() => session.close());

  const readStatus = async (): Promise<Repository["status"]> => {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    return ((await session.api.get(ref)) as Repository | undefined)?.status;
  };

  it("stay in each run, and are named, until they are approved", async () => {
    for (let run = 0; run < 2; run++) {
      expect(await session.settle()).toMatchObject({ isApplied: false, withheldCount: 2 });
      expect(await session.get(token, "door")).toBeDefined();
      expect(await session.get(group, "prod")).toBeDefined();
    }
    const status = await readStatus();
    expect(status?.appliedCommit).toBeUndefined();
    expect(status?.recentCommits?.[0]).toMatchObject({ outcome: "Withheld", counts: { withheld: 2 } });
    expect(status?.withheld).toMatchObject({ count: 2, reason: "not-applied-before" });
    expect(status?.withheld?.objects).toEqual([
      `ClusterRegistrationToken/${session.workspace}/door`,
      `ClusterGroup/${session.workspace}/prod`,
    ]);
    await session.repository.commit({
      files: { "notes.txt": "they are meant" },
      message: "Approve\n\nRollcall-Allow-Deletions: 0\n",
    });
    expect(await session.settle()).toMatchObject({ isApplied: true, withheldCount: 0 });
    await until(
      async () => [await session.get(token, "door"), await session.get(group, "prod")],
      (objects) => objects.every((object) => object === undefined),
    );
  });
});
