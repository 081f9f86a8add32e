import { afterEach, describe, expect, it } from "vitest";
import { textAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { runAsLeader } from "../../../src/kube/leader-election.ts";
import type { LeaderElectionOptions } from "../../../src/kube/leader-election.ts";
import { leadingApi } from "../../../src/kube/leading-api.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { whenAborted } from "../../../src/system/when-aborted.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { deletingApi, LeaseServer } from "./lease-server.ts";

function named(name: string): ObjectRef {
  return { type: resourceTypes.configMap, namespace: "fleet", name };
}

describe("runAsLeader", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

  function scene() {
    const server = new LeaseServer();
    const leading = new Set<string>();
    const history: string[] = [];
    /** A candidate with a clock of its own, like a process on another machine. */
    const enter = (identity: string, options: Partial<LeaderElectionOptions> = {}) => {
      const clock = createManualClock();
      const stopping = new AbortController();
      const errors: unknown[] = [];
      const done = runAsLeader(server.apiOf(identity), {
        namespace: "rollcall",
        name: "leader",
        identity,
        clock,
        random: fixedRandom(0.5),
        signal: stopping.signal,
        onError: (error) => errors.push(error),
        onLeading: async (signal) => {
          leading.add(identity);
          history.push(identity);
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          leading.delete(identity);
        },
        ...options,
      });
      done.catch(() => undefined); // those tests that expect it to fail check it
      ends.push(async () => {
        stopping.abort();
        await clock.advance(60_000);
        await done.catch(() => undefined);
      });
      return { identity, clock, stopping, done, errors };
    };
    const advance = async (durationMs: number, ...clocks: { clock: ManualClock }[]) => {
      for (let passedMs = 0; passedMs < durationMs; passedMs += 100) {
        for (const { clock } of clocks) await clock.advance(100);
        expect(leading.size).toBeLessThanOrEqual(1);
      }
    };
    return { server, leading, history, enter, advance };
  }

  it("leads at once when no process does, writes a Lease like client-go's, and renews it every two seconds", async () => {
    const { server, leading, enter, advance } = scene();
    const one = enter("one");
    await advance(100, one);
    expect([...leading]).toEqual(["one"]);
    expect(server.lease).toMatchObject({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "rollcall", name: "leader" },
      spec: { holderIdentity: "one", leaseDurationSeconds: 15, leaseTransitions: 0 },
    });
    const acquireTime = textAt(server.lease, "spec", "acquireTime");
    expect(acquireTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/u);
    await advance(20_000, one);
    expect(server.writes).toBe(11);
    expect(textAt(server.lease, "spec", "acquireTime")).toBe(acquireTime);
    expect(textAt(server.lease, "spec", "renewTime")).not.toBe(acquireTime);
  });

  it("waits while another one renews, and takes over 15 s after it last saw that, by its own clock", async () => {
    const { server, leading, enter, advance } = scene();
    const one = enter("one");
    await advance(100, one);
    const two = enter("two");
    await advance(60_000, one, two);
    expect([...leading]).toEqual(["one"]);
    // The first one hangs: it neither renews nor releases.
    leading.clear();
    await advance(14_000, two);
    expect(server.holder).toBe("one");
    await advance(4000, two);
    expect(server.holder).toBe("two");
    expect([...leading]).toEqual(["two"]);
    expect(valueAt(server.lease, "spec", "leaseTransitions")).toBe(1);
  });

  it("F7 counts no time that another clock wrote: a leader whose clock is years behind stays", async () => {
    const { leading, enter, advance } = scene();
    const one = enter("one");
    one.clock.jump(-5 * 365 * 86_400_000);
    await advance(100, one);
    const two = enter("two");
    await advance(60_000, one, two);
    expect([...leading]).toEqual(["one"]);
  });

  it("takes no jump of its own clock for the end of the Lease", async () => {
    const { leading, enter, advance } = scene();
    const one = enter("one");
    await advance(100, one);
    const two = enter("two");
    await advance(4000, one, two);
    two.clock.jump(3_600_000);
    await advance(30_000, one, two);
    expect([...leading]).toEqual(["one"]);
  });

  it("releases the Lease when it is stopped, so that the next one leads within a try", async () => {
    const { server, leading, enter, advance } = scene();
    const one = enter("one");
    await advance(100, one);
    const two = enter("two");
    await advance(2000, one, two);
    one.stopping.abort();
    await one.done;
    expect(server.holder).toBe("");
    await advance(2500, two);
    expect([...leading]).toEqual(["two"]);
  });

  it("releases the Lease also after a renewal that was written and whose answer was lost", async () => {
    const { server, enter, advance } = scene();
    const one = enter("one");
    await advance(100, one);
    server.unheard.add("one");
    const before = server.writes;
    while (server.writes === before) await one.clock.advance(100);
    server.unheard.clear();
    one.stopping.abort();
    await one.done;
    expect(server.holder).toBe("");
  });

  it("stops its work when it could not renew for ten seconds, before anybody else may begin", async () => {
    const { server, leading, history, enter, advance } = scene();
    const one = enter("one");
    await advance(100, one);
    const two = enter("two");
    await advance(4000, one, two);
    server.unreachable.add("one");
    await advance(9000, one, two);
    expect([...leading]).toEqual(["one"]);
    await advance(4000, one, two);
    expect([...leading]).toEqual([]);
    expect(server.holder).toBe("one");
    await advance(4000, one, two);
    expect([...leading]).toEqual(["two"]);
    server.unreachable.clear();
    await advance(30_000, one, two);
    expect(history).toEqual(["one", "two"]);
    expect(one.errors.length).toBeGreaterThan(3);
  });

  it("continues when a renewal fails and the next one succeeds", async () => {
    const { server, history, leading, enter, advance } = scene();
    const one = enter("one");
    await advance(100, one);
    server.unreachable.add("one");
    await advance(7000, one);
    server.unreachable.clear();
    await advance(30_000, one);
    expect([history, [...leading]]).toEqual([["one"], ["one"]]);
  });

  it("F12 stops its work first of all when it was held up for longer than the Lease lasts", async () => {
    const { server, enter, advance, leading, history } = scene();
    let hasStopped = false;
    const one = enter("one", {
      onLeading: async (signal) => {
        history.push("one");
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        hasStopped = true;
      },
    });
    await advance(100, one);
    const two = enter("two");
    await advance(2000, one, two);
    await advance(20_000, two);
    expect([...leading]).toEqual(["two"]);
    const writes = server.writes;
    // It resumes: for its clock the time passed in one piece. It stops even where the server does not answer.
    server.unreachable.add("one");
    one.clock.range(20_000);
    await one.clock.advance(2000);
    expect(hasStopped).toBe(true);
    expect(server.writes).toBe(writes);
    server.unreachable.clear();
    await advance(20_000, one, two);
    expect(history).toEqual(["one", "two"]);
    expect(server.holder).toBe("two");
  });

  it("F12 writes nothing when it continues after standing still for longer than the Lease lasts, before any timer fires", async () => {
    const { enter, advance } = scene();
    const still = { ms: 0 };
    const clock = createManualClock();
    const writes: string[] = [];
    const api = deletingApi(writes);
    let leader: KubeApi | undefined;
    let heard: AbortSignal | undefined;
    enter("one", {
      clock: { ...clock, monotonicMs: () => clock.monotonicMs() + still.ms },
      onLeading: async (signal, isCurrent) => {
        heard = signal;
        leader = leadingApi(api as KubeApi, { signal, isCurrent });
        await whenAborted(signal);
      },
    });
    await advance(100, { clock });
    await leader?.delete(named("before"));
    still.ms = 15_000;
    expect(heard?.aborted).toBe(false);
    await expect(leader?.delete(named("after"))).rejects.toMatchObject({ name: "AbortError" });
    expect([writes, heard?.aborted]).toEqual([["before"], true]);
  });

  it.each([
    { asking: "for the Lease", ledMs: 0 },
    { asking: "for a renewal", ledMs: 100 },
  ])("F12 counts the Lease from when it asked $asking, however late the answer came", async ({ ledMs }) => {
    const { server, enter, advance } = scene();
    const still = { ms: 0 };
    const clock = createManualClock();
    const writes: string[] = [];
    let leader: KubeApi | undefined;
    const answer = new AbortController();
    if (ledMs === 0) server.answering = whenAborted(answer.signal);
    enter("one", {
      clock: { ...clock, monotonicMs: () => clock.monotonicMs() + still.ms },
      onLeading: async (signal, isCurrent) => {
        leader = leadingApi(deletingApi(writes) as KubeApi, { signal, isCurrent });
        await whenAborted(signal);
      },
    });
    await advance(ledMs, { clock });
    server.answering = whenAborted(answer.signal);
    // A renewal begins two seconds later.
    await advance(11_000, { clock });
    answer.abort();
    await advance(100, { clock });
    await leader?.delete(named("before"));
    still.ms = 6_000;
    await expect(leader?.delete(named("after"))).rejects.toMatchObject({ name: "AbortError" });
    expect(writes).toEqual(["before"]);
  });

  it("F12 does not release the Lease of the process that leads now when it is stopped", async () => {
    const { server, enter, advance, leading } = scene();
    const one = enter("one", { onLeading: (signal) => whenAborted(signal) });
    await advance(100, one);
    const two = enter("two");
    await advance(20_000, two);
    expect([...leading]).toEqual(["two"]);
    one.stopping.abort();
    await one.done;
    expect(server.holder).toBe("two");
  });

  it("F12 writes nothing, and stops, when the machine was suspended and its monotonic clock stood still meanwhile", async () => {
    const { server, enter, advance } = scene();
    const clock = createManualClock();
    const suspended = { ms: 0 };
    const writes: string[] = [];
    const api = deletingApi(writes);
    let leader: KubeApi | undefined;
    let terms = 0;
    enter("one", {
      clock: { ...clock, suspendedMs: () => suspended.ms },
      onLeading: async (signal, isCurrent) => {
        terms += 1;
        leader = leadingApi(api as KubeApi, { signal, isCurrent });
        await whenAborted(signal);
      },
    });
    await advance(100, { clock });
    suspended.ms = 9_000;
    await leader?.delete(named("before"));
    await advance(3_000, { clock });
    suspended.ms += 15_000;
    await expect(leader?.delete(named("after"))).rejects.toMatchObject({ name: "AbortError" });
    expect([writes, terms]).toEqual([["before"], 1]);
    // Without a write the next renewal stops it, before it asks.
    await advance(5_000, { clock });
    const before = server.writes;
    server.unreachable.add("one");
    suspended.ms += 15_000;
    await advance(2_100, { clock });
    expect([terms, server.writes]).toEqual([2, before]);
  });

  it("F27 keeps the Lease when the clock is set, forward or back", async () => {
    const { enter, advance, history } = scene();
    const one = enter("one");
    await advance(100, one);
    for (const stepMs of [86_400_000, -2 * 86_400_000]) {
      one.clock.jump(stepMs);
      await advance(30_000, one);
    }
    expect(history).toEqual(["one"]);
  });

  it("stops its work as soon as it sees that another process took the Lease", async () => {
    const { server, enter, advance, leading } = scene();
    const one = enter("one");
    await advance(100, one);
    const thief = server.apiOf("thief");
    if (server.lease === undefined) throw new Error("no lease");
    await thief.update(
      { ...server.lease, spec: { holderIdentity: "thief", leaseDurationSeconds: 15 } },
      { fieldManager: "t" },
    );
    await advance(2100, one);
    expect([...leading]).toEqual([]);
    expect(server.holder).toBe("thief");
  });

  it("one of many wins when the Lease becomes free", async () => {
    const { server, enter, advance, history } = scene();
    const many = Array.from({ length: 8 }, (_, index) => enter(`candidate-${index}`));
    await advance(5000, ...many);
    expect(history).toHaveLength(1);
    expect(history[0]).toBe(server.holder);
  });

  it("ends, and releases, when the work ends by itself, and fails with the work's error", async () => {
    const { server, enter, advance } = scene();
    const one = enter("one", { onLeading: () => Promise.resolve() });
    await one.done;
    expect(server.holder).toBe("");
    const problem = new Error("work");
    const two = enter("two", { onLeading: () => Promise.reject(problem) });
    await advance(100, two);
    await expect(two.done).rejects.toBe(problem);
    expect(server.holder).toBe("");
    expect([one.clock.sleepers, two.clock.sleepers]).toEqual([0, 0]);
  });

  it("is not led by anybody who was stopped before", async () => {
    const { server, enter, history } = scene();
    const one = enter("one", { signal: AbortSignal.abort() });
    await one.done;
    expect([server.lease, history]).toEqual([undefined, []]);
  });

  it("refuses periods with which two could lead", async () => {
    const { enter } = scene();
    await expect(enter("one", { leaseDurationMs: 10_000 }).done).rejects.toMatchObject({ code: "E_BUG" });
    await expect(enter("two", { renewDeadlineMs: 2000 }).done).rejects.toMatchObject({ code: "E_BUG" });
  });
});
