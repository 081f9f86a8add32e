import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { ApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { Exchange, HttpScope } from "../../../../src/embedded-hub/http/exchange.ts";
import { serveWatch } from "../../../../src/embedded-hub/http/serve-watch.ts";
import type { WatchRequest } from "../../../../src/embedded-hub/http/serve-watch.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

interface Hub {
  readonly revision?: number;
  /** What a list of them has: its own revision may be newer. */
  readonly state?: { readonly items: readonly string[]; readonly revision: number };
  readonly stateFailure?: Error;
  readonly isKept?: () => boolean;
  readonly confirmAdmission?: () => void;
}

type Send = (event: { readonly type: string; readonly served: string; readonly revision: number }) => void;

const selecting = { namespace: "shop", name: "a", matches: () => true };

/** A watch of a hub at revision 50, unless another is given. `frames` is what its client was sent. */
function begin(asked: Partial<WatchRequest> = {}, hub: Hub = {}) {
  const clock = createManualClock();
  const { revision = 50, state = { items: ["one", "two"], revision }, stateFailure, isKept = () => true } = hub;
  const now = { revision };
  const calls: JsonObject[] = [];
  const frames: string[] = [];
  const ended: string[] = [];
  let send: Send = () => undefined;
  let replace = (): void => undefined;
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    setHeader: () => undefined,
    flushHeaders: () => undefined,
    write: (frame: Uint8Array, onTaken: () => void) => {
      frames.push(String(frame));
      onTaken();
    },
    end: () => ended.push("answer"),
    destroy: () => ended.push("connection"),
  });
  const range = (name: string, of: Record<string, unknown>): number =>
    calls.push({ call: name, ...of, ...("matches" in of ? { matches: "given" } : {}) });
  const operations = {
    revision: () => now.revision,
    whenReached: (wanted: number) => Promise.resolve(range("whenReached", { wanted })),
    whenReplaced: (_: unknown, listener: () => void) => {
      replace = listener;
      return () => ended.push("wait for the definition");
    },
    currentState: () => (stateFailure === undefined ? Promise.resolve(state) : Promise.reject(stateFailure)),
    replay: (_: unknown, of: { afterRevision: number; limit: number }, sendOne: Send) => {
      range("replay", of);
      const reached = Math.min(of.afterRevision + of.limit, now.revision);
      for (let at = of.afterRevision + 1; at <= reached; at++)
        sendOne({ type: "ADDED", served: `r${at}`, revision: at });
      return reached;
    },
    watch: (_: unknown, of: Record<string, unknown>, sendOne: Send) => {
      range("watch", of);
      send = sendOne;
      return () => ended.push("watch");
    },
  };
  const accounts: unknown[] = [];
  const watchBacklogs = {
    open: (...of: unknown[]) => {
      accounts.push(of);
      const [begun, over] = ["begun", "backlog"].map((what) => () => void ended.push(what));
      return { add: isKept, take: () => ended.push("taken"), hasRoom: () => true, begin: begun, end: over };
    },
  };
  const scope = {
    ...{ clock, operations, watchBacklogs, turns: createTurns(() => 0) },
    ...{ randomPart: () => 0.5, bookmarkPeriodMs: 60_000 },
  };
  const socket = {};
  const exchange = {
    request: { headers: {}, httpVersionMajor: 1, socket },
    ...{ response, user: { username: "agent", groups: [] }, warnings: [] },
    confirmAdmission: hub.confirmAdmission ?? (() => undefined),
  };
  const encode = (text: string): Uint8Array => Buffer.from(text);
  const watch = {
    ...{ definition: {}, afterRevision: undefined, sendsInitialEvents: undefined, timeoutSeconds: 120 },
    ...{ wantsBookmarks: true, selectorCharacters: 7 },
    frames: {
      contentType: "application/json",
      event: (type: string, served: unknown) => encode(`${type} ${String(served)}`),
      bookmark: (at: number, isEnd: boolean) => encode(`BOOKMARK ${at}${isEnd ? " end" : ""}`),
      failure: ({ code }: { code?: number }) => encode(`ERROR ${code}`),
    },
    ...asked,
  };
  const served = serveWatch(
    scope as unknown as HttpScope,
    exchange as unknown as Exchange,
    watch as unknown as WatchRequest,
  );
  const report = (at: number): void => {
    now.revision = Math.max(now.revision, at);
    send({ type: "MODIFIED", served: `e${at}`, revision: at });
  };
  return {
    ...{ clock, calls, frames, ended, accounts, socket, served, report, replace: () => replace() },
    close: () => response.emit("close"),
    settle: () => clock.advance(0),
  };
}

