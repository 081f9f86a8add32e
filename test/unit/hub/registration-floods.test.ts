import { describe, expect, it } from "vitest";
import { granted, openRegistrations, refused } from "./registration-world.ts";

describe("createRegistrations", () => {
  it.each([
    { what: "admitted a hundred agents", count: 105, most: 100, decide: (name: string) => granted(name) },
    { what: "refused two hundred", count: 220, most: 207, decide: (name: string) => refused(name) },
  ])("lists the members anew at once when it has $what", async ({ count, most, decide }) => {
    const { ask, reconcile, decided, asked } = await openRegistrations(decide);
    for (let number = 0; number < count; number++) await ask(`r-${number}`);
    expect(await reconcile()).toBe(0);
    expect(decided.length).toBeLessThanOrEqual(most);
    // Nothing is collected before every request was decided.
    expect(asked().filter((request) => request.startsWith("delete"))).toEqual([]);
    expect(await reconcile()).not.toBe(0);
    expect(decided.length).toBeGreaterThanOrEqual(count - most);
  });

  it("A119 decides on the request of a token before the many that name it and were made without its values", async () => {
    const forged = new Set(Array.from({ length: 250 }, (_, number) => `forged-${number}`));
    const world = await openRegistrations((name) => refused(name), forged);
    const { ask, reconcile, decided } = world;
    await world.declareToken("edge");
    for (const name of forged) await ask(name, "edge");
    await ask("honest", "edge");
    await reconcile();
    expect(decided.slice(0, 2)).toEqual(["forged-0", "honest"]);
  });
});
