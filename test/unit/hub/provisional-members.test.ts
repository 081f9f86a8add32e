import { describe, expect, it } from "vitest";
import type { Granted } from "../../../src/hub/provisional-members.ts";
import { provisionalMembers } from "../../../src/hub/provisional-members.ts";
import type { Member } from "../../../src/model/member.ts";
import { clusterOf, coreObject } from "./objects.ts";

const [known, granted] = [clusterOf("eu-1"), clusterOf("eu-1", { metadata: { labels: { a: "b" } } })];
const child = coreObject("Secret", "s");
const member: Member = { workspace: "fleet", name: "eu-1", cluster: known, state: undefined, children: [child] };
const decision = (fields: object): Granted =>
  ({ kind: "granted", clusterName: "eu-1", state: { clientID: "c" }, ...fields }) as unknown as Granted;

describe("provisionalMembers", () => {
  it("shows the members that are there", () => {
    const { index } = provisionalMembers("fleet", [member]);
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
    const provisional = provisionalMembers("fleet", members);
    provisional.letIn(decision(fields));
    expect(provisional.index.named("eu-1")).toEqual(expected);
  });
});
