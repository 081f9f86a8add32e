import { describe, expect, it } from "vitest";
import type { Group } from "../../../src/core/arrivals.ts";
import { arrivalLimits, Arrivals } from "../../../src/core/arrivals.ts";

const strangers: Group = { account: undefined };
const agent: Group = { account: "agent" };

interface Sent {
  readonly group: Group | undefined;
  readonly head?: readonly string[];
}

/** Arrivals whose turns are made by the test, and the order in which requests began. */
function makeArrivals(limits: Partial<typeof arrivalLimits> = {}) {
  const turns: (() => void)[] = [];
  const begun: string[] = [];
  const given = new Set<string>();
  const arrivals = new Arrivals((callback) => turns.push(callback), { ...arrivalLimits, ...limits });
  return {
    begun,
    regroup: (connection: object, group: Group | undefined) => arrivals.regroup(connection, group),
    giveUp: (name: string) => void given.add(name),
    send: (connection: object, name: string, { group, head = [] }: Sent = { group: strangers }) =>
      arrivals.take(connection, group, { head, begin: () => !given.has(name) && begun.push(name) > 0 }),
    turn: (): boolean => {
      const callback = turns.shift();
      callback?.();
      return callback !== undefined;
    },
  };
}

const flooder = { name: "flooder" };

describe("Arrivals", () => {
  it("A151 lets one request of another connection begin in the next turn, however many one has sent at once", () => {
    const { send, begun, turn } = makeArrivals();
    for (let index = 0; index < 1_000; index += 1) send(flooder, `flood-${index}`);
    expect(begun).toHaveLength(arrivalLimits.perTurn);
    send({ name: "other" }, "other");
    turn();
    expect(begun.indexOf("other")).toBeLessThanOrEqual(arrivalLimits.perTurn + 1);
  });

  it("A151 lets no more than so many begin in one turn", () => {
    const { send, begun, turn } = makeArrivals({ perTurn: 4 });
    for (let index = 0; index < 10; index += 1) send({}, `request-${index}`);
    expect(begun).toHaveLength(4);
    turn();
    expect(begun).toHaveLength(8);
    while (turn());
    expect(begun).toEqual(Array.from({ length: 10 }, (_, index) => `request-${index}`));
  });

  it("A151 passes over what its client gave up, and begins others in its place", () => {
    const { send, begun, turn, giveUp } = makeArrivals({ perTurn: 2 });
    for (let index = 0; index < 10; index += 1) send(flooder, `flood-${index}`);
    for (let index = 2; index < 9; index += 1) giveUp(`flood-${index}`);
    turn();
    expect(begun).toEqual(["flood-0", "flood-1", "flood-9"]);
  });

  it("A151 ends a connection of a crowd, and none that sends little or belongs to others", () => {
    const { send, turn } = makeArrivals({ perTurn: 1, weight: 20 * 4096, mostInCrowd: 2 });
    const busy = { name: "busy" };
    const taken = Array.from({ length: 100 }, (_, index) => send(busy, `busy-${index}`));
    expect(taken.filter(Boolean)).toHaveLength(21);
    const modest = { name: "modest" };
    expect([1, 2, 3].map((index) => send(modest, `modest-${index}`))).toEqual([true, true, false]);
    const account = { name: "account" };
    expect([1, 2, 3].map((index) => send(account, `account-${index}`, { group: agent }))).toEqual([true, true, true]);
    const admin = { name: "admin" };
    expect(
      Array.from({ length: 100 }, (_, index) => send(admin, `admin-${index}`, { group: undefined })),
    ).not.toContain(false);
    while (turn());
    const again = Array.from({ length: 100 }, (_, index) => send(busy, `again-${index}`));
    expect(again.filter(Boolean).length).toBeGreaterThanOrEqual(20);
  });

  it("A151 weighs the heads of what waits", () => {
    const { send } = makeArrivals({ perTurn: 1, weight: 1024 * 1024, mostInCrowd: 2 });
    const head = ["x-pad", "x".repeat(60_000)];
    const taken = Array.from({ length: 100 }, (_, index) =>
      send(flooder, `flood-${index}`, { group: strangers, head }),
    );
    expect(taken.filter(Boolean).length).toBeLessThan(20);
  });

  it("A151 counts a connection no longer with the strangers once its client has proved who it is", () => {
    const { send, regroup } = makeArrivals({ perTurn: 1, weight: 20 * 4096, mostInCrowd: 2 });
    for (let index = 0; index < 21; index += 1) send(flooder, `flood-${index}`);
    const other = { name: "other" };
    expect([1, 2, 3].map((index) => send(other, `other-${index}`))).toEqual([true, true, false]);
    regroup(flooder, agent);
    expect(send(other, "other-4")).toBe(true);
  });
});
