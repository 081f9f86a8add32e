import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { FieldFights } from "../../../src/planning/field-fights.ts";
import {
  currentFights,
  describeChildFight,
  describeFight,
  isPostponed,
  isRevertedWithin,
  nextFightInMs,
  recordReverts,
} from "../../../src/planning/field-fights.ts";
import { live } from "./plan-builders.ts";

const ref = { type: resourceTypes.cluster, namespace: "prod", name: "eu-1" };
const path = "spec.displayName";
const minuteMs = 60_000;

type Update = Extract<PlannedChange, { readonly kind: "create" | "update" }>;

function update(to: unknown = "ours", from: unknown = "theirs", at = path): Update {
  return { kind: "update", ref, object: live("eu-1"), manager: "rollcall-git", fields: [{ path: at, from, to }] };
}

const deletion: PlannedChange = { kind: "delete", ref, uid: "u", resourceVersion: "1", reason: "no file declares it" };
const leave: PlannedChange = { ...deletion, kind: "leave", commit: "c" };

function ownedBy(...entries: readonly (readonly [manager: string | undefined, fieldsV1: unknown])[]): KubeObject {
  const object = live("eu-1");
  const managedFields = entries.map(([manager, fieldsV1]): ManagedFieldsEntry => {
    return {
      ...(manager === undefined ? {} : { manager }),
      operation: "Update",
      ...(fieldsV1 === undefined ? {} : { fieldsV1: fieldsV1 as JsonObject }),
    };
  });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

const displayName = { "f:spec": { ".": {}, "f:displayName": {} } };
const taken = ownedBy(["other-tool", displayName]);

interface Context {
  readonly change?: PlannedChange;
  readonly before?: KubeObject | undefined;
  readonly isApplied?: boolean;
}

function record(fights: FieldFights, nowMs: number, context: Context = {}): FieldFights {
  const { change = update(), isApplied = true } = context;
  const before = "before" in context ? context.before : taken;
  return recordReverts(fights, [{ change, before }], { nowMs, isApplied });
}

/** The fights after the same revert at these times. */
function after(times: readonly number[], context: Context = {}): FieldFights {
  return times.reduce<FieldFights>((fights, nowMs) => record(fights, nowMs, context), new Map());
}

describe("a record of reverts", () => {
  it("has the field, its other manager, and how often and when it was reverted", () => {
    const [fight, ...others] = after([0, 1, 2]).values();
    expect(others).toEqual([]);
    expect(fight).toStrictEqual({
      object: "Cluster/prod/eu-1",
      path,
      managers: ["other-tool"],
      reverts: 3,
      valueDigest: expect.stringMatching(/^[0-9a-f]{64}$/u) as unknown,
      lastRevertMs: 2,
    });
  });

  it.each<[string, Context]>([
    ["a create", { change: { ...update(), kind: "create" } }],
    ["a delete", { change: deletion }],
    ["a leave", { change: leave }],
    ["an update of an object that was not there", { before: undefined }],
    ["an update of a missing field of an object that was not there", { change: update("a", null), before: undefined }],
  ])("does not count %s", (_what, context) => {
    expect([...after([0, 1, 2], context)]).toEqual([]);
  });

  it.each([
    { what: "a new commit's first write is none", isApplied: false, counts: [0, 1, 2] },
    { what: "a write of a commit that was on the hub before is one", isApplied: true, counts: [1, 2, 3] },
  ])("counts from the first write: $what", ({ isApplied, counts }) => {
    const times = [0, 1, 2];
    const found = times.map((at) => [...after(times.slice(0, at + 1), { isApplied }).values()][0]?.reverts);
    expect(found).toEqual(counts);
  });

  it.each([
    { isApplied: true, reverts: 1 },
    { isApplied: false, reverts: 0 },
  ])("starts again with another value, at $reverts", ({ isApplied, reverts }) => {
    const fights = record(after([0, 1, 2]), 3, { change: update("new"), isApplied });
    expect([...fights.values()]).toMatchObject([{ path, reverts, lastRevertMs: 3 }]);
  });

  it("counts a field that is taken out again and again", () => {
    const change = { ...update(), fields: [{ path, from: "theirs" }] };
    const fights = after([0, 1, 2], { change });
    expect([...fights.values()]).toStrictEqual([
      {
        object: "Cluster/prod/eu-1",
        path,
        managers: ["other-tool"],
        reverts: 3,
        valueDigest: "",
        lastRevertMs: 2,
      },
    ]);
    expect(isPostponed(change, fights, 3)).toBe(true);
    expect(isPostponed(update(), fights, 3)).toBe(false);
  });

  it("keeps the manager that it knew when the field is missing, for it has no owner then", () => {
    const missing = { change: { ...update(), fields: [{ path, to: "ours" }] }, before: ownedBy() };
    expect([...record(after([0]), 1, missing).values()]).toMatchObject([{ managers: ["other-tool"], reverts: 2 }]);
    expect([...record(new Map(), 1, { ...missing, before: taken }).values()]).toMatchObject([{ managers: [] }]);
  });

  it.each([
    { what: "drift, ten minutes", times: [0, 1], keptMs: 10 * minuteMs },
    { what: "a fight, twice its delay", times: [0, 0, 0], keptMs: minuteMs },
    { what: "a longer fight, twice its longer delay", times: [0, 0, 0, 0], keptMs: 2 * minuteMs },
  ])("is kept for a time after the last revert: $what", ({ times, keptMs }) => {
    const fights = after(times);
    const lastMs = times.at(-1) ?? 0;
    const sizeAt = (nowMs: number) => recordReverts(fights, [], { nowMs, isApplied: false }).size;
    expect([sizeAt(lastMs + keptMs - 1), sizeAt(lastMs + keptMs)]).toEqual([1, 0]);
  });

  it("keeps the fields that were written last", () => {
    const old = record(new Map(), 0);
    const fields = Array.from({ length: 10_000 }, (_, index) => ({ path: `data.k${index}`, to: "x" }));
    const others = record(old, 1, { change: { ...update(), fields: fields.slice(1) } });
    expect([others.size, [...others.values()][0]?.path]).toEqual([10_000, path]);
    // Written again, it is the newest, and the oldest other one makes room.
    const again = record(record(others, 2), 3, { change: { ...update(), fields: fields.slice(0, 1) } });
    expect([again.size, [...again.values()][0]?.path, [...again.values()].at(-2)?.path]).toEqual([
      10_000,
      "data.k2",
      path,
    ]);
  });
});

describe("the managers of a fight", () => {
  it.each<[what: string, at: string, fieldsV1: unknown, isNamed: boolean]>([
    ["the field", path, displayName, true],
    ["another field", path, { "f:spec": { ".": {}, "f:paused": {} } }, false],
    ["a field whose name begins alike", path, { "f:spec": { "f:display": {} } }, false],
    ["a longer field", "spec.display", displayName, false],
    ["an item of another form", path, { "f:spec": { "k:displayName": {} } }, false],
    ["nothing, by an empty entry", path, {}, false],
    ["nothing, by an entry without fields", path, undefined, false],
    ["nothing, by a broken entry", path, { "f:spec": null }, false],
    ["the whole map around it", "spec.selector.app", { "f:spec": { "f:selector": {} } }, true],
    ["another part of the map around it", "spec.agent.image", { "f:spec": { "f:agent": { "f:env": {} } } }, false],
    ["an item of the list", "spec.taints", { "f:spec": { "f:taints": { 'k:{"key":"a"}': { ".": {} } } } }, true],
    ["the label", "metadata.labels[a.b/c]", { "f:metadata": { "f:labels": { "f:a.b/c": {} } } }, true],
    ["another label", "metadata.labels[a.b/c]", { "f:metadata": { "f:labels": { "f:a.b": {} } } }, false],
    ["the annotation", "metadata.annotations[note]", { "f:metadata": { "f:annotations": { "f:note": {} } } }, true],
    ["all annotations", "metadata.annotations[note]", { "f:metadata": { "f:annotations": {} } }, true],
    ["a label of that key", "metadata.annotations[a]", { "f:metadata": { "f:labels": { "f:a": {} } } }, false],
  ])("are those that own %s", (_what, at, fieldsV1, isNamed) => {
    const before = ownedBy(["other-tool", fieldsV1]);
    const fights = record(new Map(), 0, { change: update("ours", "theirs", at), before });
    expect([...fights.values()].map(({ managers }) => managers)).toEqual([isNamed ? ["other-tool"] : []]);
  });

  it("are in order, each once, without our own and without one that has no name", () => {
    const before = ownedBy(
      ["z-tool", displayName],
      ["rollcall-git", displayName],
      ["a-tool", displayName],
      [undefined, displayName],
      ["z-tool", displayName],
    );
    const [fight] = record(new Map(), 0, { before }).values();
    expect(fight?.managers).toEqual(["a-tool", "z-tool"]);
  });

  it.each([
    { managers: [], writer: "Another writer" },
    { managers: ["kubectl-edit"], writer: "Field manager kubectl-edit" },
    { managers: ["a-tool", "z-tool"], writer: "Field manager a-tool, z-tool" },
  ])("begin the message: $writer", ({ managers, writer }) => {
    const fight = {
      object: "Secret/prod/join",
      path: "data.k",
      managers,
      reverts: 4,
      valueDigest: "",
      lastRevertMs: 0,
    };
    expect(describeFight(fight)).toBe(
      `${writer} keeps changing data.k of Secret/prod/join; Rollcall reverted it 4 times and now waits longer each time. Stop the other writer, or delete the field from the file.`,
    );
    expect(describeChildFight(fight)).toBe(
      `${writer} keeps changing data.k of Secret/prod/join; Rollcall reverts it each time. Stop the other writer.`,
    );
  });
});

describe("current fights", () => {
  it("come with the longest first, and end each in its own time", () => {
    const long = { change: update("ours", "theirs", "spec.paused") };
    const fights = [0, 1, 2, 3].reduce((found, at) => record(found, at, long), after([0, 1, 2]));
    const pathsAt = (nowMs: number) => currentFights(fights, nowMs).map((fight) => fight.path);
    expect(pathsAt(4)).toEqual(["spec.paused", path]);
    expect(pathsAt(2 + minuteMs - 1)).toEqual(["spec.paused", path]);
    expect(pathsAt(2 + minuteMs)).toEqual(["spec.paused"]);
    expect(pathsAt(3 + 2 * minuteMs)).toEqual([]);
  });

  it.each([
    { what: "its retry", nowMs: 2, waitMs: 30_000 },
    { what: "its retry, a moment before it", nowMs: 30_001, waitMs: 1 },
    { what: "its end, when it may be retried", nowMs: 30_002, waitMs: 30_000 },
    { what: "its end, a moment before it", nowMs: 60_001, waitMs: 1 },
    { what: "nothing, when it has ended", nowMs: 60_002, waitMs: undefined },
  ])("are next read for $what", ({ nowMs, waitMs }) => {
    expect(nextFightInMs(after([0, 1, 2]), nowMs)).toBe(waitMs);
  });

  it("are next read for the first of them", () => {
    const fights = [0, 1, 20_000].reduce(
      (found, at) => record(found, at, { change: update("ours", "theirs", "spec.paused") }),
      after([0, 1, 2]),
    );
    expect(nextFightInMs(fights, 20_000)).toBe(10_002);
  });
});

describe("a change of a field that is fought over", () => {
  const predecessor = { ref: { ...ref, name: "old" } } as NonNullable<Update["former"]>;

  it.each<[what: string, change: PlannedChange, isPostponedNow: boolean, isWithin: boolean]>([
    ["an update", update(), true, true],
    ["an update to another value", update("new"), false, false],
    ["an update that takes the field out", { ...update(), fields: [{ path, from: "theirs" }] }, false, false],
    ["an update of another field", update("ours", "theirs", "spec.paused"), false, false],
    ["an update of another object", { ...update(), ref: { ...ref, name: "us-1" } }, false, false],
    ["an update without fields", { ...update(), fields: [] }, false, false],
    ["an update that takes another cluster's place", { ...update(), former: predecessor }, false, true],
    ["an update that patches an annotation", { ...update(), patchAnnotations: { a: null } }, false, true],
    ["a create", { ...update(), kind: "create" }, false, false],
    ["a delete", deletion, false, false],
    ["a leave", leave, false, false],
  ])("waits if it is nothing but that: %s", (_what, change, isPostponedNow, isWithin) => {
    const fights = after([0, 1, 2]);
    expect(isPostponed(change, fights, 3)).toBe(isPostponedNow);
    expect(isRevertedWithin(change, fights, { nowMs: 3, ms: 1000 })).toBe(isWithin);
  });
});
