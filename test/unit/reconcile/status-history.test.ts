import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Commit, GitEngine } from "../../../src/git/git.ts";
import { statusAuthor } from "../../../src/reconcile/status-branches.ts";
import { StatusHistory } from "../../../src/reconcile/status-history.ts";
import type { HistoryRequest } from "../../../src/reconcile/status-history.ts";

const dayMs = 86_400_000;
const startMs = Date.parse("2026-01-01T00:00:00Z");
const branch = "rollcall/status";
const past = "rollcall/status-past";
const owner = { hubId: "hub-1", repository: "system.fleet", adopted: undefined };

const idOf = (number: number): string => number.toString(16).padStart(40, "0");

interface LineOptions {
  readonly length: number;
  /** Days from one commit to the next. Default 1. */
  readonly step?: number;
  /** What of a commit is another. */
  readonly changed?: Readonly<Record<number, Partial<Commit>>>;
  readonly branches?: Readonly<Record<string, string>>;
  /** Files of a commit, by number and path. */
  readonly files?: Readonly<Record<number, Readonly<Record<string, string>>>>;
}

/** A branch of commits 1 to `length`, the first of which is made at the start, and the commits that were read. */
function openLine({ length, step = 1, changed = {}, branches = {}, files = {} }: LineOptions) {
  const read: string[] = [];
  const numberOf = (id: string): number => Number.parseInt(id, 16);
  const commit = (id: string): Commit => ({
    ...{ id, treeId: id, author: statusAuthor, message: "status" },
    parents: numberOf(id) === 1 ? [] : [idOf(numberOf(id) - 1)],
    committedAtMs: startMs + (numberOf(id) - 1) * step * dayMs,
    ...changed[numberOf(id)],
  });
  const git: Partial<GitEngine> = {
    readCommit: async (id) => {
      read.push(id);
      return commit(id);
    },
    listFiles: async (id, paths = []) =>
      paths.flatMap((path) => {
        const isThere = files[numberOf(id)]?.[path] !== undefined;
        return isThere ? [{ path, blobId: `${numberOf(id)} ${path}`, mode: "file" as const }] : [];
      }),
    readBlob: async (id) => {
      const [number = "", path = ""] = id.split(" ");
      return new TextEncoder().encode(files[Number(number)]?.[path] ?? "");
    },
    listBranches: async () => new Map([[branch, idOf(length)], ...Object.entries(branches)]),
    isAncestor: async (ancestor, descendant) => numberOf(ancestor) <= numberOf(descendant) && numberOf(ancestor) > 0,
  };
  const history = new StatusHistory(git as GitEngine);
  const look = (request: Partial<HistoryRequest> & { readonly day: number }) => {
    const { day, ...rest } = request;
    const base = { branch, head: idOf(length), days: 30, owner, signal: new AbortController().signal };
    return history.evaluate({ ...base, nowMs: startMs + day * dayMs, ...rest });
  };
  return { history, look, read };
}

const summaryOf = (since: string, more = {}): string =>
  JSON.stringify({ kind: "FleetSummary", history: { since, after: idOf(77), branch: past, ...more } });
const signatureOf = (claims: object): string =>
  JSON.stringify({
    kind: "StatusSignature",
    epoch: 1,
    signature: "AA==",
    hub: owner.hubId,
    repository: owner.repository,
    ...claims,
  });

