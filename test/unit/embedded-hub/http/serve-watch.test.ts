import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Exchange, HttpScope } from "../../../../src/embedded-hub/http/exchange.ts";
import { serveWatch } from "../../../../src/embedded-hub/http/serve-watch.ts";
import type { WatchRequest } from "../../../../src/embedded-hub/http/serve-watch.ts";
import { WatchBacklogs } from "../../../../src/embedded-hub/http/watch-backlogs.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const frameBytes = 1_000_000;
const objects = 100;

describe("A211 a watch whose client leaves its beginning unread", () => {
  it.each([
    { what: "what is there", afterRevision: 0 },
    { what: "what happened since a revision", afterRevision: 1 },
  ])("is not written $what beyond its bound, and ends when the client takes nothing for a minute", async (from) => {
    const { clock, backlogs, frames, served } = begin(from.afterRevision);
    await expect.poll(() => clock.sleepers).toBe(1);
    const unread = frames.length;
    expect(unread).toBeLessThan(objects);
    expect(backlogs.heldBytes).toBe(unread * frameBytes);
    await clock.advance(59_000);
    expect([frames.length, backlogs.watchCount]).toEqual([unread, 1]);
    await clock.advance(2_000);
    expect([frames.length, backlogs.watchCount, backlogs.heldBytes]).toEqual([unread, 0, 0]);
    await served;
  });

  it.each([0, 1])("ends when its client disconnects meanwhile, after revision %d", async (afterRevision) => {
    const { clock, backlogs, frames, served, response } = begin(afterRevision);
    await expect.poll(() => clock.sleepers).toBe(1);
    const unread = frames.length;
    response.destroy();
    await served;
    expect([frames.length, clock.sleepers, backlogs.watchCount, backlogs.heldBytes]).toEqual([unread, 0, 0, 0]);
  });

  it("is written the rest when the client takes what is there", async () => {
    const { clock, frames } = begin(0);
    await expect.poll(() => clock.sleepers).toBe(1);
    for (let taken = 0; frames.length < objects;) {
      const written = frames.slice(taken);
      for (const take of written) take();
      taken += written.length;
      await clock.advance(50);
    }
    expect(frames).toHaveLength(objects);
  });
});

/** Begins a watch of many large objects, or of as many changes. `frames` has what takes each of those that were written. */
function begin(afterRevision: number) {
  const clock = createManualClock();
  const backlogs = new WatchBacklogs();
  const frames: (() => void)[] = [];
  const response = Object.assign(new Writable(), {
    setHeader: () => undefined,
    flushHeaders: () => undefined,
    write: (_frame: Uint8Array, onTaken: () => void) => frames.push(onTaken),
  });
  const event = { type: "ADDED", served: {}, revision: 100 };
  const operations = {
    revision: () => objects + 1,
    whenReached: () => Promise.resolve(),
    whenReplaced: () => () => undefined,
    currentState: () => Promise.resolve({ items: Array.from({ length: objects }, () => ({})), revision: objects + 1 }),
    replay: (_: unknown, range: { afterRevision: number; limit: number }, send: (one: object) => void) => {
      for (let count = 0; count < range.limit; count += 1) send(event);
      return range.afterRevision + range.limit;
    },
    watch: () => () => undefined,
  };
  const scope = { clock, operations, watchBacklogs: backlogs, turns: createTurns(() => 0), randomPart: () => 0 };
  const exchange = {
    request: { headers: {}, httpVersionMajor: 1, socket: {} },
    response,
    user: { username: "agent", groups: [] },
    warnings: [],
    confirmAdmission: () => undefined,
  };
  const watch = { afterRevision, frames: { contentType: "application/json", event: () => Buffer.alloc(frameBytes) } };
  const served = serveWatch(
    scope as unknown as HttpScope,
    exchange as unknown as Exchange,
    { ...watch, selectorCharacters: 0, wantsBookmarks: false } as unknown as WatchRequest,
  );
  return { clock, backlogs, frames, served, response };
}