const released = ["watch", "wait for the definition", "answer", "backlog"];

describe("a watch", () => {
  it.each([
    ["of no revision", {}, ["ADDED one", "ADDED two"], 50],
    ["of revision 0", { afterRevision: 0 }, ["ADDED one", "ADDED two"], 50],
    ["of a revision", { afterRevision: 40 }, [], 40],
    [
      "of a revision that asks for the state",
      { afterRevision: 40, sendsInitialEvents: true },
      ["ADDED one", "ADDED two", "BOOKMARK 50 end"],
      50,
    ],
    [
      "that asks for the state and for no bookmarks",
      { sendsInitialEvents: true, wantsBookmarks: false },
      ["ADDED one", "ADDED two"],
      50,
    ],
    ["of no revision that asks for no state", { sendsInitialEvents: false }, [], 50],
    ["of a revision of the future", { afterRevision: 60 }, [], 50],
  ] as const)("%s begins with its state or without", async (_what, asked, frames, afterRevision) => {
    const watch = begin(asked);
    await watch.settle();
    expect([watch.frames, watch.calls.at(-1)]).toEqual([frames, { call: "watch", afterRevision }]);
    watch.close();
    await watch.served;
  });

  it("sends no change that its state has, and none up to the revision that it is after", async () => {
    const afterState = begin({ wantsBookmarks: false }, { state: { items: [], revision: 52 } });
    const ofFuture = begin({ wantsBookmarks: false, afterRevision: 60 });
    for (const watch of [afterState, ofFuture]) {
      await watch.settle();
      for (const at of [51, 52, 53, 60, 61]) watch.report(at);
    }
    expect(afterState.frames).toEqual(["MODIFIED e53", "MODIFIED e60", "MODIFIED e61"]);
    expect(ofFuture.frames).toEqual(["MODIFIED e61"]);
  });

  it("has a state that is not older than the revision that it names", async () => {
    const watch = begin({ afterRevision: 44, sendsInitialEvents: true });
    await watch.settle();
    expect(watch.calls[0]).toEqual({ call: "whenReached", wanted: 44 });
  });

  it.each([
    [30, ["watch 30"]],
    [29, ["replay 29", "watch 49"]],
    [0, ["watch 50"]],
    [5, ["replay 5", "replay 25", "watch 45"]],
  ])("reads twenty changes of the past at once, after revision %d", async (afterRevision, calls) => {
    const watch = begin({ afterRevision, ...selecting, sendsInitialEvents: false });
    await watch.settle();
    const named = watch.calls.map(({ call, afterRevision: at }) => [call, at]);
    expect(named).toEqual(calls.map((text) => [text.split(" ")[0], Number(text.split(" ")[1])]));
    for (const { namespace, name, matches } of watch.calls) {
      expect({ namespace, name, matches }).toEqual({ ...selecting, matches: "given" });
    }
    const past = calls.filter((call) => call.startsWith("replay")).length * 20;
    expect(watch.frames).toHaveLength(past);
  });

  it("names its user, its connection and how long its selectors are to what bounds it", async () => {
    const watch = begin();
    await watch.settle();
    expect(watch.accounts).toEqual([[{ username: "agent", groups: [] }, watch.socket, 7]]);
  });
});

