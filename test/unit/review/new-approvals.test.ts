import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { RemovalApproval } from "../../../src/model/generated/approval.ts";
import type { Repository, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { approvalKey } from "../../../src/planning/approvals.ts";
import type { ApprovalPlace } from "../../../src/review/read-approvals.ts";
import { readApprovals, unsignedApprovals } from "../../../src/review/read-approvals.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

const trailerOf = (count: number): string => `Change\n\nRollcall-Allow-Deletions: ${count}\n`;
const approvalOf = (commit: string, fields: Partial<RemovalApproval> = {}): RemovalApproval => ({
  ...{ commit, by: "Trailer", count: 2, spent: 0 },
  ...fields,
});

interface Place extends Partial<ApprovalPlace> {
  readonly status?: RepositoryStatus;
  readonly command?: string;
  readonly spec?: Partial<Repository["spec"]>;
}

/** Commits with these messages, and how the approvals are read at the last one. */
function open(...messages: readonly string[]) {
  const git = createMemoryGit();
  const ids = messages.map((message) => git.commit({}, message));
  const head = ids.at(-1) ?? "";
  const read = (place: Place = {}, engine: GitEngine = git) =>
    readApprovals(engine, {
      repository: {
        ...{ apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", spec: { url: "memory", ...place.spec } },
        metadata: { name: "fleet", annotations: { [annotationKeys.approvedDeletions]: place.command ?? "" } },
        ...(place.status ? { status: place.status } : {}),
      },
      ...{ head, base: undefined, reserved: new Set() },
      isInHistory: (commit) => git.isAncestor(commit, head),
      isSigned: () => Promise.resolve(true),
      ...place,
    });
  return { git, ids, head, read };
}

const shown = (approvals: readonly RemovalApproval[]) =>
  approvals.map(({ commit, count, lapsed = false }) => ({ commit, count, lapsed }));

describe("readApprovals", () => {
  it("finds the approvals of the commits after the base, oldest first, and which of them are new", async () => {
    const { ids, head, read } = open("Start\n", trailerOf(1), "Change\n", trailerOf(3));
    const [start = "", first = ""] = ids;
    const status = { appliedCommit: start, url: "memory" };
    const found = await read({ base: start, status });
    expect(found.known).toEqual([approvalOf(first, { count: 1 }), approvalOf(head, { count: 3 })]);
    expect([shown(found.atHead), shown(found.earlier)]).toMatchObject([[{ commit: head }], [{ commit: first }]]);
    expect([...found.isNew]).toEqual(found.known.map(approvalKey));
    const later = await read({
      base: start,
      status: { ...status, scannedCommit: first, approvals: [approvalOf(first)] },
    });
    expect(later.known).toEqual([approvalOf(first), approvalOf(head, { count: 3 })]);
    expect([...later.isNew]).toEqual([`Trailer/${head}`]);
  });

  it("reads the message of the head alone where there is no base", async () => {
    const { ids, head, read } = open(trailerOf(1), trailerOf(2));
    expect(shown((await read({ status: { appliedCommit: ids[0] ?? "", url: "memory" } })).known)).toEqual([
      { commit: head, count: 2, lapsed: false },
    ]);
  });

  it("reads nothing again of a head that was scanned", async () => {
    const { head, read } = open(trailerOf(1));
    expect((await read({ status: { scannedCommit: head } })).known).toEqual([]);
  });

  it("reads from the base on where the commit that was scanned is not in this history", async () => {
    const { git, ids, head, read } = open("Start\n", trailerOf(4));
    const beside = git.commit({}, "Beside\n", { parents: [], isBeside: true });
    const status = { scannedCommit: beside, appliedCommit: ids[0] ?? "", url: "memory" };
    expect(shown((await read({ base: ids[0], status })).known)).toEqual([{ commit: head, count: 4, lapsed: false }]);
  });

  it("lets what is remembered lapse when the branch left the history that was scanned", async () => {
    const { git, ids, read } = open("Start\n", "Change\n");
    const beside = git.commit({}, "Beside\n", { parents: [], isBeside: true });
    const approvals = [approvalOf(ids[0] ?? "")];
    const gone = await read({ base: ids[0], status: { scannedCommit: beside, approvals } });
    expect([shown(gone.known)[0]?.lapsed, gone.earlier]).toEqual([true, []]);
    for (const status of [{ approvals }, { approvals, scannedCommit: ids[0] ?? "" }])
      expect(shown((await read({ base: ids[0], status })).earlier)).toEqual([
        { commit: ids[0], count: 2, lapsed: false },
      ]);
  });

  it.each<[string, RepositoryStatus | undefined, boolean]>([
    ["nothing was settled", undefined, true],
    ["what was settled is of another address", { appliedCommit: "f".repeat(40), url: "other" }, true],
    ["what was settled is of this place", { appliedCommit: "f".repeat(40), url: "memory" }, false],
  ])(
    "lets a trailer lapse that the first run at a place finds, but no command: %s",
    async (_reason, status, isLapsed) => {
      const { head, read } = open(trailerOf(4));
      const { known, lapsedAtHead } = await read({ command: `${head} 1`, ...(status ? { status } : {}) });
      expect(known.map(({ by, lapsed = false }) => [by, lapsed])).toEqual([
        ["Trailer", isLapsed],
        ["Command", false],
      ]);
      expect(lapsedAtHead).toHaveLength(isLapsed ? 1 : 0);
    },
  );

  it("takes no place for new where a commit of its history was scanned", async () => {
    const { ids, head, read } = open("Start\n", trailerOf(4));
    const { known } = await read({ status: { scannedCommit: ids[0] ?? "" } });
    expect(shown(known)).toEqual([{ commit: head, count: 4, lapsed: false }]);
  });

  it("lets a new trailer lapse that no listed key signed, but no command and none that is remembered", async () => {
    const { ids, head, read } = open("Start\n", trailerOf(4));
    const place = { base: ids[0] ?? "", isSigned: () => Promise.resolve(false), command: `${head.slice(0, 7)} 1` };
    const status = { appliedCommit: ids[0] ?? "", url: "memory" };
    const found = await read({ ...place, status });
    expect(found.known.map(({ by, lapsed = false }) => [by, lapsed])).toEqual([
      ["Trailer", true],
      ["Command", false],
    ]);
    expect(shown(found.lapsedAtHead)).toEqual([{ commit: head, count: 4, lapsed: true }]);
    const remembered = await read({ ...place, command: "", status: { ...status, approvals: [approvalOf(head)] } });
    expect(shown(remembered.known)).toEqual([{ commit: head, count: 2, lapsed: false }]);
  });

  it.each<[string, Partial<RemovalApproval>, boolean]>([
    ["used up", { count: 2, spent: 2 }, false],
    ["used in part", { count: 2, spent: 1 }, true],
    ["lapsed", { lapsed: true }, false],
  ])("counts an earlier approval that is %s: %s", async (_what, fields, isCounted) => {
    const { ids, read } = open("Start\n", "Change\n");
    const approval = approvalOf(ids[0] ?? "", fields);
    const status = { approvals: [approval], scannedCommit: ids[0] ?? "" };
    expect((await read({ base: ids[0], status })).earlier).toEqual(isCounted ? [approval] : []);
  });

  it("counts one that is used up by removals which were perhaps not carried out", async () => {
    const { ids, read } = open("Start\n", "Change\n");
    const approval = approvalOf(ids[0] ?? "", { spent: 2 });
    const place = { base: ids[0], status: { approvals: [approval], scannedCommit: ids[0] ?? "" } };
    expect((await read({ ...place, reserved: new Set([approvalKey(approval)]) })).earlier).toEqual([approval]);
  });

  it("names no approval at the head as lapsed that is used up", async () => {
    const { head, read } = open("Start\n");
    const lapsed = approvalOf(head, { lapsed: true, spent: 1 });
    const place = { base: head, status: { approvals: [lapsed], scannedCommit: head } };
    expect((await read(place)).lapsedAtHead).toEqual([lapsed]);
    const spent = { ...place.status, approvals: [{ ...lapsed, spent: 2 }] };
    expect((await read({ ...place, status: spent })).lapsedAtHead).toEqual([]);
  });
});

describe("an approval by command", () => {
  const many = Array.from({ length: 201 }, (_, index) => `Change ${index}\n`);

  it.each([
    ["of the head", 0, true],
    ["199 commits before the head", 199, true],
    ["200 commits before the head", 200, false],
  ])("is one of a commit %s: %s", async (_place, behind, isFound) => {
    const { ids, read } = open(...many);
    const commit = ids.at(-1 - behind) ?? "";
    const { known } = await read({ command: `${commit.slice(0, 12)} 1` });
    expect(known.map((approval) => approval.commit)).toEqual(isFound ? [commit] : []);
  });

  it("approves nothing where its commit is unknown, or the clone ends before it", async () => {
    const { git, ids, read } = open("Start\n", "Change\n");
    expect((await read({ command: "fffffff 1" })).known).toEqual([]);
    const endsAt = (code: "E_GIT_OBJECT" | "E_GIT_CORRUPT"): GitEngine => ({
      ...git,
      readCommit: (id) => (id === ids[0] ? Promise.reject(new AppError(code, "read a commit")) : git.readCommit(id)),
    });
    const command = `${ids[0]} 1`;
    expect((await read({ command }, endsAt("E_GIT_OBJECT"))).known).toEqual([]);
    await expect(read({ command }, endsAt("E_GIT_CORRUPT"))).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
  });
});

describe("unsignedApprovals", () => {
  it.each<[string, Partial<RemovalApproval>, { isInHistory?: boolean; isSigned?: boolean }, boolean]>([
    ["of an unsigned commit that lapsed", {}, {}, true],
    ["by command", { by: "Command" }, {}, false],
    ["that did not lapse", { lapsed: false }, {}, false],
    ["that is used up", { spent: 2 }, {}, false],
    ["of another history", {}, { isInHistory: false }, false],
    ["of a signed commit", {}, { isSigned: true }, false],
  ])("names the trailer %s: %s", async (_what, fields, { isInHistory = true, isSigned = false }, isNamed) => {
    const approval = approvalOf("c1", { lapsed: true, ...fields });
    const found = await unsignedApprovals([approval], {
      isInHistory: () => Promise.resolve(isInHistory),
      isSigned: () => Promise.resolve(isSigned),
    });
    expect(found).toEqual(isNamed ? [approval] : []);
  });
});
