import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { runAsLeader } from "../../../src/kube/leader-election.ts";
import type { LeaderElectionOptions } from "../../../src/kube/leader-election.ts";
import { whenAborted } from "../../../src/system/when-aborted.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import { LeaseServer } from "./lease-server.ts";

describe("the term of a leader", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  /** One candidate. Its clock can be held still, and replaced by one that lacks something. */
  function lead(clockOf: (clock: Clock) => Clock = (clock) => clock, options: Partial<LeaderElectionOptions> = {}) {
    const server = new LeaseServer();
    const clock = createManualClock();
    const stopping = new AbortController();
    const terms: { readonly signal: AbortSignal; readonly isCurrent: () => boolean }[] = [];
    const done = runAsLeader(server.apiOf("one"), {
      namespace: "rollcall",
      name: "leader",
      identity: "one",
      clock: clockOf(clock),
      random: fixedRandom(0.5),
      signal: stopping.signal,
      onLeading: async (signal, isCurrent) => {
        terms.push({ signal, isCurrent });
        await whenAborted(signal);
      },
      ...options,
    });
    done.catch(() => undefined); // those tests that expect it to fail check it
    ends.push(async () => {
      stopping.abort();
      await clock.advance(60_000);
      await done.catch(() => undefined);
    });
    return { server, clock, stopping, terms, done };
  }

  it("is current for as long as it is renewed, and leaves no timers of its renewals behind", async () => {
    const { clock, terms, server } = lead();
    await clock.advance(100);
    const sleepers = clock.sleepers;
    for (let minutes = 0; minutes < 10; minutes++) {
      await clock.advance(60_000);
      expect([terms.length, terms[0]?.isCurrent(), clock.sleepers]).toEqual([1, true, sleepers]);
    }
    expect(server.writes).toBe(301);
  });

  it.each([
    { clock: "that counts suspended time", clockOf: (clock: Clock) => clock },
    {
      clock: "that counts none",
      clockOf: (clock: Clock): Clock => ({
        nowMs: () => clock.nowMs(),
        monotonicMs: () => clock.monotonicMs(),
        sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
      }),
    },
  ])("lasts 15 s from the last renewal, by a clock $clock, and not a millisecond more", async ({ clockOf }) => {
    let stillMs = 0;
    const { clock, terms } = lead((own) => ({ ...clockOf(own), monotonicMs: () => own.monotonicMs() + stillMs }));
    await clock.advance(20_000);
    stillMs = 14_999;
    expect([terms[0]?.isCurrent(), terms[0]?.signal.aborted]).toEqual([true, false]);
    stillMs = 15_000;
    expect([terms[0]?.isCurrent(), terms[0]?.signal.aborted]).toEqual([false, true]);
  });

  it.each([
    { heldUpMs: 14_999, terms: 1 },
    { heldUpMs: 15_000, terms: 2 },
  ])(
    "has $terms terms when it was held up for $heldUpMs ms since its last renewal",
    async ({ heldUpMs, terms: most }) => {
      const { clock, terms } = lead();
      await clock.advance(20_000);
      clock.range(heldUpMs);
      await clock.advance(10_000);
      expect(terms).toHaveLength(most);
    },
  );

  it("releases a Lease that was written for it while it was stopped, and begins no work", async () => {
    const { server, clock, stopping, terms, done } = lead();
    const answer = new AbortController();
    server.answering = whenAborted(answer.signal);
    await clock.advance(100);
    expect(server.holder).toBe("one");
    stopping.abort();
    answer.abort();
    await done;
    expect([server.holder, terms]).toEqual(["", []]);
  });

  it("asks again at once when its term was lost, also where it asks rarely", async () => {
    const { server, clock, terms } = lead((own) => own, { askPeriodMs: 3_600_000 });
    await clock.advance(20_000);
    server.unreachable.add("one");
    await clock.advance(11_900);
    expect(terms[0]?.signal.aborted).toBe(false);
    server.unreachable.clear();
    clock.range(15_000);
    await clock.advance(100);
    expect(terms).toHaveLength(2);
  });

  it.each([
    { leaseDurationMs: 10_001, renewDeadlineMs: 10_000, retryPeriodMs: 8333, isRefused: false },
    { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000, isRefused: true },
    { leaseDurationMs: 15_000, renewDeadlineMs: 12_000, retryPeriodMs: 10_000, isRefused: true },
  ])(
    "with the periods of $leaseDurationMs, $renewDeadlineMs and $retryPeriodMs ms is refused: $isRefused",
    async (row) => {
      const { isRefused, ...periods } = row;
      const { clock, terms, done } = lead((own) => own, periods);
      await clock.advance(100);
      expect(terms).toHaveLength(isRefused ? 0 : 1);
      if (isRefused) await expect(done).rejects.toMatchObject({ code: "E_BUG" });
    },
  );
});
