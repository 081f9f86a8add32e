import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const spec = { deletionBudget: { maximum: 1 } };
const file = (name: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\nspec: {deletionGracePeriod: 240h}\n`;
const filesOf = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${name}.yaml`, file(name)]));

// A remote that is behind its replicas for a moment cannot be distinguished from a force-push to an earlier commit.
describe("A59 an approval that is not used when the branch moves back", () => {
  let session: DaemonSession;
  beforeEach(async () => {
    session = await openDaemonSession(await readyHub());
    await session.repository.commit({ files: filesOf("a", "b", "c", "d") });
    await session.startDaemon({ spec });
    expect(await session.settle()).toMatchObject({ isApplied: true });
  });
  afterEach(() => session.close());

  const repositoryRef = () => ({ type: resourceTypes.repository, namespace: session.namespace, name: "fleet" });
  const readStatus = async (): Promise<Repository["status"]> =>
    ((await session.api.get(repositoryRef())) as Repository | undefined)?.status;
  const approve = async (commit: string, count: number): Promise<void> => {
    const annotations = { [annotationKeys.approvedDeletions]: `${commit} ${count} ${new Date().toISOString()}` };
    await session.api.mergePatch(repositoryRef(), { metadata: { annotations } }, { fieldManager: "rollcall-operator" });
  };
  const leaving = async (): Promise<string[]> => {
    const { items } = await session.api.list(resourceTypes.cluster, { namespace: session.workspace });
    return items
      .flatMap(({ metadata }) => (metadata.annotations?.[annotationKeys.leave] ? [metadata.name] : []))
      .sort();
  };
  const goBackTo = (commit: string): Promise<string> => session.repository.git("update-ref", "refs/heads/main", commit);
  const restart = async (): Promise<void> => {
    await session.stopDaemon();
    await session.startDaemon({ spec });
  };

  it.each([
    { reason: "one of a superseded commit, by command", isRestarted: false, isTrailer: false },
    { reason: "one of a superseded commit, by command, and a restart", isRestarted: true, isTrailer: false },
    { reason: "the trailer of the very commit that the branch moves back to", isRestarted: false, isTrailer: true },
    { reason: "its trailer, and a restart", isRestarted: true, isTrailer: true },
  ])("lets nothing through: $reason", async ({ isRestarted, isTrailer }) => {
    const first = (await session.repository.head()) ?? "";
    if (!isTrailer) await approve(first, 4);
    const message = isTrailer ? "Remove a\n\nRollcall-Allow-Deletions: 4\n" : "Remove a\n";
    // One removal is within the budget: no approval is used.
    const back = await session.repository.commit({ files: { "a.yaml": null }, message });
    expect(await session.settle()).toMatchObject({ withheldCount: 0 });
    await session.repository.commit({ files: filesOf("n") });
    expect(await session.settle()).toMatchObject({ withheldCount: 0 });
    expect((await readStatus())?.approvals).toMatchObject([{ count: 4, spent: 0 }]);
    await goBackTo(back);
    if (isRestarted) await restart();
    expect(await session.settle()).toMatchObject({ withheldCount: 1 });
    expect(await leaving()).toEqual(["a"]);
    expect((await readStatus())?.approvals).toMatchObject([{ count: 4, spent: 0, lapsed: true }]);
    // Neither when the branch continues from there.
    await session.repository.commit({ files: { "n.txt": "1" } });
    expect(await session.settle()).toMatchObject({ withheldCount: 1 });
    expect(await leaving()).toEqual(["a"]);
  });

  it("is replaced by one that is given afterwards", async () => {
    const back = await session.repository.commit({ files: { "a.yaml": null } });
    expect(await session.settle()).toMatchObject({ withheldCount: 0 });
    await session.repository.commit({ files: filesOf("n", "o") });
    expect(await session.settle()).toMatchObject({ withheldCount: 0 });
    await goBackTo(back);
    expect(await session.settle()).toMatchObject({ withheldCount: 2 });
    await approve(back, 2);
    expect(await session.settle()).toMatchObject({ withheldCount: 0 });
    expect(await leaving()).toEqual(["a", "n", "o"]);
  });

  it("is replaced by the trailer of a commit that takes the place of the head", async () => {
    await session.repository.commit({ files: { "a.yaml": null } });
    await session.settle();
    const parent = await session.repository.head();
    await session.repository.commit({ files: filesOf("n", "o") });
    await session.settle();
    const message = "Without n and o, and without b\n\nRollcall-Allow-Deletions: 3\n";
    await session.repository.commit({ from: parent ?? null, files: { "b.yaml": null }, message });
    expect(await session.settle()).toMatchObject({ withheldCount: 0 });
    expect(await leaving()).toEqual(["a", "b", "n", "o"]);
  });
});
