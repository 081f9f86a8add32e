import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { ed25519Signer } from "../../unit/signatures/signature-builders.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const names = ["a", "b", "c", "d"];
const trailer = "Rollcall-Allow-Deletions: 9";
const file = (name: string): string =>
  JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name },
    spec: { deletionGracePeriod: "240h" },
  });

describe("A59 an approval of removals where spec.verify asks for signatures", () => {
  const signer = ed25519Signer();
  const stranger = ed25519Signer();
  let session: DaemonSession;
  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    const { api, namespace } = session;
    await api.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "signers", namespace },
        stringData: { team: signer.line },
      },
      { fieldManager: "test" },
    );
    await commit(Object.fromEntries(names.map((name) => [`${name}.yaml`, file(name)])), "Start\n", signer);
    await session.startDaemon({
      spec: { verify: { keysSecretRef: { name: "signers" } }, deletionBudget: { percent: 0, minimum: 0 } },
    });
    await session.settle();
    await commit({ "a.yaml": null, "b.yaml": null }, "Remove two\n", signer);
    expect(await session.settle()).toMatchObject({ withheldCount: 2 });
  });
  afterAll(() => session.close());

  /** A commit on top of the branch, by a signer or unsigned. */
  const commit = async (
    files: Readonly<Record<string, string | null>>,
    message: string,
    by?: typeof signer,
  ): Promise<void> => {
    const git = await openLocalEngine(session.repository.path, `${session.repository.path}.signer`);
    await git.commitAndPush({
      branch: "main",
      parent: await session.repository.head(),
      changes: new Map(Object.entries(files)),
      message,
      author: { name: "Alice", email: "alice@example.org" },
      committedAtMs: Date.now(),
      ...(by ? { sign: async (payload) => by.sign({ payload: Buffer.from(payload) }).armoured } : {}),
    });
    await git.close();
  };
  const status = async (): Promise<Repository["status"]> => {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    return ((await session.api.get(ref)) as Repository | undefined)?.status;
  };
  const leaving = async (): Promise<string[]> => {
    const { items } = await session.api.list(resourceTypes.cluster, { namespace: session.workspace });
    return items
      .flatMap(({ metadata }) => (metadata.annotations?.["rollcall.dev/leave"] ? [metadata.name] : []))
      .sort();
  };
  /** The problems on the status branch, as soon as it has those of this commit. */
  const problemsAt = (commit: string | undefined): Promise<string> =>
    until(
      () => session.repository.git("show", "rollcall/status:problems.yaml"),
      (text) => text.includes(`commit: ${commit}`),
    );
  const emptyCommit = async (by: "nobody" | "stranger"): Promise<void> => {
    if (by === "stranger") return commit({ "n.txt": null }, `Approve\n\n${trailer}\n`, stranger);
    const { repository } = session;
    const tree = (await repository.git("rev-parse", "main^{tree}")).trim();
    const made = await repository.git("commit-tree", tree, "-p", "main", "-m", `Approve\n\n${trailer}\n`);
    await repository.git("update-ref", "refs/heads/main", made.trim());
  };

  it.each(["nobody", "stranger"] as const)(
    "approves nothing from a commit without files that %s signed, and reports it while removals are withheld",
    async (by) => {
      await emptyCommit(by);
      for (let run = 0; run < 2; run++) {
        expect(await session.settle()).toMatchObject({ withheldCount: 2 });
        expect(await problemsAt(await session.repository.head())).toMatch(
          /E_APPROVAL[^]*no listed key signed that commit/u,
        );
        expect(await leaving()).toEqual([]);
      }
      const head = await session.repository.head();
      expect((await status())?.approvals?.at(-1)).toMatchObject({ commit: head, count: 9, spent: 0, lapsed: true });
    },
  );

  it("counts in a commit that a listed key signed", async () => {
    await commit({ "n.txt": "1" }, `Approve\n\n${trailer}\n`, signer);
    expect(await session.settle()).toMatchObject({ withheldCount: 0 });
    expect(await problemsAt(await session.repository.head())).not.toContain("E_APPROVAL");
    expect(await leaving()).toEqual(["a", "b"]);
  });
});
