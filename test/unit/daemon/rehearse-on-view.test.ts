import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { factsForPlans } from "../../../src/daemon/facts-for-plans.ts";
import type { ServedProtocol } from "../../../src/model/generated/served-protocol.ts";
import { protocolsWith } from "../../../src/daemon/foreign-protocols.ts";
import { rehearseOnView, workspaceNamespace } from "../../../src/daemon/rehearse-on-view.ts";
import { HubView } from "../../../src/hub/hub-view.ts";
import { watchedTypes } from "../../../src/hub/watched-types.ts";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";
import type { HubWorkPlan, PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";

function create(name: string): PlannedChange {
  const metadata = { name, namespace: "fleet", labels: { [labelKeys.repository]: "rollcall.fleet" } };
  const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec: {} };
  const ref = { type: resourceTypes.cluster, namespace: "fleet", name };
  return { kind: "create", ref, object, manager: "rollcall-git", fields: [] };
}

describe("rehearseOnView", () => {
  it("works on at most so many changes, lets other work run between them, and counts how many it left out", async () => {
    const protocols = protocolsWith([]);
    const view = new HubView({
      types: watchedTypes([...protocols.values()]),
      startCache: createSimulatedHub([workspaceNamespace("fleet")], () => 0).startCache,
      isAllowedWorkspace: () => true,
      log: silentLog,
    });
    await view.whenSynced();
    const { signal } = new AbortController();
    const hubFacts = () => factsForPlans("rollcall", 0);
    const rehearse = rehearseOnView(view, { protocols, hubFacts, mostChanges: 2, signal });
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const { work, notes } = await rehearse([create("a"), create("b"), create("c")]);
    isOver = true;
    expect([...work.keys()]).toEqual(["Cluster/fleet/a", "Cluster/fleet/b"]);
    expect(notes).toContain("What the hub does after 1 more change is not planned here.");
    expect(turns).toBeGreaterThan(4);
    await view.stop();
  });
});

const install = "install the agent by the kubeconfig";

function kubeconfigWith(cluster: object): string {
  const named = { clusters: [{ name: "c", cluster }], users: [{ name: "u", user: { token: "t" } }] };
  const contexts = [{ name: "x", context: { cluster: "c", user: "u" } }];
  return JSON.stringify({ apiVersion: "v1", kind: "Config", ...named, contexts, "current-context": "x" });
}

describe("a rehearsal", () => {
  /** The plan of the creation of cluster `a`, on a hub where these are there. */
  async function planOf({ spec = {}, objects = [], serves = [], more = {} }: Scene): Promise<HubWorkPlan> {
    const protocols = protocolsWith(serves);
    const view = new HubView({
      types: watchedTypes([...protocols.values()]),
      namedSecretsOf: () => ["kubeconfig"],
      startCache: createSimulatedHub([workspaceNamespace("fleet"), ...objects], () => 0).startCache,
      isAllowedWorkspace: () => true,
      log: silentLog,
    });
    await view.whenSynced();
    onTestFinished(() => view.stop());
    const { signal } = new AbortController();
    const hubFacts = () => factsForPlans("rollcall", 0);
    const change = create("a");
    const object = { ...("object" in change ? change.object : {}), spec } as KubeObject;
    return rehearseOnView(view, { protocols, hubFacts, signal, ...more })([{ ...change, object } as PlannedChange]);
  }

  interface Scene {
    readonly spec?: object;
    readonly objects?: readonly KubeObject[];
    readonly serves?: readonly ServedProtocol[];
    readonly more?: { readonly isServingKnown?: boolean };
  }

  it("notes nothing of a cluster that the daemon serves, and nothing of changes that are all rehearsed", async () => {
    expect((await planOf({})).notes).toEqual([]);
  });

  it.each([
    [{}, "The daemon serves no agents of protocol fleet"],
    [{ isServingKnown: true }, "The daemon serves no agents of protocol fleet"],
    [{ isServingKnown: false }, "Whether the daemon serves agents of protocol fleet"],
  ])("notes of a protocol that is not served, with %j: %s", async (more, note) => {
    expect((await planOf({ spec: { protocol: "fleet" }, more })).notes.join("\n")).toContain(note);
  });

  it("notes that a Secret is not there, since the hub shows all of them", async () => {
    const spec = { kubeConfigSecretRef: { name: "kubeconfig" } };
    expect((await planOf({ spec })).notes).toEqual([
      "Secret fleet/kubeconfig with the kubeconfig of fleet/a is not there: no agent is installed.",
    ]);
  });

  it.each([
    ["of another file", "current-context: a", []],
    ["that has no server", kubeconfigWith({}), []],
    ["with a server that can be reached", kubeconfigWith({ server: "https://a.example.com" }), [install]],
  ])("decides by the content of the Secret of a kubeconfig %s", async (_what, text, steps) => {
    const metadata = { name: "kubeconfig", namespace: "fleet" };
    const data = { value: Buffer.from(text).toString("base64") };
    const spec = { kubeConfigSecretRef: { name: "kubeconfig" } };
    const { work } = await planOf({ spec, objects: [{ apiVersion: "v1", kind: "Secret", metadata, data }] });
    expect([...work.values()].flatMap((one) => one.steps)).toEqual(steps);
  });

  it("updates an object that has the name of a wanted one, and creates what is not there", async () => {
    const metadata = { name: "a-hub-cluster-access", namespace: "fleet" };
    const scene = {
      spec: { protocol: "kubefleet" },
      serves: [{ name: "kubefleet" as const, controllers: "Rollcall" as const }],
      objects: [{ apiVersion: "v1", kind: "ServiceAccount", metadata }],
    };
    const { creates = [], updates = [] } = (await planOf(scene)).work.get("Cluster/fleet/a") ?? {};
    expect(updates.map(describeRef)).toEqual(["ServiceAccount/fleet/a-hub-cluster-access"]);
    expect(creates.map(describeRef)).toContain("MemberCluster.cluster.kubernetes-fleet.io/a");
  });
});
