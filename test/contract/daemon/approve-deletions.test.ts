import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runApproveDeletions } from "../../../src/cli/commands/operate.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const names = ["c1", "c2", "c3", "c10", "kept"];
const file = (name: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\nspec: {deletionGracePeriod: 240h}\n`;

describe("A59 approve-deletions at a running daemon", () => {
  let session: DaemonSession;
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let superseded: string;
  let head: string;
  beforeAll(async () => {
    const hub = await readyHub();
    folder = await makeTempFolder();
    await writeFile(join(folder.path, "kubeconfig"), hub.kubeconfig);
    session = await openDaemonSession(hub);
    await session.repository.commit({ files: Object.fromEntries(names.map((name) => [`${name}.yaml`, file(name)])) });
    await session.startDaemon({ spec: { deletionBudget: { maximum: 1 } } });
    expect(await session.settle()).toMatchObject({ isApplied: true });
    superseded = await session.repository.commit({ files: { "c1.yaml": null, "c2.yaml": null, "c3.yaml": null } });
    expect(await session.settle()).toMatchObject({ withheldCount: 3 });
    head = await session.repository.commit({ files: { "c10.yaml": null } });
    expect(await session.settle()).toMatchObject({ withheldCount: 4 });
  });
  afterAll(async () => {
    await session.close();
    await folder.remove();
  });

  const approve = (commit: string, count: number | string) =>
    runCommand("approve-deletions", runApproveDeletions, {
      args: [commit, String(count)],
      options: { kubeconfig: join(folder.path, "kubeconfig"), namespace: session.namespace, repository: "fleet" },
    });
  const readRepository = async (): Promise<Repository | undefined> => {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    return (await session.api.get(ref)) as Repository | undefined;
  };
  const leaving = async (): Promise<string[]> => {
    const { items } = await session.api.list(resourceTypes.cluster, { namespace: session.workspace });
    return items.flatMap(({ metadata }) => (metadata.annotations?.["rollcall.dev/leave"] ? [metadata.name] : []));
  };

  it.each([
    { reason: "a commit that does not exist", commit: () => "1234567", count: 9, says: "is not the commit" },
    { reason: "a superseded commit", commit: () => superseded.slice(0, 12), count: 9, says: "is superseded" },
    { reason: "a count that is too small", commit: () => head.slice(0, 12), count: 3, says: "3 are too few" },
  ])("refuses $reason, writes nothing, and prints the command to type", async ({ commit, count, says }) => {
    const refusal: unknown = await approve(commit(), count).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "E_APPROVAL", message: expect.stringContaining(says) as string });
    expect(refusal).toMatchObject({
      message: expect.stringContaining(`rollcall approve-deletions ${head.slice(0, 12)} 4`) as string,
    });
    expect((await readRepository())?.metadata.annotations ?? {}).not.toHaveProperty("rollcall.dev/approved-deletions");
    expect(await session.settle()).toMatchObject({ withheldCount: 4 });
    expect(await leaving()).toEqual([]);
  });

  it.each([
    { commit: "main", count: "4", message: "main is no id of a commit" },
    { commit: "123456", count: "4", message: "123456 is no id of a commit" },
    { commit: "1234567", count: "all", message: "all is no number of removals" },
    { commit: "1234567", count: "-4", message: "-4 is no number of removals" },
  ])("names the argument that is wrong: $commit $count", async ({ commit, count, message }) => {
    await expect(approve(commit, count)).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.stringContaining(message) as string,
    });
  });

  it("lets the withheld removals through, once, and names them in their order", async () => {
    const { code, text } = await approve(head.slice(0, 12), 4);
    expect({ code, text }).toEqual({
      code: 0,
      text: expect.stringMatching(
        /^4 withheld removals of commit [0-9a-f]{12} are approved \(Cluster\/\S+\/c1, Cluster\/\S+\/c2, Cluster\/\S+\/c3, Cluster\/\S+\/c10\)\. /u,
      ) as string,
    });
    await until(leaving, (found) => found.length === 4);
    const seen = await until(readRepository, (found) => found?.status?.withheld === undefined);
    expect(seen?.status?.approvals).toMatchObject([{ commit: head, by: "Command", count: 4, spent: 4 }]);
    expect(seen?.status?.deletions?.count).toBe(4);
    await expect(approve(head.slice(0, 12), 4)).rejects.toMatchObject({ code: "E_APPROVAL" });
  });

  it("does not hold for a later commit", async () => {
    await session.repository.commit({ files: { "kept.yaml": null, "new.yaml": file("new") } });
    expect(await session.settle()).toMatchObject({ withheldCount: 1 });
    expect(await leaving()).not.toContain("kept");
  });
});
