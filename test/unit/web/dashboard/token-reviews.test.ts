import { describe, expect, it } from "vitest";
import { createTokenReviews } from "../../../../src/web/dashboard/token-reviews.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const ada = { username: "ada", groups: [] };

/** A hub that knows the token of Ada; it has no answer for others yet. */
function openReviews() {
  const asked: string[] = [];
  const clock = createManualClock();
  const state = { isEnded: false };
  const review = (token: string): Promise<typeof ada | undefined> => {
    asked.push(token);
    return token === "ada-token" ? Promise.resolve(state.isEnded ? undefined : ada) : new Promise(() => undefined);
  };
  return { asked, clock, state, userOf: createTokenReviews({ clock, review, keptMs: 15_000, most: 1000 }) };
}

describe("A73 a client that sends token after token", () => {
  it("keeps no user out whose token the hub accepted before", async () => {
    const { asked, clock, userOf } = openReviews();
    expect(await userOf("ada-token")).toBe(ada);
    const others = Array.from({ length: 2000 }, (_, index) => userOf(`t${index}`));
    // What finds too many waiting fails at once.
    for (const other of others) other.catch(() => undefined);
    expect(await userOf("ada-token")).toBe(ada);
    await clock.advance(16_000);
    const before = asked.length;
    expect(await userOf("ada-token")).toBe(ada);
    expect(await userOf("ada-token")).toBe(ada);
    expect(asked.slice(before)).toEqual(["ada-token"]);
  });

  it("gives a token that has ended no line of its own", async () => {
    const { clock, state, userOf } = openReviews();
    await userOf("ada-token");
    await userOf("ada-token");
    state.isEnded = true;
    await clock.advance(16_000);
    expect(await userOf("ada-token")).toBeUndefined();
    for (let index = 0; index < 104; index++) userOf(`t${index}`).catch(() => undefined);
    await clock.advance(16_000);
    await expect(userOf("ada-token")).rejects.toMatchObject({ code: "E_KUBE_THROTTLED" });
  });

  it("keeps a line of their own for the thousand users that were accepted last", async () => {
    const clock = createManualClock();
    let isSlow = false;
    const review = (token: string): Promise<typeof ada | undefined> =>
      isSlow && token.startsWith("wrong") ? new Promise(() => undefined) : Promise.resolve(ada);
    const userOf = createTokenReviews({ clock, review, keptMs: 15_000, most: 1000 });
    for (let index = 0; index <= 1000; index++) await userOf(`user-${index}`);
    isSlow = true;
    await clock.advance(16_000);
    for (let index = 0; index < 104; index++) userOf(`wrong-${index}`).catch(() => undefined);
    expect(await userOf("user-1")).toBe(ada);
    await expect(userOf("user-0")).rejects.toMatchObject({ code: "E_KUBE_THROTTLED" });
  });
});
