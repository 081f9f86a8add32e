import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../../../src/embedded-hub/auth/authenticator.ts";
import { authWorld, hubKey, issuer, object } from "./auth-builders.ts";

describe("authenticate for many agents", () => {
  it("checks the signature of each of 10,000 tokens once, in whichever order they come", () => {
    const { authenticate, tokenFor, checks } = countedWorld();
    const tokens = Array.from({ length: 10_000 }, () => tokenFor("bot"));
    for (let round = 0; round < 3; round += 1) for (const token of tokens) authenticate(token);
    expect(checks()).toBe(10_000);
  });

  it("A130 accepts one of the texts that a decoder reads as one signature", async () => {
    const { put, tokenFor, whoIs } = authWorld();
    put(object("ServiceAccount", "bot"));
    const token = tokenFor("bot");
    expect(await whoIs(token)).toMatchObject({ username: "system:serviceaccount:shop:bot" });
    for (const end of ["=", "!", "~~", ".", "A"])
      expect(await whoIs(`${token}${end}`)).toContain("invalid bearer token");
    // The last character of 64 bytes has four bits that mean nothing.
    const last = token.at(-1) ?? "";
    const others = ["A", "B", "C", "D"].filter((one) => one !== last);
    for (const other of others) expect(await whoIs(`${token.slice(0, -1)}${other}`)).toContain("invalid bearer token");
  });

  it("A130 holds no token of 40,000 characters", () => {
    const { authenticate, tokenFor, checks } = countedWorld();
    const token = tokenFor("bot", { audiences: [issuer, "a".repeat(30_000)] });
    for (let count = 1; count <= 3; count += 1) {
      expect(authenticate(token)).toMatchObject({ kind: "user" });
      expect(checks()).toBe(count);
    }
  });

  it("A130 holds at most 24 million characters of tokens", () => {
    const { authenticate, tokenFor, checks } = countedWorld();
    const audiences = [issuer, "a".repeat(5_600)];
    const [first = "", ...others] = Array.from({ length: 3_300 }, () => tokenFor("bot", { audiences }));
    expect(first.length).toBeGreaterThan(7_900);
    for (const token of [first, first, ...others, others.at(-1) ?? ""]) authenticate(token);
    expect(checks()).toBe(3_300);
    authenticate(first);
    expect(checks()).toBe(3_301);
  });
});

/** A hub with the account `bot`, and how many signatures it has checked. */
function countedWorld() {
  let checks = 0;
  // The key is asked for once for each signature.
  const key = {
    ...hubKey,
    get publicKey() {
      checks += 1;
      return hubKey.publicKey;
    },
  };
  const { read, put, tokenFor, nowMs } = authWorld();
  put(object("ServiceAccount", "bot"));
  const authenticator = createAuthenticator({ issuer, keys: [key], read, nowMs: () => nowMs });
  const authenticate = (token: string) => authenticator.authenticate({ authorization: `Bearer ${token}` });
  return { authenticate, tokenFor, checks: () => checks };
}
