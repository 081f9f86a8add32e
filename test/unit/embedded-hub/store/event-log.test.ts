import { describe, expect, it } from "vitest";
import { EventLog } from "../../../../src/embedded-hub/store/event-log.ts";
import type { LogEvent } from "../../../../src/embedded-hub/store/event-log.ts";
import { makeRecord } from "../../../../src/embedded-hub/store/stored-record.ts";
import type { StoredRecord } from "../../../../src/embedded-hub/store/stored-record.ts";

/** A log of `+a` (put) and `-a` (delete), the first at revision 1, and the records that are live after them. */
function logOf(...steps: string[]) {
  const log = new EventLog();
  const live = new Map<string, StoredRecord>();
  const events = steps.map((step, index): LogEvent => {
    const key = step.slice(1);
    const revision = index + 1;
    const previous = live.get(key);
    const object = { apiVersion: "v1", kind: "A", metadata: { name: key } };
    const current = makeRecord(key, object, { create: previous?.createRevision ?? revision, mod: revision });
    const kind = step.startsWith("+") ? "put" : "delete";
    if (kind === "put") live.set(key, current);
    else live.delete(key);
    const event = { kind, revision, current, ...(previous === undefined ? {} : { previous }) } as const;
    log.append(event);
    return event;
  });
  return { log, live, events };
}

/** The revisions of a key's history, the newest first. */
function historyOf({ log, live }: ReturnType<typeof logOf>, key: string): number[] {
  const revisions: number[] = [];
  for (let event = log.newestOf(key, live.get(key)); event !== undefined; event = log.before(event)) {
    revisions.push(event.revision);
  }
  return revisions;
}

describe("EventLog", () => {
  it("leads from each event to the one before it of the same key, over deletes", () => {
    const world = logOf("+a", "+b", "+a", "-a", "+c", "+a", "-b", "+a");
    expect(historyOf(world, "a")).toEqual([8, 6, 4, 3, 1]);
    expect(historyOf(world, "b")).toEqual([7, 2]);
    expect(historyOf(world, "none")).toEqual([]);
  });

  it("gives the event of a revision, and none before or after", () => {
    const { log, events } = logOf("+a", "+b");
    expect([log.at(0), log.at(1), log.at(2), log.at(3)]).toEqual([undefined, events[0], events[1], undefined]);
  });

  it("refuses an event that does not follow", () => {
    const { log, events } = logOf("+a", "+b");
    const [, second] = events;
    if (second === undefined) throw new Error("no event");
    expect(() => log.append(second)).toThrow(expect.objectContaining({ code: "E_BUG" }));
    expect(() => log.append({ ...second, revision: 4 })).toThrow(expect.objectContaining({ code: "E_BUG" }));
    expect(log.revision).toBe(2);
  });

  it("forgets what is compacted, and nothing after it", () => {
    const world = logOf("+a", "-a", "+a", "+b", "+a");
    const dropped = world.log.compact(2, () => undefined);
    expect(dropped).toEqual(world.events.slice(0, 2));
    expect([world.log.revision, world.log.compactedRevision]).toEqual([5, 2]);
    expect(world.log.at(2)).toBeUndefined();
    expect(historyOf(world, "a")).toEqual([5, 3]);
    expect(world.log.compact(2, () => undefined)).toEqual([]);
  });

  it("names the keys of which nothing is left, once their last delete is forgotten", () => {
    const world = logOf("+a", "-a", "+b", "-b", "+b", "-b", "+c");
    const forgotten: string[] = [];
    world.log.compact(4, (key) => forgotten.push(key));
    expect(forgotten).toEqual(["a"]);
    world.log.compact(7, (key) => forgotten.push(key));
    expect(forgotten).toEqual(["a", "b"]);
  });

  it("knows how long the texts of its events are together", () => {
    const { log, events } = logOf("+a", "+a", "-a");
    const lengths = events.map(({ current }) => current.json.length);
    const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
    expect(log.sizeBytes).toBe(sum(lengths));
    log.compact(1, () => undefined);
    expect(log.sizeBytes).toBe(sum(lengths.slice(1)));
    log.compact(3, () => undefined);
    expect(log.sizeBytes).toBe(0);
  });

  it("begins after the revision that it is given", () => {
    const { events } = logOf("+a");
    const log = new EventLog();
    log.restore(7);
    expect([log.revision, log.compactedRevision]).toEqual([7, 7]);
    const [event] = events;
    if (event === undefined) throw new Error("no event");
    log.append({ ...event, revision: 8 });
    expect(log.at(8)?.revision).toBe(8);
  });
});
