import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../../../src/embedded-hub/auth/authenticator.ts";
import { authWorld, hubKey, issuer, object } from "./auth-builders.ts";

describe("authenticate for many agents", () => {
  it("checks the signature of each of 10,000 tokens once, in whichever order they come", async () => {
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
    const tokens = Array.from({ length: 10_000 }, () => tokenFor("bot"));
    for (let round = 0; round < 3; round += 1) {
      for (const token of tokens) await authenticator.authenticate({ authorization: `Bearer ${token}` });
    }
    expect(checks).toBe(10_000);
  });
});
