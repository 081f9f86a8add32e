import { describe, expect, it } from "vitest";
import { startMs, result } from "../hub-scene.ts";
import { decideFleet, fleetMemberOf, fleetTokenOf, grantedMemory, requestOf } from "./fleet-scene.ts";

const naming = fleetTokenOf("edge", { clusterNames: ["eu-1", "*"] });
const again = requestOf({ token: "edge", name: "request-b", askedMs: startMs + 60_000 });

describe("decide: requests of one agent in one second", () => {
  /** The names that are granted when all requests are reconciled again and again, as after each change. */
  function grantedInTurn(names: readonly string[], rounds: number): string[] {
    let member = fleetMemberOf("eu-1", { spec: { clientID: "uid-1" } });
    const granted: string[] = [];
    for (let round = 0; round < rounds; round++)
      for (const name of names) {
        const decision = decideFleet(requestOf({ token: "edge", name }), { tokens: [naming], members: [member] });
        if (decision.kind !== "granted") continue;
        granted.push(name);
        member = fleetMemberOf("eu-1", { spec: { clientID: "uid-1" }, state: decision.state });
      }
    return granted;
  }

  it("A90: are granted once each, and do not take each other's place for ever", () => {
    expect(grantedInTurn(["request-b", "request-a"], 5)).toEqual(["request-b", "request-a"]);
  });

  it("A90: are not remembered without bound", () => {
    const names = Array.from({ length: 40 }, (_, index) => `request-${index}`);
    expect(grantedInTurn(names, 3)).toEqual(names.slice(0, 9));
  });

  it("do not hold up one of a later second", () => {
    const member = fleetMemberOf("eu-1", {
      spec: { clientID: "uid-1" },
      state: grantedMemory({
        protocolFacts: { ...grantedMemory().protocolFacts, overtaken: "1 2 3 4 5 6 7 8" },
      }),
    });
    const decision = decideFleet(again, { tokens: [naming], members: [member] });
    expect(result(decision)).toBe("granted eu-1");
    expect(decision).not.toHaveProperty("state.protocolFacts.overtaken");
  });
});
