import { describe, expect, it } from "vitest";
import { fromGit, hubFacts, result, startMs } from "../hub-scene.ts";
import { decideFleet, fleetMemberOf, fleetTokenOf, grantedMemory, requestOf } from "./fleet-scene.ts";

const spec = { clientID: "uid-1" };
const [taken, declared] = [fleetMemberOf("taken", { spec }), fleetMemberOf("eu-1", { spec })];

describe("decide: a request with the clientID of two clusters", () => {
  it.each([
    { of: "no file declares", members: [taken, declared], is: "refused ClientIDAmbiguous" },
    { of: "one file declares", members: [taken, fromGit(declared)], is: "granted eu-1" },
    { of: "two files declare", members: [fromGit(taken), fromGit(declared)], is: "refused ClientIDAmbiguous" },
  ])("A103 is $is where $of it", ({ members, is }) => {
    expect(result(decideFleet(requestOf({ token: "edge" }), { tokens: [fleetTokenOf("edge")], members }))).toBe(is);
  });
});

describe("decide: a token whose registrations are all used, which names a cluster that has joined", () => {
  const minuteMs = 60_000;
  const joined = fleetMemberOf("eu-1", { spec, state: grantedMemory() });
  const decideAfter = (ms: number, token: string, maxRegistrations = 1) => {
    const tokens = ["edge", "other"].map((name) => fleetTokenOf(name, { clusterNames: ["eu-1"], maxRegistrations }));
    const used = tokens.map((one) => ({ ...one, token: { ...one.token, status: { uses: 1 } } }));
    const request = requestOf({ token, name: "request-b", askedMs: startMs + ms });
    return decideFleet(request, { tokens: used, members: [joined] }, { ...hubFacts(), nowMs: startMs + ms });
  };

  it.each([
    {
      token: "edge",
      after: 41,
      is: "refused TokenUsedUp",
      reason: "the agent has its answer: the clientID is no secret",
    },
    { token: "other", after: 1, is: "refused TokenUsedUp", reason: "another agent took the use" },
    {
      token: "edge",
      after: 1,
      is: "granted eu-1",
      reason: "an agent that gave its attempt up asks again a minute later",
    },
  ])("A251 is $is after $after minutes by token $token: $reason", ({ token, after, is }) => {
    expect(result(decideAfter(after * minuteMs, token))).toBe(is);
  });

  it("counts the use of an agent that asks again once", () => {
    const uses = [1, 41].map((after) => {
      const decision = decideAfter(after * minuteMs, "edge", 5);
      return decision.kind === "granted" ? decision.state.join?.tokenUse : undefined;
    });
    expect(uses).toEqual([1, 2]);
  });
});
