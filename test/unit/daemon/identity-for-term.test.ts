import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { identityForTerm } from "../../../src/daemon/identity-for-term.ts";
import type { HubIdentity } from "../../../src/hub/trust-key.ts";

const identity = (change: Partial<HubIdentity["trust"]> = {}): HubIdentity => ({
  hubId: "sha256:first",
  trust: { publicKey: "first", epoch: 1, validFrom: "2026-01-01T00:00:00Z", sign: (payload) => payload, ...change },
});
const known = identity();

/** What a process works with that knows `known` and reads these, try after try. It is stopped in its third wait. */
async function begin(...answers: readonly (HubIdentity | Error | undefined)[]) {
  const ending = new AbortController();
  let tries = 0;
  let waits = 0;
  const source = {
    read: () => {
      const answer = answers[Math.min(tries++, answers.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    clock: {
      nowMs: () => 0,
      monotonicMs: () => 0,
      sleep: () => {
        if (++waits === 3) ending.abort();
        return Promise.resolve();
      },
    },
    random: { next: () => 0, bytes: () => new Uint8Array() },
    log: silentLog,
  };
  return { used: await identityForTerm(known, source, ending.signal), tries };
}

describe("identityForTerm", () => {
  it.each([
    { what: "a trust key that was replaced", present: identity({ publicKey: "second" }) },
    { what: "the epoch of a restore", present: identity({ epoch: 2 }) },
    { what: "an address that was announced later", present: identity({ validFrom: "2026-02-01T00:00:00Z" }) },
  ])("takes over $what while the process waited", async ({ present }) => {
    expect((await begin(present)).used).toBe(present);
  });

  it("keeps what is known where nothing changed, and where the key was deleted", async () => {
    expect((await begin(identity())).used).toBe(known);
    expect((await begin(undefined)).used).toBe(known);
  });

  it("asks until the hub answers", async () => {
    const present = identity({ epoch: 2 });
    const failure = new Error("the hub is away");
    expect(await begin(failure, failure, present)).toEqual({ used: present, tries: 3 });
  });

  it("gives up with the term", async () => {
    expect(await begin(new Error("the hub is away"))).toEqual({ used: known, tries: 3 });
  });
});