describe("StatusHistory", () => {
  it("reads nothing and squashes nothing without a number of days", async () => {
    const { look, read } = openLine({ length: 400 });
    expect(await look({ day: 4000, days: undefined })).toEqual({});
    expect(await look({ day: 4000, head: undefined })).toEqual({});
    expect(read).toEqual([]);
  });

  it.each([
    { reason: "29 days old", day: 29, due: false },
    { reason: "30 days old", day: 30, due: true },
    { reason: "a year old", day: 365, due: true },
  ])("lets the branch begin anew: $due, when its first commit is $reason", async ({ day, due }) => {
    const { look } = openLine({ length: 20 });
    expect((await look({ day })).due !== undefined).toBe(due);
  });

  it("reports from when, after which commit and where the past is", async () => {
    const { look } = openLine({ length: 20 });
    const start = { since: "2026-02-01T00:00:00Z", after: idOf(20), branch: past };
    expect(await look({ day: 31 })).toEqual({
      start: undefined,
      due: { start, head: idOf(20), pastHead: undefined },
    });
  });

  it("does not squash one commit into one", async () => {
    expect(await openLine({ length: 1 }).look({ day: 365 })).toEqual({ start: undefined });
  });

  it("believes what the newest commit declares of the beginning, and reads no commit before it is due", async () => {
    const files = { 20: { "summary.yaml": summaryOf("2026-01-11T00:00:00Z") } };
    const { look, read } = openLine({ length: 20, files });
    const start = { since: "2026-01-11T00:00:00Z", after: idOf(77), branch: past };
    expect(await look({ day: 39 })).toEqual({ start });
    expect(read).toEqual([]);
    expect((await look({ day: 41 })).start).toEqual(start);
    expect(read).toHaveLength(20);
  });

  it.each([
    { reason: "another branch", more: { branch: "main" } },
    { reason: "a time of another form", more: { since: "yesterday | x" } },
    { reason: "no id", more: { after: "HEAD" } },
  ])("does not repeat what a summary declares with $reason", async ({ more }) => {
    const files = { 20: { "summary.yaml": summaryOf("2026-01-11T00:00:00Z", more) } };
    expect(await openLine({ length: 20, files }).look({ day: 20 })).toEqual({ start: undefined });
  });

  it("reads a year at one commit a minute in parts, one commit at a time, and resumes where it was", async () => {
    const length = 12_000;
    const { history, look, read } = openLine({ length, step: 1 / 1440 });
    expect((await look({ day: 365 })).due).toBeUndefined();
    expect(read).toHaveLength(5_000);
    history.record({ before: idOf(length), head: idOf(length + 1), start: undefined });
    expect((await look({ day: 365, head: idOf(length + 1) })).due).toBeUndefined();
    expect((await look({ day: 365, head: idOf(length + 1) })).due?.head).toBe(idOf(length + 1));
    expect(read).toHaveLength(length);
  });

  it("stops with the run", async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(openLine({ length: 20 }).look({ day: 365, signal: stop.signal })).rejects.toThrow();
  });

  it("reads all commits again when a commit of another author may be among them", async () => {
    const { history, look, read } = openLine({ length: 20 });
    await look({ day: 29 });
    await look({ day: 30 });
    history.record({ before: idOf(99), head: idOf(20), start: undefined });
    await look({ day: 30 });
    expect(read).toHaveLength(40);
  });

  it.each<{ reason: string; options: Partial<LineOptions>; kept: string }>([
    {
      reason: "a commit of a person",
      options: { changed: { 7: { author: { name: "Jane", email: "jane@example.com" } } } },
      kept: "commit 000000000000 of rollcall/status is not of this hub and Repository",
    },
    {
      reason: "a merge",
      options: { changed: { 7: { parents: [idOf(6), idOf(99)] } } },
      kept: "is not of this hub and Repository",
    },
    {
      reason: "a first commit of another hub",
      options: { files: { 1: { "signature.yaml": signatureOf({ hub: "hub-2" }) } } },
      kept: "is not of this hub and Repository",
    },
    {
      reason: "a first commit for another Repository",
      options: { files: { 1: { "signature.yaml": signatureOf({ repository: "system.other" }) } } },
      kept: "is not of this hub and Repository",
    },
    {
      reason: "a branch of the past that another author made",
      options: { branches: { [past]: idOf(0) } },
      kept: `the branch ${past} is at 000000000000, where this daemon did not put it`,
    },
  ])("keeps everything, and reports why once a day, with $reason", async ({ options, kept }) => {
    const { history, look, read } = openLine({ length: 20, ...options });
    const first = await look({ day: 40 });
    expect(first.kept).toContain(kept);
    expect([first.due, first.isNews]).toEqual([undefined, true]);
    const count = read.length;
    history.record({ before: idOf(20), head: idOf(21), start: undefined });
    expect(await look({ day: 40.9, head: idOf(21) })).toEqual({ start: undefined, kept: first.kept });
    expect(read).toHaveLength(count);
    expect((await look({ day: 41, head: idOf(21) })).isNews).toBe(true);
    expect((await look({ day: 41.1, head: idOf(21), days: 25 })).isNews).toBe(true);
    expect((await look({ day: 41.1, head: idOf(21), days: 300 })).kept).toBeUndefined();
  });

  it.each<{ reason: string; options: Partial<LineOptions> }>([
    { reason: "signed first commit", options: { files: { 1: { "signature.yaml": signatureOf({}) } } } },
    { reason: "past that a stopped try put on one of our commits", options: { branches: { [past]: idOf(19) } } },
    {
      reason: "past that the first commit continues",
      options: {
        branches: { [past]: idOf(0) },
        changed: { 1: { message: `status\n\nRollcall-Continues: ${idOf(0)}\n` } },
      },
    },
  ])("continues with its own $reason", async ({ options }) => {
    const { due } = await openLine({ length: 20, ...options }).look({ day: 40 });
    expect(due?.pastHead).toBe(options.branches?.[past]);
    expect(due?.head).toBe(idOf(20));
  });

  it("knows the new beginning that was recorded", async () => {
    const { history, look, read } = openLine({ length: 20 });
    const { due } = await look({ day: 40 });
    history.record({ before: idOf(20), head: idOf(500), start: due?.start });
    read.length = 0;
    expect(await look({ day: 41, head: idOf(500) })).toEqual({ start: due?.start });
    expect(read).toEqual([]);
  });

  it("throws what a read throws", async () => {
    const git = {
      readCommit: () => Promise.reject(new AppError("E_GIT_CORRUPT", "read")),
      listFiles: () => Promise.resolve([]),
    };
    const request = { branch, head: idOf(1), days: 1, owner, nowMs: startMs, signal: new AbortController().signal };
    const broken = new StatusHistory(git as unknown as GitEngine);
    await expect(broken.evaluate(request)).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
  });

  it("reports nothing of a commit of another author before it is in the way", async () => {
    const changed = { 7: { author: { name: "Jane", email: "jane@example.com" } } };
    expect(await openLine({ length: 20, changed }).look({ day: 29 })).toEqual({ start: undefined });
  });
});
