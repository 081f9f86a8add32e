import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { lead, leadBefore, leadership, leaseNames, leaseOfRepository } from "../../../src/daemon/leadership.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Term } from "../../../src/kube/leading-api.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { whenAborted } from "../../../src/system/when-aborted.ts";
import { until } from "../../support/until.ts";
import { LeaseServer } from "../kube/lease-server.ts";

/** A hub with the Leases of a daemon, by name, and what is logged of the elections on it. */
function openHub() {
  const servers = new Map<string, LeaseServer>();
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const note = (message: string, fields?: LogFields): void => void lines.push([message, fields]);
  const log: Log = { ...silentLog, info: note, warn: note };
  const serverOf = (name: string): LeaseServer => {
    const known = servers.get(name) ?? new LeaseServer();
    servers.set(name, known);
    return known;
  };
  const apiOf = (identity: string) =>
    ({
      get: (ref: ObjectRef) => serverOf(ref.name).apiOf(identity).get(ref),
      create: (object: KubeObject) =>
        serverOf(object.metadata.name).apiOf(identity).create(object, { fieldManager: "" }),
      update: (object: KubeObject) =>
        serverOf(object.metadata.name).apiOf(identity).update(object, { fieldManager: "" }),
    }) as unknown as KubeApi;
  /** Another process takes the Lease from its holder. */
  const take = async (name: string): Promise<void> => {
    const { lease } = serverOf(name);
    const spec = { ...(lease?.["spec"] as object), holderIdentity: "other" };
    await apiOf("other").update({ ...lease, spec } as unknown as KubeObject, { fieldManager: "" });
  };
  return { serverOf, apiOf, take, lines, log, messages: () => lines.map(([message]) => message) };
}

