import { describe, expect, it } from "vitest";
import type { Member } from "../../../src/model/member.ts";
import { indexMembers, mergeUses } from "../../../src/planning/member-index.ts";

function member(name: string, { clientID = "", token = "", tokenUse = 0 } = {}): Member {
  const join = token === "" ? {} : { join: { token, ...(tokenUse === 0 ? {} : { tokenUse }) } };
  const state = { ...(clientID === "" ? {} : { clientID }), ...join };
  return { workspace: "fleet", name, state } as unknown as Member;
}

const byClientID = ({ state }: Member): string | undefined => state?.clientID;
const stateless = { workspace: "fleet", name: "lost", state: undefined } as Member;

describe("members by a key", () => {
  it("are all that have it, and none without a key", () => {
    const index = indexMembers([
      member("a", { clientID: "1" }),
      member("b", { clientID: "1" }),
      member("c"),
      stateless,
    ]);
    const names = (key: string): string[] => index.find(byClientID, key).map(({ name }) => name);
    expect([names("1"), names("2"), names("")]).toEqual([["a", "b"], [], []]);
    expect(index.named("c")?.name).toBe("c");
    expect(index.named("d")).toBeUndefined();
  });

  it("read all members once for each function", () => {
    let visits = 0;
    const counting = (one: Member): string | undefined => {
      visits++;
      return one.state?.clientID;
    };
    const index = indexMembers([member("a", { clientID: "1" }), member("b", { clientID: "2" })]);
    for (const key of ["1", "2", "3"]) index.find(counting, key);
    expect(visits).toBe(2);
  });

  it("follow a member that gets another key, and one that is new", () => {
    const index = indexMembers([member("a", { clientID: "1" }), member("b")]);
    expect(index.find(byClientID, "1")).toHaveLength(1);
    index.put(member("a", { clientID: "2" }));
    index.put(member("b", { clientID: "2" }));
    index.put(member("c", { clientID: "2" }));
    expect(index.find(byClientID, "1")).toEqual([]);
    expect(index.find(byClientID, "2").map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(index.named("a")?.state?.clientID).toBe("2");
  });

  it("are there once when a member is put again", () => {
    const index = indexMembers([member("a", { clientID: "1" })]);
    index.find(byClientID, "1");
    index.put(member("a", { clientID: "1" }));
    expect(index.find(byClientID, "1")).toHaveLength(1);
  });

  it("are fewer when one is removed", () => {
    const index = indexMembers([member("a", { clientID: "1" }), member("b", { clientID: "1" })]);
    expect(index.find(byClientID, "1")).toHaveLength(2);
    index.remove("a");
    index.remove("never there");
    expect(index.find(byClientID, "1").map(({ name }) => name)).toEqual(["b"]);
    expect(index.named("a")).toBeUndefined();
  });
});

describe("the newest uses of a token", () => {
  const at = (minute: number): string => `2027-01-01T00:${String(minute).padStart(2, "0")}:00Z`;
  const joined = (name: string, minute: number, token = "edge"): Member =>
    ({ workspace: "fleet", name, state: { join: { token, tokenUse: minute, time: at(minute) } } }) as unknown as Member;
  const newest = (index: ReturnType<typeof indexMembers>) => index.usesOf("edge").newest.map(({ cluster }) => cluster);

  it("are twenty at most, also when members come and leave", () => {
    const index = indexMembers(Array.from({ length: 30 }, (_, minute) => joined(`c-${minute}`, minute)));
    expect(newest(index)).toEqual(Array.from({ length: 20 }, (_, at) => `c-${29 - at}`));
    index.put(joined("late", 40));
    index.put(joined("early", 1));
    expect(newest(index)).toEqual(["late", ...Array.from({ length: 19 }, (_, at) => `c-${29 - at}`)]);
    index.remove("c-29");
    index.put(joined("c-28", 28, "other"));
    expect(newest(index)).toEqual(["late", ...Array.from({ length: 19 }, (_, at) => `c-${27 - at}`)]);
    expect(index.usesOf("edge").count).toBe(40);
  });

  it("have those of one time in the order of their names", () => {
    expect(newest(indexMembers([joined("b", 1), joined("a", 1), joined("c", 2)]))).toEqual(["c", "a", "b"]);
  });

  it("are not counted anew where a member changes and its use does not", () => {
    let visits = 0;
    const counted = (one: Member): Member =>
      new Proxy(one, {
        get: (target, key, receiver): unknown => {
          visits++;
          return Reflect.get(target, key, receiver);
        },
      });
    const index = indexMembers(
      Array.from({ length: 1000 }, (_, minute) => counted(joined(`c-${minute}`, minute % 60))),
    );
    index.usesOf("edge");
    visits = 0;
    index.put({ ...joined("c-5", 5) });
    expect(index.usesOf("edge").count).toBe(59);
    expect(visits).toBeLessThan(10);
  });
});

describe("the use of a token that changes", () => {
  const join = (time: string, more: object = {}) => ({ token: "edge", tokenUse: 3, time, ...more });
  const joined = (name: string, state: object): Member => ({ workspace: "fleet", name, state }) as unknown as Member;
  const later = "2027-01-01T00:09:00Z";

  it.each([
    { reason: "another time", put: { join: join(later) }, newest: [{ cluster: "a", time: later }] },
    { reason: "another count", put: { join: join("2027-01-01T00:01:00Z", { tokenUse: 9 }) }, count: 9 },
    { reason: "another token", put: { join: join(later, { token: "other" }) }, newest: [], count: 0 },
    { reason: "none", put: {}, newest: [], count: 0 },
  ])("is seen: $reason", ({ put, newest = [{ cluster: "a", time: "2027-01-01T00:01:00Z" }], count = 3 }) => {
    const index = indexMembers([joined("a", { join: join("2027-01-01T00:01:00Z") }), joined("b", {})]);
    expect(index.usesOf("edge").count).toBe(3);
    index.put(joined("a", put));
    expect(index.usesOf("edge")).toEqual({ count, newest });
    index.remove("a");
    expect(index.usesOf("edge")).toEqual({ count: 0, newest: [] });
  });

  it("is none of a member without a token, whatever was asked for before", () => {
    const index = indexMembers([]);
    expect([index.usesOf(""), index.usesOf("edge")]).toEqual([
      { count: 0, newest: [] },
      { count: 0, newest: [] },
    ]);
    index.put(joined("a", {}));
    index.put(joined("b", { join: { time: later } }));
    expect(index.usesOf("")).toEqual({ count: 0, newest: [] });
    expect(index.usesOf("edge")).toEqual({ count: 0, newest: [] });
  });
});

describe("mergeUses", () => {
  const use = (minute: number, cluster = `c-${minute}`) => ({
    cluster,
    time: `2027-01-01T00:${String(minute).padStart(2, "0")}:00Z`,
  });
  const full = { count: 20, newest: Array.from({ length: 20 }, (_, at) => use(39 - at)) };

  it("names those before the last of twenty, and counts the others", () => {
    expect(mergeUses(full, { count: 21, newest: [use(19)] })).toEqual({ count: 21, newest: full.newest });
    expect(mergeUses(full, { count: 1, newest: [use(20)] }).newest).toEqual(full.newest);
    expect(mergeUses(full, { count: 1, newest: [use(20, "a")] }).newest.at(-1)).toEqual(use(20, "a"));
    expect(mergeUses(full, { count: 1, newest: [use(50)] }).newest).toEqual([use(50), ...full.newest.slice(0, 19)]);
  });

  it("leaves a list as it is to which nothing comes", () => {
    expect(mergeUses(full, { count: 1, newest: [use(3)] }).newest).toBe(full.newest);
    const few = { count: 1, newest: [use(1)] };
    expect(mergeUses(few, { count: 0, newest: [] }).newest).toBe(few.newest);
    expect(mergeUses({ count: 0, newest: [] }, few)).toEqual(few);
  });
});

describe("the uses of a token", () => {
  it("are the largest that a member remembers, and 0 without one", () => {
    const index = indexMembers([
      member("a", { token: "edge", tokenUse: 2 }),
      member("b", { token: "edge", tokenUse: 5 }),
      member("c", { token: "other", tokenUse: 9 }),
      member("d", { token: "fresh" }),
      stateless,
    ]);
    expect(["edge", "other", "fresh", "unknown"].map((token) => index.usesOf(token).count)).toEqual([5, 9, 0, 0]);
  });

  it.each([
    { reason: "a further use", put: { token: "edge", tokenUse: 6 }, edge: 6 },
    { reason: "the use before again", put: { token: "edge", tokenUse: 4 }, edge: 4 },
    { reason: "the largest one leaves for another token", put: { token: "other", tokenUse: 1 }, edge: 2 },
    { reason: "the largest one forgets its token", put: {}, edge: 2 },
  ])("follow $reason", ({ put, edge }) => {
    const index = indexMembers([
      member("a", { token: "edge", tokenUse: 2 }),
      member("b", { token: "edge", tokenUse: 5 }),
    ]);
    expect(index.usesOf("edge").count).toBe(5);
    index.put(member("b", put));
    expect(index.usesOf("edge").count).toBe(edge);
  });

  it("stay when a member with fewer of them leaves", () => {
    const index = indexMembers([
      member("a", { token: "edge", tokenUse: 2 }),
      member("b", { token: "edge", tokenUse: 5 }),
    ]);
    expect(index.usesOf("edge").count).toBe(5);
    index.put(member("a"));
    index.put(member("c", { token: "edge", tokenUse: 1 }));
    expect(index.usesOf("edge").count).toBe(5);
  });
});
