import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { valueAt } from "../../../src/core/read-json.ts";
import { createLeaseHolder, sleepOrStop } from "../../../src/kube/lease-holder.ts";
import type { LeaseHolderOptions } from "../../../src/kube/lease-holder.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { LeaseServer } from "./lease-server.ts";

const { signal } = new AbortController();
const conflict = new AppError("E_KUBE_CONFLICT", "changed");
const unreachable = new AppError("E_KUBE_UNREACHABLE", "no answer");

function scene(options: Partial<LeaseHolderOptions> = {}) {
  const server = new LeaseServer();
  const clock = createManualClock();
  const errors: unknown[] = [];
  const requests: string[] = [];
  /** Run before the request of that verb that comes next, once each. */
  const before: { verb: "get" | "create" | "update"; act: () => void }[] = [];
  const of = (identity: string, more: Partial<LeaseHolderOptions> = {}) => {
    const api = server.apiOf(identity);
    const ask = (verb: "get" | "create" | "update") => {
      requests.push(verb);
      const [next] = before;
      if (next?.verb !== verb) return;
      before.shift();
      next.act();
    };
    const counted: typeof api = {
      get: async (...args) => (ask("get"), api.get(...args)),
      create: async (...args) => (ask("create"), api.create(...args)),
      update: async (...args) => (ask("update"), api.update(...args)),
    };
    const onError = (error: unknown) => errors.push(error);
    const named = { namespace: "rollcall", name: "leader", identity, clock, onError, ...options, ...more };
    return createLeaseHolder(counted, named, 15_000);
  };
  const fail = (error: Error) => () => {
    throw error;
  };
  /** Another process writes the Lease. */
  const take = (identity: string, spec: object = {}) => {
    const metadata = { namespace: "rollcall", name: "leader", resourceVersion: `by-${identity}` };
    const held = { holderIdentity: identity, leaseDurationSeconds: 15, ...spec };
    server.lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: held };
  };
  return { server, clock, errors, requests, before, of, fail, take };
}

describe("a holder of a Lease", () => {
  it("reads the Lease once, then renews it by one write each", async () => {
    const { of, requests } = scene();
    const one = of("one");
    for (let count = 0; count < 3; count++) expect(await one.tryToHold(signal)).toBe(true);
    expect(requests).toEqual(["get", "create", "update", "update"]);
    one.stopObserving();
  });

  it("counts on when it takes over a Lease that was given back", async () => {
    const { of, server, take } = scene();
    take("", { leaseTransitions: 3 });
    const one = of("one");
    expect(await one.tryToHold(signal)).toBe(true);
    expect(valueAt(server.lease, "spec", "leaseTransitions")).toBe(4);
    one.stopObserving();
  });

  it("asks once and reports it when the server cannot be reached, and reads again afterwards", async () => {
    const { of, server, errors, requests } = scene();
    const one = of("one");
    await one.tryToHold(signal);
    server.unreachable.add("one");
    requests.length = 0;
    expect(await one.tryToHold(signal)).toBe(false);
    expect([requests, errors]).toEqual([["update"], [expect.objectContaining({ code: "E_KUBE_UNREACHABLE" })]]);
    server.unreachable.clear();
    expect(await one.tryToHold(signal)).toBe(true);
    expect(requests.slice(1)).toEqual(["get", "update"]);
    one.stopObserving();
  });

  it("reads at once who holds a Lease that another process wrote first, and reports no error", async () => {
    const { of, errors, requests, before, take } = scene();
    before.push({ verb: "create", act: () => take("two") });
    const one = of("one");
    expect([await one.tryToHold(signal), one.isHeldByOther]).toEqual([false, true]);
    expect([requests, errors]).toEqual([["get", "create", "get"], []]);
    one.stopObserving();
  });

  it("reports a second try that fails, and reads again at the next one", async () => {
    const { of, errors, requests, before, fail } = scene();
    const one = of("one");
    await one.tryToHold(signal);
    before.push({ verb: "update", act: fail(conflict) }, { verb: "update", act: fail(unreachable) });
    requests.length = 0;
    expect(await one.tryToHold(signal)).toBe(false);
    expect(errors).toEqual([unreachable]);
    expect(await one.tryToHold(signal)).toBe(true);
    expect(requests).toEqual(["update", "get", "update", "get", "update"]);
    one.stopObserving();
  });

  it.each([
    { asked: "the first try", errors: [unreachable] },
    { asked: "the second try", errors: [conflict, unreachable] },
  ])("reports nothing when $asked is called off", async ({ errors: planned }) => {
    const { of, errors, before } = scene();
    const stopping = new AbortController();
    for (const error of planned)
      before.push({
        verb: "get",
        act: () => {
          if (error === planned.at(-1)) stopping.abort();
          throw error;
        },
      });
    expect(await of("one").tryToHold(stopping.signal)).toBe(false);
    expect(errors).toEqual([]);
  });

  it.each([
    { planned: [unreachable], reason: "the first try fails" },
    { planned: [conflict, unreachable], reason: "the second try fails" },
  ])("does not throw where no process wants its errors and $reason", async ({ planned }) => {
    const { server, clock } = scene();
    const left = [...planned];
    const api = { ...server.apiOf("one"), get: () => Promise.reject(left.shift() ?? new Error("one more")) };
    const holder = createLeaseHolder(api, { namespace: "rollcall", name: "leader", identity: "one", clock }, 15_000);
    expect(await holder.tryToHold(signal)).toBe(false);
    expect(left).toEqual([]);
  });

  it("takes the Lease of another process when it did not change for as long as the Lease states", async () => {
    const { of, clock, take } = scene();
    take("two", { leaseDurationSeconds: 7 });
    const one = of("one");
    expect(await one.tryToHold(signal)).toBe(false);
    await clock.advance(6_999);
    expect([await one.tryToHold(signal), one.isHeldByOther]).toEqual([false, true]);
    await clock.advance(1);
    expect([one.isHeldByOther, await one.tryToHold(signal)]).toEqual([false, true]);
    one.stopObserving();
    expect(clock.sleepers).toBe(0);
  });
});