describe("the bookmarks of a watch", () => {
  it.each([
    ["each minute, and two seconds before the end", { timeoutSeconds: 120 }, [60, 118]],
    ["only before the end of a short one", { timeoutSeconds: 10 }, [8]],
    ["none in one of two seconds", { timeoutSeconds: 2 }, []],
    ["none when it wants none", { timeoutSeconds: 120, wantsBookmarks: false }, []],
    ["none before the revision that it is after", { timeoutSeconds: 120, afterRevision: 51 }, []],
    ["of the very revision that it is after", { timeoutSeconds: 10, afterRevision: 50 }, [8]],
  ] as const)("come %s", async (_when, asked, atSeconds) => {
    const { timeoutSeconds } = asked;
    const watch = begin({ sendsInitialEvents: false, ...asked });
    const seen: number[] = [];
    for (let second = 1; second < timeoutSeconds; second += 1) {
      const before = watch.frames.length;
      await watch.clock.advance(1000);
      if (watch.frames.length > before) seen.push(second);
    }
    expect([seen, new Set(watch.frames)]).toEqual([atSeconds, new Set(atSeconds.length === 0 ? [] : ["BOOKMARK 50"])]);
    expect(watch.ended).not.toContain("watch");
    const before = watch.frames.length;
    await watch.clock.advance(1000);
    expect([watch.frames.length, watch.ended.slice(-4)]).toEqual([before, released]);
    await watch.served;
  });
});

describe("the end of a watch", () => {
  it("comes after half an hour to an hour when none is asked for", async () => {
    const watch = begin({ timeoutSeconds: undefined, wantsBookmarks: false });
    await watch.clock.advance(2_699_000);
    expect(watch.ended).not.toContain("watch");
    await watch.clock.advance(1000);
    expect(watch.ended.slice(-4)).toEqual(released);
    await watch.served;
  });

  it.each([
    ["its client disconnects", (watch: ReturnType<typeof begin>) => watch.close()],
    ["its kind is served anew", (watch: ReturnType<typeof begin>) => watch.replace()],
  ])("comes when %s, and nothing is sent after it", async (_when, act) => {
    const watch = begin({ wantsBookmarks: false });
    await watch.settle();
    expect([watch.ended.includes("begun"), watch.ended.includes("watch")]).toEqual([true, false]);
    act(watch);
    await watch.served;
    expect(watch.ended.slice(-4)).toEqual(released);
    const before = watch.frames.length;
    watch.report(70);
    expect([watch.frames.length, watch.clock.sleepers]).toEqual([before, 0]);
  });

  it("comes before a client receives what it may not read any more", async () => {
    const rights = { isGiven: true };
    const confirmAdmission = (): void => {
      if (!rights.isGiven) throw new ApiFailure(403, "Forbidden", "taken away");
    };
    const watch = begin({ wantsBookmarks: false }, { confirmAdmission });
    await watch.settle();
    watch.report(60);
    rights.isGiven = false;
    await watch.clock.advance(10_000);
    watch.report(61);
    await watch.served;
    expect(watch.frames).toEqual(["ADDED one", "ADDED two", "MODIFIED e60"]);
    expect(watch.ended.slice(-4)).toEqual(released);
  });

  it("breaks the connection of a client that leaves too much unread", async () => {
    const room = { isLeft: true };
    const watch = begin({ wantsBookmarks: false }, { isKept: () => room.isLeft });
    await watch.settle();
    room.isLeft = false;
    watch.report(60);
    watch.report(61);
    await watch.served;
    expect(watch.frames.slice(2)).toEqual(["MODIFIED e60"]);
    expect(watch.ended.filter((what) => what === "connection")).toHaveLength(1);
    expect(watch.ended.slice(-4)).toEqual(released);
  });

  it("reports why it cannot begin, and passes on what is no answer of the hub", async () => {
    const gone = new ApiFailure(410, "Expired", "too old resource version");
    const refused = begin({}, { stateFailure: gone });
    await refused.served;
    expect(refused.frames).toEqual(["ERROR 410"]);
    const broken = begin({}, { stateFailure: new Error("no disk") });
    await expect(broken.served).rejects.toThrow("no disk");
    for (const { ended } of [refused, broken]) expect(ended.slice(-3)).toEqual(released.slice(1));
  });
});