/** A process that leads, or does not: what it did, in order. */
function enter(
  hub: ReturnType<typeof openHub>,
  options: {
    readonly identity?: string;
    readonly name?: string;
    /** What it does when it is elected, before it leads. Default: nothing. */
    readonly prepare?: (signal: AbortSignal) => Promise<void>;
  },
) {
  const stopping = new AbortController();
  const events: string[] = [];
  const leads = new Map<string, boolean>();
  const terms: Term[] = [];
  const name = options.name ?? leaseNames.hub;
  const work = async (term: Term): Promise<void> => {
    terms.push(term);
    events.push(`begins, leads ${leads.get(name)}`);
    await whenAborted(term.signal);
    events.push("ends");
  };
  const ended = lead(name, work, {
    hubApi: hub.apiOf(options.identity ?? ""),
    namespace: "rollcall",
    identity: options.identity,
    leads,
    prepare: async (signal) => {
      events.push(`prepares, leads ${leads.get(name)}`);
      await options.prepare?.(signal);
    },
    onLead: () => void events.push(`is notified, leads ${leads.get(name)}`),
    log: hub.log,
    signal: stopping.signal,
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  const whenIt = (event: string) =>
    until(
      async () => events.filter((one) => one.startsWith(event)).length,
      (count) => count > 0,
    );
  return { events, leads, terms, stop, whenIt };
}

describe("the Leases of a daemon", () => {
  it("are one for the hub and one for each repository", () => {
    expect([leaseNames.hub, leaseNames.repository, leaseOfRepository("other")]).toEqual([
      "rollcall-hub",
      "rollcall-repository",
      "rollcall-repository.other",
    ]);
  });

  it("have a successor of a killed leader within 12 seconds: the Lease's time and one late try", () => {
    expect(leadership.leaseDurationMs + leadership.retryPeriodMs).toBeLessThanOrEqual(12_000);
  });
});

describe("lead", () => {
  it("works at once, and until it is stopped, where there is no election", async () => {
    const process = enter(openHub(), {});
    await process.whenIt("begins");
    expect(process.leads.get(leaseNames.hub)).toBe(true);
    const [term] = process.terms;
    expect(term?.isCurrent()).toBe(true);
    await process.stop();
    expect(term?.isCurrent()).toBe(false);
    expect(process.events).toEqual(["is notified, leads true", "begins, leads true", "ends"]);
    expect(process.leads.get(leaseNames.hub)).toBe(false);
  });

  it("prepares before it counts as leader, and gives the Lease back", async () => {
    const hub = openHub();
    const process = enter(hub, { identity: "a" });
    expect(process.leads.get(leaseNames.hub)).toBe(false);
    await process.whenIt("begins");
    expect(hub.serverOf(leaseNames.hub).holder).toBe("a");
    expect(process.terms[0]?.isCurrent()).toBe(true);
    await process.stop();
    expect(process.events).toEqual(["prepares, leads false", "is notified, leads true", "begins, leads true", "ends"]);
    expect(process.leads.get(leaseNames.hub)).toBe(false);
    expect(hub.serverOf(leaseNames.hub).holder).toBe("");
  });

  it("does not lead where the Lease was lost while it prepared", async () => {
    const hub = openHub();
    const process = enter(hub, { identity: "a", prepare: (leading) => whenAborted(leading) });
    await process.whenIt("prepares");
    await hub.take(leaseNames.hub);
    await until(
      async () => hub.messages(),
      (messages) => messages.includes("on standby until the Lease is free"),
    );
    await process.stop();
    expect(process.events).toEqual(["prepares, leads false"]);
  });

  it("waits while another process leads, reports itself as no leader, and logs that it is on standby", async () => {
    const hub = openHub();
    const first = enter(hub, { identity: "a" });
    await first.whenIt("begins");
    const second = enter(hub, { identity: "b" });
    const other = enter(hub, { identity: "b", name: leaseNames.repository });
    await other.whenIt("begins");
    expect(second.events).toEqual([]);
    expect([...second.leads]).toEqual([[leaseNames.hub, false]]);
    await until(
      async () => hub.lines.length,
      (count) => count > 0,
    );
    await Promise.all([second.stop(), other.stop(), first.stop()]);
    expect(second.events).toEqual([]);
    const standby = ["on standby until the Lease is free", { namespace: "rollcall", lease: leaseNames.hub }];
    expect(hub.lines).toEqual([standby]);
  });

  it("logs the tries that fail, once, and that the election works again", async () => {
    const hub = openHub();
    hub.serverOf(leaseNames.hub).unreachable.add("a");
    const process = enter(hub, { identity: "a" });
    await until(
      async () => hub.lines.length,
      (count) => count > 0,
    );
    hub.serverOf(leaseNames.hub).unreachable.clear();
    await process.whenIt("begins");
    await process.stop();
    expect(hub.lines).toMatchObject([
      ["leader election failed", { name: leaseNames.hub, error: { code: "E_KUBE_UNREACHABLE" } }],
      ["leader election works again", { name: leaseNames.hub }],
    ]);
  });
});

describe("leadBefore", () => {
  const run = (
    hub: ReturnType<typeof openHub>,
    identity: string | undefined,
    work: (signal: AbortSignal) => Promise<void>,
    signal = new AbortController().signal,
  ) => leadBefore(work, { hubApi: hub.apiOf(identity ?? ""), namespace: "rollcall", identity, log: hub.log, signal });
  const holders = (hub: ReturnType<typeof openHub>) =>
    Object.values(leaseNames).map((name) => hub.serverOf(name).holder);

  it("does the work without an election where there is none", async () => {
    const hub = openHub();
    const stopping = new AbortController();
    let given: AbortSignal | undefined;
    await run(hub, undefined, async (signal) => void (given = signal), stopping.signal);
    expect(given).toBe(stopping.signal);
    expect(hub.serverOf(leaseNames.hub).writes).toBe(0);
  });

  it("holds both Leases while it works, and gives both back", async () => {
    const hub = openHub();
    const seen: string[][] = [];
    await run(hub, "a", async () => void seen.push(holders(hub)));
    expect(seen).toEqual([["a", "a"]]);
    expect(holders(hub)).toEqual(["", ""]);
    expect(hub.messages()).toEqual([]);
  });

  it("rejects with what the work throws, and gives both Leases back", async () => {
    const hub = openHub();
    const failed = run(hub, "a", () => Promise.reject(new AppError("E_KUBE_INVALID", "no")));
    await expect(failed).rejects.toMatchObject({ code: "E_KUBE_INVALID" });
    expect(holders(hub)).toEqual(["", ""]);
  });

  it("begins only when another process has given either Lease back, and logs that it waits", async () => {
    const wait = async (name: string): Promise<void> => {
      const hub = openHub();
      const other = enter(hub, { identity: "b", name });
      await other.whenIt("begins");
      const order: string[] = [];
      const done = run(hub, "a", async () => void order.push("works"));
      await until(
        async () => hub.messages(),
        (messages) => messages.length > 0,
      );
      const leases = ["rollcall-hub", "rollcall-repository"];
      expect(hub.lines).toEqual([["waits until no other daemon leads", { leases }]]);
      order.push("other ends");
      await other.stop();
      await done;
      expect(order).toEqual(["other ends", "works"]);
    };
    await Promise.all(Object.values(leaseNames).map(wait));
  });

  it("begins nothing, and rejects, when it is stopped while it waits", async () => {
    const hub = openHub();
    const other = enter(hub, { identity: "b" });
    await other.whenIt("begins");
    const stopping = new AbortController();
    const stopped = run(hub, "a", () => Promise.reject(new Error("it began")), stopping.signal);
    await until(
      async () => hub.serverOf(leaseNames.repository).holder,
      (holder) => holder === "a",
    );
    stopping.abort();
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    expect(hub.serverOf(leaseNames.repository).holder).toBe("");
    await other.stop();
  });

  it("gives the repository's Lease back where it lost the hub's, and is not done although the work ended", async () => {
    const hub = openHub();
    const stopping = new AbortController();
    const work = async (signal: AbortSignal): Promise<void> => {
      await hub.take(leaseNames.hub);
      await whenAborted(signal);
    };
    const ended = run(hub, "a", work, stopping.signal);
    await until(
      async () => hub.serverOf(leaseNames.repository),
      ({ holder, writes }) => writes > 0 && holder === "",
    );
    stopping.abort();
    await expect(ended).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is not done where the work was broken off by its end", async () => {
    const hub = openHub();
    const stopping = new AbortController();
    const work = async (signal: AbortSignal): Promise<void> => {
      stopping.abort();
      await whenAborted(signal);
    };
    await expect(run(hub, "a", work, stopping.signal)).rejects.toMatchObject({ name: "AbortError" });
  });
});