describe("the release of a Lease", () => {
  async function held() {
    const all = scene();
    const one = all.of("one");
    await one.tryToHold(signal);
    all.requests.length = 0;
    return { ...all, one };
  }

  it("gives it back for the shortest time, by one write, and ends the timers", async () => {
    const { one, server, requests, clock } = await held();
    await one.release();
    expect(server.lease?.["spec"]).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect([requests, clock.sleepers]).toEqual([["update"], 0]);
  });

  it("tries again after another version of its own Lease, and reports nothing", async () => {
    const { one, server, requests, errors, take } = await held();
    take("one");
    await one.release();
    expect([server.holder, requests, errors]).toEqual(["", ["update", "get", "update"], []]);
  });

  it.each([
    { found: "another process has it", meanwhile: "two" },
    { found: "it was deleted", meanwhile: undefined },
  ])("writes nothing when it finds that $found", async ({ meanwhile }) => {
    const { one, server, requests, errors, take } = await held();
    if (meanwhile === undefined) server.lease = undefined;
    else take(meanwhile);
    await one.release();
    expect([server.holder, requests, errors]).toEqual([meanwhile ?? "", ["update", "get"], []]);
  });

  it.each([
    { how: "the server cannot be reached", planned: [unreachable], requests: ["update"], reported: [unreachable] },
    {
      how: "the server cannot be reached any more after a conflict",
      planned: [conflict, unreachable],
      requests: ["update", "get", "update"],
      reported: [unreachable],
    },
    {
      how: "another process writes again and again",
      planned: [conflict, conflict],
      requests: ["update", "get", "update"],
      reported: [],
    },
  ])("does not throw when $how, and reports what is no conflict", async ({ planned, requests: sent, reported }) => {
    const { one, requests, errors, before, fail } = await held();
    for (const error of planned) before.push({ verb: "update", act: fail(error) });
    await one.release();
    expect([requests, errors]).toEqual([sent, reported]);
  });
});

describe("sleepOrStop", () => {
  it("returns when the time has passed, and at once when it is stopped", async () => {
    const clock = createManualClock();
    const stopping = new AbortController();
    const sleeping = sleepOrStop(clock, 1000, stopping.signal);
    await clock.advance(1000);
    await sleeping;
    const stopped = sleepOrStop(clock, 1000, stopping.signal);
    stopping.abort();
    await stopped;
    expect(clock.sleepers).toBe(0);
  });

  it("fails when the clock fails", async () => {
    const broken = new Error("no timers");
    const clock = { ...createManualClock(), sleep: () => Promise.reject(broken) };
    await expect(sleepOrStop(clock, 1000, signal)).rejects.toBe(broken);
  });
});
