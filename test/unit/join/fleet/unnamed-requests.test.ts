import { describe, expect, it } from "vitest";
import { result } from "../hub-scene.ts";
import { decideFleet, fleetTokenOf, requestOf } from "./fleet-scene.ts";

describe("a Fleet agent's request that names no token", () => {
  const open = fleetTokenOf("open");
  const counted = fleetTokenOf("edge", { maxRegistrations: 1 });

  it("A7: admits no agent past maxRegistrations: its cluster would count for no token", () => {
    for (const tokens of [[counted], [open, counted]])
      expect(decideFleet(requestOf({}), { tokens })).toMatchObject({
        kind: "refused",
        reason: "TokenNotNamed",
        message: expect.stringContaining("install it with the values of a token") as string,
      });
  });

  it("is not held up by a number of registrations of a token that has ended", () => {
    const ended = fleetTokenOf("edge", { maxRegistrations: 1, ttl: "1h" });
    ended.token.metadata.creationTimestamp = "2020-01-01T00:00:00Z";
    expect(result(decideFleet(requestOf({}), { tokens: [open, ended] }))).toMatch(/^granted /u);
  });
});
