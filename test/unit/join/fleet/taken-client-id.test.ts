import { describe, expect, it } from "vitest";
import { fromGit, result } from "../hub-scene.ts";
import { decideFleet, fleetMemberOf, fleetTokenOf, requestOf } from "./fleet-scene.ts";

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
