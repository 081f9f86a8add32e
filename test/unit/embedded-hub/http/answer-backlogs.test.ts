import { describe, expect, it } from "vitest";
import { AnswerBacklogs, heldAnswer } from "../../../../src/embedded-hub/http/answer-backlogs.ts";
import type { HubRequest, HubResponse } from "../../../../src/embedded-hub/http/http-server.ts";

const patienceMs = 5;

/** Answers of 10 bytes each, of which a user may leave 30, all together 50, and each user 10 for certain. */
function world() {
  const state = { nowMs: 0, rooms: 0 };
  const planned: (() => void)[] = [];
  const times = {
    monotonicMs: () => state.nowMs,
    later: (delayMs: number, then: () => void) => {
      expect(delayMs).toBe(patienceMs);
      planned.push(then);
    },
  };
  const backlogs = new AnswerBacklogs(times, { userBytes: 30, totalBytes: 50, smallBytes: 10, patienceMs });
  backlogs.onRoom(() => (state.rooms += 1));
  const ended: string[] = [];
  const taken = new Map<string, () => void>();
  const hold = (names: string, groups: readonly string[] = []): void => {
    for (const name of names.split(" ")) {
      const onGone = (listener: () => void): void => void taken.set(name, listener);
      const answer = { sizeBytes: 10, end: () => void ended.push(name), onGone };
      backlogs.hold({ username: name.slice(0, 1), groups }, answer);
    }
  };
  const pass = (ms: number): void => {
    state.nowMs += ms;
    for (const then of planned.splice(0)) then();
  };
  const rooms = (usernames: string): readonly boolean[] => [...usernames].map((name) => backlogs.hasRoom(name));
  return { state, planned, ended, hold, pass, rooms, take: (name: string) => taken.get(name)?.() };
}

describe("answers that are not taken", () => {
  it("A134 leave a user no room beyond its limit, and others theirs", () => {
    const { hold, rooms, ended } = world();
    hold("a1 a2 a3");
    expect(rooms("ab")).toEqual([true, true]);
    hold("a4 b1");
    expect([rooms("abc"), ended]).toEqual([[false, true, true], []]);
  });

  it("A134 give room again when they are taken, of which the queue is notified once", () => {
    const { state, hold, rooms, take } = world();
    hold("a1 a2 a3 a4");
    take("a2");
    take("a2");
    expect([rooms("a"), state.rooms]).toEqual([[true], 1]);
  });

  it("A134 end when they are older than the patience, the oldest first, until there is room", () => {
    const { hold, pass, rooms, ended } = world();
    hold("a1 a2 a3");
    pass(3);
    hold("a4 a5");
    pass(2);
    expect([rooms("a"), ended]).toEqual([[true], ["a1", "a2"]]);
  });

  it("A134 end later when they are younger", () => {
    const { hold, pass, ended } = world();
    hold("a1 a2 a3 a4");
    pass(4);
    expect(ended).toEqual([]);
    pass(1);
    expect(ended).toEqual(["a1"]);
  });

  it("A134 end when the next one comes, beyond the limit, and not later", () => {
    const { hold, pass, ended } = world();
    hold("a1 a2 a3");
    pass(5);
    hold("a4 a5");
    expect(ended).toEqual(["a1", "a2"]);
  });

  it("end by no time within the limits", () => {
    const { planned, hold, pass, ended } = world();
    hold("a1 a2 a3 b1 b2");
    expect(planned).toHaveLength(0);
    pass(1_000);
    expect(ended).toEqual([]);
  });

  it("A134 end at once beyond twice the limit, as refusals that do not wait do: the newest", () => {
    const { hold, ended } = world();
    hold("a1 a2 a3 a4 a5 a6 a7 a8");
    expect(ended).toEqual(["a7", "a8"]);
  });

  it("A134 leave no user room beyond the limit of all but one with little", () => {
    const { hold, pass, rooms, ended } = world();
    hold("a1 a2 b1 b2 c1 d1");
    expect(rooms("abcde")).toEqual([false, false, true, true, true]);
    pass(5);
    expect([rooms("abcde"), ended]).toEqual([[true, true, true, true, true], ["a1"]]);
  });

  it("A134 of administrators are bounded with those of all, not by user", () => {
    const { hold, pass, rooms, ended } = world();
    const groups = ["system:masters"];
    hold("a1 a2 a3 a4 a5", groups);
    expect(rooms("a")).toEqual([true]);
    hold("a6", groups);
    pass(5);
    expect([rooms("a"), ended]).toEqual([[true], ["a1"]]);
  });
});

describe("what an answer holds", () => {
  const ended = { headersSent: true, writableEnded: true };
  const stream = { destroyed: false, closed: false, writableLength: 1000 };
  const overheadBytes = 8 * 1024 + "host".length + "hub".length;

  it.each([
    ["of HTTP/1, what its client does not take", { ...ended, ...stream }, overheadBytes + 1000],
    ["of HTTP/2, what its client does not take", { ...ended, stream }, overheadBytes + 1000],
    [
      "that is still written, also its pieces",
      { ...ended, stream, writableEnded: false },
      overheadBytes + 384 * 1024 + 1000,
    ],
    ["that was taken: nothing", { ...ended, ...stream, writableFinished: true }, undefined],
    ["that never began: nothing", { ...ended, ...stream, headersSent: false }, undefined],
    ["of HTTP/1 whose client disconnected: nothing", { ...ended, ...stream, destroyed: true }, undefined],
    [
      "of HTTP/2 whose stream was broken off, as that of a slow watch: nothing",
      { ...ended, stream: { ...stream, destroyed: true } },
      undefined,
    ],
    ["of HTTP/2 whose stream is closed: nothing", { ...ended, stream: { ...stream, closed: true } }, undefined],
  ])("%s", (_, response, sizeBytes) => {
    const request = { rawHeaders: ["host", "hub"] } as unknown as HubRequest;
    expect(heldAnswer(request, response as unknown as HubResponse)?.sizeBytes).toBe(sizeBytes);
  });
});
