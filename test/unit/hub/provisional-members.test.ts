import { describe, expect, it } from "vitest";
import type { Granted } from "../../../src/hub/provisional-members.ts";
import { provisionalMembers } from "../../../src/hub/provisional-members.ts";
import type { Member } from "../../../src/model/member.ts";
import { clusterOf, coreObject } from "./objects.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";

const [known, granted] = [clusterOf("eu-1"), clusterOf("eu-1", { metadata: { labels: { a: "b" } } })];
const child = coreObject("Secret", "s");
const member: Member = { workspace: "fleet", name: "eu-1", cluster: known, state: undefined, children: [child] };
const decision = (fields: object): Granted =>
  ({ kind: "granted", clusterName: "eu-1", state: { clientID: "c" }, ...fields }) as unknown as Granted;

describe("provisionalMembers", () => {
  it("shows the members that are there", () => {
    const { index } = provisionalMembers("fleet", indexMembers([member]));
    expect([index.named("eu-1"), index.named("eu-2")]).toEqual([member, undefined]);
  });

  it.each([
    {
      reason: "a member that was not there, by the cluster of the decision",
      members: [],
      fields: { cluster: granted },
      expected: { workspace: "fleet", name: "eu-1", cluster: granted, children: [], state: { clientID: "c" } },
    },
    {
      reason: "a member that was there, with what it has",
      members: [member],
      fields: { cluster: granted },
      expected: { ...member, state: { clientID: "c" } },
    },
    { reason: "nothing where there is no Cluster", members: [], fields: {}, expected: undefined },
  ])("takes in $reason", ({ members, fields, expected }) => {
    const provisional = provisionalMembers("fleet", indexMembers(members));
    provisional.letIn(decision(fields));
    expect(provisional.index.named("eu-1")).toEqual(expected);
  });

  it("finds a member by what it was given, and no more by what it had", () => {
    const byClientID = ({ state }: Member): string | undefined => state?.clientID;
    const named = (name: string, clientID: string): Member => ({ ...member, name, state: { clientID } });
    const missing = named("lost", "3");
    const provisional = provisionalMembers("fleet", indexMembers([named("eu-1", "1"), named("eu-2", "2")]), [missing]);
    provisional.letIn(decision({}));
    const found = ["1", "2", "3", "c"].map((key) => provisional.index.find(byClientID, key).map(({ name }) => name));
    expect(found).toEqual([[], ["eu-2"], ["lost"], ["eu-1"]]);
  });

  it("counts the uses of those that are there and of those that were admitted", () => {
    const joined = (tokenUse: number) => ({ join: { token: "edge", tokenUse, time: "2027-01-01T00:00:00Z" } });
    const known = { ...member, name: "eu-2", state: joined(4) } as unknown as Member;
    const provisional = provisionalMembers("fleet", indexMembers([known]));
    expect(provisional.index.usesOf("edge").count).toBe(4);
    provisional.letIn(decision({ cluster: granted, state: joined(5) }));
    expect([provisional.index.usesOf("edge").count, provisional.index.usesOf("other").count]).toEqual([5, 0]);
  });

  it("names the newest uses of both, the newest first, and twenty at most", () => {
    const joined = (minute: number) => ({ join: { token: "edge", time: `2027-01-01T00:${20 + minute}:00Z` } });
    const present = Array.from({ length: 19 }, (_, minute) => ({
      ...member,
      name: `c-${minute}`,
      state: joined(minute),
    }));
    const provisional = provisionalMembers("fleet", indexMembers(present as unknown as Member[]));
    provisional.letIn(decision({ clusterName: "late", cluster: granted, state: joined(30) }));
    provisional.letIn(decision({ clusterName: "early", cluster: granted, state: joined(-5) }));
    provisional.letIn(decision({ clusterName: "between", cluster: granted, state: joined(18) }));
    const names = provisional.index.usesOf("edge").newest.map(({ cluster }) => cluster);
    expect(names).toEqual(["late", "between", ...Array.from({ length: 18 }, (_, at) => `c-${18 - at}`)]);
  });
});
