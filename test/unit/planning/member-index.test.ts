import { describe, expect, it } from "vitest";
import type { Member } from "../../../src/model/member.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";

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
    expect(["edge", "other", "fresh", "unknown"].map((token) => index.usesOf(token))).toEqual([5, 9, 0, 0]);
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
    expect(index.usesOf("edge")).toBe(5);
    index.put(member("b", put));
    expect(index.usesOf("edge")).toBe(edge);
  });

  it("stay when a member with fewer of them leaves", () => {
    const index = indexMembers([
      member("a", { token: "edge", tokenUse: 2 }),
      member("b", { token: "edge", tokenUse: 5 }),
    ]);
    expect(index.usesOf("edge")).toBe(5);
    index.put(member("a"));
    index.put(member("c", { token: "edge", tokenUse: 1 }));
    expect(index.usesOf("edge")).toBe(5);
  });
});
