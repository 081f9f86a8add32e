import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const file = (name: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\nspec: {displayName: ${name}, deletionGracePeriod: 240h}\n`;
const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
const bad = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: bad}\nspec: {displayNmae: x}\n";
const remove = (...removed: string[]): Record<string, null> =>
  Object.fromEntries(removed.map((name) => [`${name}.yaml`, null]));

describe("A59 an approval of removals", () => {
  let session: DaemonSession;
  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    await session.repository.commit({
      files: Object.fromEntries(names.map((name) => [`${name}.yaml`, file(name)])),
      message: "Start\n",
    });
    await session.startDaemon({ spec: { deletionBudget: { maximum: 1 } } });
    expect(await session.settle()).toMatchObject({ isApplied: true });
  });
  afterAll(() => session.close());

  const leaving = async (): Promise<string[]> => {
    const { items } = await session.api.list(resourceTypes.cluster, { namespace: session.workspace });
    return items
      .flatMap(({ metadata }) => (metadata.annotations?.["rollcall.dev/leave"] ? [metadata.name] : []))
      .sort();
  };
  const status = async (): Promise<Repository["status"]> => {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    return ((await session.api.get(ref)) as Repository | undefined)?.status;
  };

  it("is spent once: with a bad file beside it, it lets no later removals through", async () => {
    await session.repository.commit({
      files: { ...remove("a", "b", "c", "d"), "bad.yaml": bad },
      message: "Remove four\n\nRollcall-Allow-Deletions: 4\n",
    });
    expect(await session.settle()).toMatchObject({ withheldCount: 0, errorCount: 1, isApplied: false });
    expect(await leaving()).toEqual(["a", "b", "c", "d"]);
    const head = await session.repository.head();
    expect(await status()).toMatchObject({
      settledCommit: head,
      scannedCommit: head,
      approvals: [{ commit: head, by: "Trailer", count: 4, spent: 4 }],
      waiting: { count: 1, first: [{ file: "bad.yaml", reason: "Errors", since: head }] },
    });
    expect((await status())?.removing).toBeUndefined();
    await session.repository.commit({ files: remove("e", "f", "g", "h"), message: "Remove four more\n" });
    expect(await session.settle()).toMatchObject({ withheldCount: 4 });
    expect(await leaving()).toEqual(["a", "b", "c", "d"]);
    expect((await status())?.waiting?.first[0]).toEqual({ file: "bad.yaml", reason: "Errors", since: head });
  });

  it("covers removals of commits before its own, and none of a later one in the same push", async () => {
    await session.stopDaemon();
    await session.repository.commit({ files: { "n.txt": "1" }, message: "Approve\n\nRollcall-Allow-Deletions: 9\n" });
    await session.repository.commit({ files: remove("i"), message: "Remove one more\n" });
    await session.startDaemon({ spec: { deletionBudget: { maximum: 1 } } });
    expect(await session.settle()).toMatchObject({ withheldCount: 5 });
    expect(await leaving()).toEqual(["a", "b", "c", "d"]);
    await session.repository.commit({ files: { "i.yaml": file("i") }, message: "Keep i\n" });
    expect(await session.settle()).toMatchObject({ withheldCount: 0 });
    expect(await leaving()).toEqual(["a", "b", "c", "d", "e", "f", "g", "h"]);
  });
});
