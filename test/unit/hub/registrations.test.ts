import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { createRegistrations } from "../../../src/hub/registrations.ts";
import type { RegistrationDecision } from "../../../src/join/join.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startMs } from "../join/hub-scene.ts";
import { clusterOf } from "./objects.ts";
import { granted, openRegistrations, refOf, refused } from "./registration-world.ts";

const none: RegistrationDecision = { kind: "none" };

describe("createRegistrations", () => {
  it("decides requests oldest first, the first of each token before the second of any", async () => {
    const { ask, declareToken, reconcile, decided } = await openRegistrations(() => none);
    for (const token of ["a", "b"]) await declareToken(token);
    await declareToken("by-hand", "kubectl");
    const requests = [
      ["a-1", "a"],
      ["a-2", "a"],
      ["hand-1", "by-hand"],
      ["a-3", "a"],
      ["nothing-1"],
      ["b-1", "b"],
      ["unknown-1", "unknown"],
    ] as const;
    for (const [name, token] of requests) await ask(name, token);
    await reconcile();
    // Those of no token of a file count as one token.
    expect(decided).toEqual(["a-1", "hand-1", "b-1", "a-2", "nothing-1", "a-3", "unknown-1"]);
  });

  it("decides requests in the order of their age, in whatever order the view lists them", async () => {
    const { ask, reconcile, decided } = await openRegistrations(() => none);
    for (const [name, seconds] of [
      ["b", 9],
      ["c", 3],
      ["a", 9],
      ["d", 6],
    ] as const)
      await ask(name, undefined, {}, startMs + seconds * 1000);
    await reconcile();
    expect(decided).toEqual(["c", "d", "a", "b"]);
  });

  it("records no second Event of a refusal that is decided again and is the same", async () => {
    const status = { reason: "TokenClosed", message: "Wait." };
    const { ask, reconcile, events, decided } = await openRegistrations((name) => ({
      kind: "refused",
      reason: "TokenClosed",
      write: { ref: refOf(name), status },
    }));
    await ask("r");
    await reconcile();
    await reconcile();
    expect([decided, events.map(({ reason }) => reason)]).toEqual([["r"], ["TokenClosed"]]);
  });

  it("decides nothing that is decided already, or is being deleted", async () => {
    const { ask, put, reconcile, decided, ports, asked } = await openRegistrations(() => none);
    await ask("open");
    await ask("deleted", undefined, { finalizers: ["x/y"] });
    await ports.hubApi.delete(refOf("deleted"));
    await ask("refused");
    const decidedTime = new Date(startMs).toISOString();
    await put({
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "ClusterRegistration",
      metadata: { namespace: "fleet", name: "refused" },
      status: { decision: "Refused", reason: "TokenUsedUp", decidedTime },
    });
    await reconcile();
    expect(decided).toEqual(["open"]);
    // Its finalizers are taken away all the same: an agent could keep it for ever.
    expect(asked()).toEqual(["patch ClusterRegistration/deleted"]);
  });

  it("grants a request: the state first, then the Cluster, and the member is held meanwhile", async () => {
    const { ask, reconcile, asked, held, stateOf, clusterOf: made } = await openRegistrations(() => granted("eu-1"));
    await ask("r");
    await reconcile();
    expect(asked()).toEqual(["create ConfigMap/rollcall-cluster-eu-1", "apply Cluster/eu-1"]);
    expect(held).toEqual(["hold fleet/eu-1", "release fleet/eu-1"]);
    expect(stateOf("eu-1")?.clientID).toBe("uid-eu-1");
    expect(made("eu-1")).toBeDefined();
  });

  it("decides a granted request again only when the state of its member was written since", async () => {
    const { ask, reconcile, decided, ports } = await openRegistrations(() => granted("eu-1"));
    await ask("r");
    await reconcile();
    expect(decided).toEqual(["r"]);
    await reconcile();
    expect(decided).toEqual([]);
    const patch = { data: { memory: JSON.stringify({ clientID: "other" }) } };
    const state = { type: resourceTypes.configMap, namespace: "fleet", name: "rollcall-cluster-eu-1" };
    await ports.hubApi.mergePatch(state, patch, { fieldManager: "x" });
    await reconcile();
    expect(decided).toEqual(["r"]);
  });

  it("decides a granted request again when its cluster was revoked, whose state stays as it was while it is suspended", async () => {
    const { ask, reconcile, decided, ports } = await openRegistrations(() => granted("eu-1"));
    await ask("r");
    await reconcile();
    const patch = { metadata: { annotations: { "rollcall.dev/revoked": "-/admin/2026-01-01T00:00:00Z" } } };
    const cluster = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
    await ports.hubApi.mergePatch(cluster, patch, { fieldManager: "x" });
    await reconcile();
    expect(decided).toEqual(["r"]);
  });

  it("lets a decision see whom the decisions before it admitted, before anything of that is written", async () => {
    const seen: unknown[] = [];
    const { ask, reconcile } = await openRegistrations((name, { members }) => {
      seen.push(members.named("eu-1")?.state?.clientID);
      return name === "first" ? granted("eu-1") : none;
    });
    for (const name of ["first", "second"]) await ask(name);
    await reconcile();
    expect(seen).toEqual([undefined, "uid-eu-1"]);
  });

  it("makes the Cluster of an admitted member again before it decides: no other agent gets its name", async () => {
    const seen: unknown[] = [];
    const { ask, reconcile, put } = await openRegistrations((_name, { members }) => {
      seen.push(members.named("lost")?.state?.clientID);
      return none;
    });
    const state = { clientID: "uid-lost", origin: { isDeclared: false } };
    await put({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "fleet", name: "rollcall-cluster-lost", labels: { "rollcall.dev/cluster": "lost" } },
      data: { memory: JSON.stringify(state) },
    });
    await ask("r");
    await reconcile();
    expect(seen).toEqual(["uid-lost"]);
  });

  it("writes a refusal and an Event of it, once", async () => {
    const { ask, reconcile, statusOf, events, asked } = await openRegistrations((name) => refused(name));
    await ask("r");
    await reconcile();
    expect(statusOf("r")).toMatchObject({ decision: "Refused", reason: "ProofInvalid" });
    expect(events).toMatchObject([
      { regarding: { metadata: { name: "r" } }, type: "Warning", reason: "ProofInvalid", message: "r is refused." },
    ]);
    await reconcile();
    expect([asked(), events.length]).toEqual([[], 1]);
  });

  it("proposes a file for an agent that waits for approval, with each reconcile", async () => {
    const cluster = clusterOf("eu-1");
    const write = { ref: refOf("r"), status: { decision: "Pending" } };
    const { ask, reconcile, proposals, events } = await openRegistrations(() => ({ kind: "proposal", cluster, write }));
    await ask("r");
    await reconcile();
    await reconcile();
    const proposal = { workspace: "fleet", registration: "r", cluster };
    expect(proposals).toEqual([proposal, proposal]);
    expect(events).toEqual([]);
  });

  it("is reconciled again at the first moment that one of the decisions asks for", async () => {
    const waits: Record<string, number | undefined> = { a: 5000, b: 3000, c: undefined, d: 4000 };
    const { ask, reconcile } = await openRegistrations((name) => {
      const recheckAfterMs = waits[name];
      return { kind: "none", ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
    });
    for (const name of Object.keys(waits)) await ask(name);
    expect(await reconcile()).toBe(3000);
  });

  it("reports a refusal only when the grants before it are written: it may depend on one of them", async () => {
    const { ask, reconcile, asked } = await openRegistrations((name) =>
      name === "a" ? granted("eu-1") : refused(name),
    );
    for (const name of ["a", "b"]) await ask(name);
    await reconcile();
    expect(asked()).toEqual([
      "create ConfigMap/rollcall-cluster-eu-1",
      "apply Cluster/eu-1",
      "status ClusterRegistration/b",
    ]);
  });

  it("reports no refusal that may depend on a grant that failed, and admits the others", async () => {
    const world = await openRegistrations((name) => (name.startsWith("refused") ? refused(name) : granted(name)));
    const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
    const error = new AppError("E_KUBE_FORBIDDEN", "apply");
    Object.assign(world.ports.hubApi, {
      apply: (...args: Parameters<KubeApi["apply"]>) =>
        args[0].metadata.name === "one" ? Promise.reject(error) : apply(...args),
    });
    for (const name of ["one", "refused-1", "two", "refused-2"]) await world.ask(name);
    await expect(world.reconcile()).rejects.toBe(error);
    expect(world.clusterOf("two")).toBeDefined();
    expect([world.statusOf("refused-1"), world.statusOf("refused-2")]).toEqual([undefined, undefined]);
  });

  it.each(["E_KUBE_FORBIDDEN", "E_KUBE_INVALID"] as const)(
    "keeps the name of an agent whose Cluster the hub refuses with %s, and decides the requests of others",
    async (code) => {
      const seen: unknown[] = [];
      const world = await openRegistrations((name, { members }) => {
        seen.push(members.named("one")?.state?.clientID);
        return name === "one" ? granted("one") : granted(name);
      });
      const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
      const error = new AppError(code, "apply Cluster/one: a quota refuses it");
      Object.assign(world.ports.hubApi, {
        apply: (...args: Parameters<KubeApi["apply"]>) =>
          args[0].metadata.name === "one" ? Promise.reject(error) : apply(...args),
      });
      await world.ask("one");
      await expect(world.reconcile()).rejects.toBe(error);
      await world.ports.hubApi.delete(refOf("one"));
      await world.ask("two");
      seen.length = 0;
      await world.reconcile();
      expect(seen).toEqual(["uid-one"]);
      expect(world.clusterOf("two")).toBeDefined();
    },
  );

  it("A207 decides the requests of the kinds behind one whose requests cannot be decided now", async () => {
    const error = new AppError("E_KUBE_FORBIDDEN", "update");
    const world = await openRegistrations((name) => granted(name));
    const decide = () => {
      throw error;
    };
    const protocols = new Map(
      [...world.ports.protocols].flatMap(([name, protocol]) => [
        ["fleet", { ...protocol, registrations: { ...protocol.registrations, decide } }] as const,
        [name, protocol] as const,
      ]),
    );
    const options = { onProposal: () => undefined, holdMember: () => () => undefined };
    const reconcile = createRegistrations({ ...world.ports, protocols }, options);
    await world.ask("one");
    await expect(reconcile("fleet", world.signal)).rejects.toBe(error);
    expect(world.clusterOf("one")).toBeDefined();
  });

  it("A159 deletes requests that have served their time, although another one can never be granted", async () => {
    const error = new AppError("E_KUBE_INVALID", "update: the state is longer than a ConfigMap may be");
    const world = await openRegistrations((name) => (name === "never" ? granted(name) : none));
    Object.assign(world.ports.hubApi, {
      apply: () => Promise.reject(error),
    });
    await world.ask("waits");
    world.setNow(startMs + 2 * 3600_000);
    await world.ask("never", undefined, {}, startMs + 2 * 3600_000);
    await expect(world.reconcile()).rejects.toBe(error);
    expect(world.ports.view.get(refOf("waits"))).toBeUndefined();
    expect(world.ports.view.get(refOf("never"))).toBeDefined();
  });

  it("keeps the name of an agent whose Cluster is lost while another workspace is still being listed", async () => {
    const seen: unknown[] = [];
    const world = await openRegistrations((_name, { members }) => {
      seen.push(members.named("eu-1")?.state?.clientID);
      return none;
    });
    await world.addCluster("eu-1", {
      manager: "rollcall-hub",
      state: { clientID: "uid-1", origin: { isDeclared: false } },
    });
    await world.ports.hubApi.delete({ type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" });
    Object.defineProperty(world.ports.view, "isComplete", { get: () => false });
    await world.ask("r");
    await world.reconcile();
    expect(seen).toEqual(["uid-1"]);
    expect(world.asked()).toEqual([]);
  });

  it("fails where the Cluster of an admitted agent cannot be asked for", async () => {
    const world = await openRegistrations(() => none);
    await world.addCluster("eu-1", {
      manager: "rollcall-hub",
      state: { clientID: "uid-1", origin: { isDeclared: false } },
    });
    await world.ports.hubApi.delete({ type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" });
    const error = new AppError("E_KUBE_UNREACHABLE", "get");
    Object.assign(world.ports.hubApi, { get: () => Promise.reject(error) });
    await world.ask("r");
    await expect(world.reconcile()).rejects.toBe(error);
    expect(world.decided).toEqual([]);
  });

  it("writes two grants of one member one after the other, so that the later one stays", async () => {
    const { ask, reconcile, stateOf, held } = await openRegistrations((name) =>
      granted("eu-1", { state: { clientID: name } }),
    );
    for (const name of ["first", "second"]) await ask(name);
    await reconcile();
    expect(held).toEqual(["hold fleet/eu-1", "release fleet/eu-1", "hold fleet/eu-1", "release fleet/eu-1"]);
    expect(stateOf("eu-1")?.clientID).toBe("second");
  });

  it("decides nothing more after it was stopped", async () => {
    const stopping = new AbortController();
    const { ask, reconcile, decided, asked } = await openRegistrations((name) => {
      stopping.abort(new Error("stopped"));
      return refused(name);
    });
    for (const name of ["a", "b"]) await ask(name);
    await expect(reconcile(stopping.signal)).rejects.toThrow("stopped");
    expect([decided, asked()]).toEqual([["a"], ["status ClusterRegistration/a"]]);
  });
});
