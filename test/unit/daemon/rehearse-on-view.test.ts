import { describe, expect, it, onTestFinished } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { factsForPlans } from "../../../src/daemon/facts-for-plans.ts";
import { protocolsWith } from "../../../src/daemon/foreign-protocols.ts";
import { rehearseOnView, workspaceNamespace } from "../../../src/daemon/rehearse-on-view.ts";
import { HubView } from "../../../src/hub/hub-view.ts";
import { watchedTypes } from "../../../src/hub/watched-types.ts";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
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

describe("what a rehearsal notes", () => {
  /** The notes of a plan that creates the cluster `a`, on a hub where these are there. */
  async function notesOf({ spec = {}, objects = [], more = {} }: Scene): Promise<readonly string[]> {
    const protocols = protocolsWith([]);
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
    const { notes } = await rehearseOnView(view, { protocols, hubFacts, signal, ...more })([
      { ...change, object } as PlannedChange,
    ]);
    return notes;
  }

  interface Scene {
    readonly spec?: object;
    readonly objects?: readonly KubeObject[];
    readonly more?: { readonly isServingKnown?: boolean };
  }

  it("is nothing for a cluster that the daemon serves, and nothing of changes that are all rehearsed", async () => {
    expect(await notesOf({})).toEqual([]);
  });

  it.each([
    [{}, "The daemon serves no agents of protocol fleet"],
    [{ isServingKnown: true }, "The daemon serves no agents of protocol fleet"],
    [{ isServingKnown: false }, "Whether the daemon serves agents of protocol fleet"],
  ])("is, of a protocol that is not served, with %j: %s", async (more, note) => {
    expect((await notesOf({ spec: { protocol: "fleet" }, more })).join("\n")).toContain(note);
  });

  it("is that a Secret is not there, since the hub shows all of them", async () => {
    const spec = { kubeConfigSecretRef: { name: "kubeconfig" } };
    expect(await notesOf({ spec })).toEqual([
      "Secret fleet/kubeconfig with the kubeconfig of fleet/a is not there: no agent is installed.",
    ]);
  });
});
