import { describe, expect, it } from "vitest";
import { WatchBacklogs } from "../../../../src/embedded-hub/http/watch-backlogs.ts";

const limits = {
  perConnection: 3,
  perUser: 4,
  watchBytes: 100,
  connectionBytes: 150,
  userBytes: 200,
  totalBytes: 10_000,
  userSelectorCharacters: 3_000,
  totalSelectorCharacters: 5_000,
};
const agent = { username: "agent", groups: [] };

function openWatch(backlogs: WatchBacklogs, connection: object) {
  const watch = backlogs.open(agent, connection);
  watch.begin();
  return watch;
}

describe("WatchBacklogs", () => {
  it("A50 cuts off a watch that leaves too much unread, and forgets what it held", () => {
    const backlogs = new WatchBacklogs(limits);
    const watch = openWatch(backlogs, {});
    expect(watch.add(60)).toBe(true);
    expect(watch.add(60)).toBe(false);
    watch.end();
    watch.take(60);
    expect([backlogs.heldBytes, backlogs.watchCount]).toEqual([0, 0]);
  });

  it("A50 bounds what one connection and one user leave unread, however many watches they spread it over", () => {
    const backlogs = new WatchBacklogs(limits);
    const connections = [{}, {}];
    const watches = connections.flatMap((connection) => [
      openWatch(backlogs, connection),
      openWatch(backlogs, connection),
    ]);
    let mostBytes = 0;
    for (let round = 0; round < 50; round += 1) {
      for (const watch of watches) {
        if (!watch.add(10)) watch.end();
        mostBytes = Math.max(mostBytes, backlogs.heldBytes);
      }
    }
    expect(mostBytes).toBeGreaterThan(limits.connectionBytes);
    expect(mostBytes).toBeLessThanOrEqual(limits.userBytes);
  });

  it("A50 refuses more watches of one connection and one user with 429", () => {
    const backlogs = new WatchBacklogs(limits);
    const connection = {};
    for (let index = 0; index < 3; index += 1) backlogs.open(agent, connection);
    expect(() => backlogs.open(agent, connection)).toThrow(expect.objectContaining({ code: "E_KUBE_THROTTLED" }));
    backlogs.open(agent, {});
    expect(() => backlogs.open(agent, {})).toThrow(expect.objectContaining({ code: "E_KUBE_THROTTLED" }));
    backlogs.open({ username: "other", groups: [] }, {});
  });

  it("A50 bounds how long the selectors of one user's watches, and of all, are together", () => {
    const backlogs = new WatchBacklogs(limits);
    const open = (username: string, characters: number) => backlogs.open({ username, groups: [] }, {}, characters);
    const first = open("a", 2_000);
    expect(() => open("a", 1_001)).toThrow(expect.objectContaining({ code: "E_KUBE_THROTTLED" }));
    open("b", 2_000);
    expect(() => open("c", 1_500)).toThrow(expect.objectContaining({ code: "E_KUBE_THROTTLED" }));
    // What everybody asks for is not refused for the long selectors of others.
    for (let index = 0; index < 3; index += 1) open("c", 900);
    first.end();
    open("a", 3_000 - 2_000);
  });

  it("A211 has room for more of an initial state while the watch, its connection and its user leave little unread", () => {
    const backlogs = new WatchBacklogs(limits);
    const connection = {};
    const [one, other] = [backlogs.open(agent, connection), backlogs.open(agent, connection)];
    one.add(101);
    expect([one.hasRoom(), other.hasRoom()]).toEqual([false, true]);
    other.add(50);
    expect([one.hasRoom(), other.hasRoom()]).toEqual([false, false]);
    one.take(101);
    expect([one.hasRoom(), other.hasRoom()]).toEqual([true, true]);
  });

  it("lets a client read the state that its watch begins with, though it is more than the limit", () => {
    const backlogs = new WatchBacklogs(limits);
    const watch = backlogs.open(agent, {});
    expect(watch.add(5_000)).toBe(true);
    watch.begin();
    expect(watch.add(50)).toBe(true);
    watch.take(5_050);
    expect(backlogs.heldBytes).toBe(0);
  });
});
