import { describe, expect, it } from "vitest";
import { bucketOf, MemoryLog } from "../../../../src/embedded-hub/store/memory-log.ts";
import { makeRecord } from "../../../../src/embedded-hub/store/stored-record.ts";

const keyOf = (name: string, namespace = "x") => `//configmaps/${namespace}/${name}`;

function record(key: string, mod: number, create = mod) {
  const object = { apiVersion: "v1", kind: "A", metadata: { name: key.slice(key.lastIndexOf("/") + 1) } };
  return makeRecord(key, object, { create, mod });
}

/** Appends `+key` (put) and `-key` (delete) one after the other. */
function append(log: MemoryLog, ...steps: string[]): MemoryLog {
  for (const step of steps) {
    const key = step.slice(1);
    const revision = log.revision + 1;
    const previous = log.get(key);
    const kind = step.startsWith("+") ? "put" : "delete";
    const current = record(key, revision, previous?.createRevision);
    log.append({ kind, revision, current, ...(previous === undefined ? {} : { previous }) });
  }
  return log;
}

const [a, b, c] = [keyOf("a"), keyOf("b"), keyOf("c")];
const other = "/apps/deployments/x/d";

function told(log: MemoryLog, prefix: string, afterRevision: number, limit = Infinity) {
  const revisions: number[] = [];
  const reached = log.visitEvents(prefix, { afterRevision, limit }, ({ revision }) => revisions.push(revision));
  return { revisions, reached };
}

describe("visitEvents", () => {
  const log = append(new MemoryLog(), `+${a}`, `+${other}`, `+${a}`, `-${a}`, `+${b}`);

  it.each([
    { prefix: "/", after: 0, limit: Infinity, revisions: [1, 2, 3, 4, 5], reached: 5 },
    { prefix: "/", after: 2, limit: 2, revisions: [3, 4], reached: 4 },
    { prefix: "//configmaps/", after: 0, limit: 3, revisions: [1, 3], reached: 3 },
    { prefix: "/apps/deployments/", after: 2, limit: 9, revisions: [], reached: 5 },
    { prefix: a, after: 0, limit: Infinity, revisions: [1, 3, 4], reached: 5 },
    { prefix: a, after: 0, limit: 2, revisions: [1, 3], reached: 3 },
    { prefix: a, after: 1, limit: 2, revisions: [3, 4], reached: 5 },
    { prefix: a, after: 4, limit: 2, revisions: [], reached: 5 },
    { prefix: b, after: 0, limit: 1, revisions: [5], reached: 5 },
    { prefix: c, after: 0, limit: 1, revisions: [], reached: 5 },
    { prefix: "/", after: 9, limit: 1, revisions: [], reached: 9 },
    { prefix: a, after: 9, limit: 1, revisions: [], reached: 9 },
  ])(
    "passes on events of $prefix after $after, at most $limit: $revisions",
    ({ prefix, after, limit, revisions, reached }) => {
      expect(told(log, prefix, after, limit)).toEqual({ revisions, reached });
    },
  );
});

describe("compact", () => {
  it("counts what is alive at the compacted revision", () => {
    const log = append(new MemoryLog(), `+${a}`, `+${b}`, `+${a}`, `-${b}`, `+${c}`);
    const counts = [2, 3, 4, 5].map((revision) => {
      log.compact(revision);
      return log.compactedCount;
    });
    expect(counts).toEqual([2, 2, 1, 2]);
  });

  it("forgets a deleted key only when its delete is forgotten", () => {
    const log = append(new MemoryLog(), `+${a}`, `-${a}`, `+${b}`);
    const at = (atRevision: number) => log.list("//configmaps/", { atRevision }).items.map(({ key }) => key);
    log.compact(1);
    expect([at(1), at(2)]).toEqual([[a], []]);
    log.compact(2);
    expect([at(2), at(3)]).toEqual([[], [b]]);
    append(log, `+${a}`);
    expect([at(3), at(4)]).toEqual([[b], [a, b]]);
  });
});

describe("restore", () => {
  it("begins with what was alive, and counts it", () => {
    const log = new MemoryLog();
    log.restore(7, [record(a, 2), record(b, 7)]);
    expect([log.revision, log.compactedRevision, log.compactedCount]).toEqual([7, 7, 2]);
    expect(log.list("/").items.map(({ key }) => key)).toEqual([a, b]);
    append(log, `-${a}`);
    log.compact(8);
    expect(log.compactedCount).toBe(1);
  });
});

describe("list", () => {
  const log = append(new MemoryLog(), `+${b}`, `+${a}`, `+${other}`, `+${keyOf("z", "y")}`, `+${c}`);
  const names = (prefix: string, options = {}) => {
    const { items, remainingCount, continueAfter } = log.list(prefix, options);
    return [items.map(({ key }) => key), remainingCount, continueAfter];
  };

  it("pages over everything as over one kind", () => {
    expect(names("/", { limit: 2 })).toEqual([[a, b], 3, b]);
    expect(names("/", { continueAfter: b, limit: 2 })).toEqual([[c, keyOf("z", "y")], 1, keyOf("z", "y")]);
    expect(names("/", { continueAfter: other })).toEqual([[], 0, undefined]);
    expect(names("//configmaps/", { limit: 2, continueAfter: a })).toEqual([[b, c], 1, c]);
    expect(names("//configmaps/x/", { continueAfter: keyOf("bb") })).toEqual([[c], 0, undefined]);
    expect(names("//configmaps/x/", { continueAfter: "//configmaps/w/a", limit: 1 })).toEqual([[a], 2, a]);
    expect(names("//configmaps/x/", { continueAfter: keyOf("z", "y") })).toEqual([[], 0, undefined]);
    expect(names("//secrets/")).toEqual([[], 0, undefined]);
    expect(names("//secrets/", { continueAfter: "//secrets/x/a" })).toEqual([[], 0, undefined]);
    expect(names(a)).toEqual([[a], 0, undefined]);
    expect(names("//configmaps/x/", { limit: 0 })).toEqual([[], 3, undefined]);
  });

  it("shows any kept revision, and refuses those before and after", () => {
    expect(names("/", { atRevision: 5 })[0]).toHaveLength(5);
    expect(names("/", { atRevision: 3 })[0]).toEqual([a, b, other].sort());
    expect(names("//secrets/", { atRevision: 3 })[0]).toEqual([]);
    const gone = expect.objectContaining({ code: "E_KUBE_GONE" }) as unknown;
    expect(() => log.list("/", { atRevision: 6 })).toThrow(gone);
    const compacted = append(new MemoryLog(), `+${a}`, `+${b}`);
    compacted.compact(2);
    expect(compacted.list("/", { atRevision: 2 }).items).toHaveLength(2);
    expect(() => compacted.list("/", { atRevision: 1 })).toThrow(gone);
  });
});

describe("bucketOf", () => {
  it.each([
    ["//configmaps/x/a", "//configmaps/"],
    ["/apps/deployments/x/", "/apps/deployments/"],
    ["/apps/deployments/", "/apps/deployments/"],
    ["/", "/"],
    ["/apps/", "/apps/"],
  ])("of %s is %s", (key, bucket) => {
    expect(bucketOf(key)).toBe(bucket);
  });
});
