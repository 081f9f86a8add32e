import { describe, expect, it } from "vitest";
import type { DeclaredFleet } from "../../../src/model/declared-fleet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { desiredObjects } from "../../../src/planning/desired-objects.ts";
import { hasOffboardingBegun, planObject } from "../../../src/planning/plan-object.ts";
import { declared, fleetOf, inputsOf, label, live } from "./plan-builders.ts";

const position = { file: "s.yaml", line: 1, column: 1 };

function outcome(fleet: DeclaredFleet, onHub: readonly KubeObject[], { isKeepingLabels = false } = {}) {
  const { observed } = inputsOf(fleet, onHub);
  const [desired] = desiredObjects(fleet, { repositoryLabel: label, rememberedLabels: () => undefined }).objects;
  if (desired === undefined) throw new Error("the fleet declares nothing");
  return planObject(desired, { observed, repositoryLabel: label, commit: "c2", isKeepingLabels });
}

function changeOf(...inputs: Parameters<typeof outcome>) {
  const { change } = outcome(...inputs);
  if (change?.kind !== "create" && change?.kind !== "update") throw new Error("nothing is written");
  return change;
}

/** As another writer made it: without the label of a repository. */
function unowned(name: string, manager: string, labels: Record<string, string> = {}): KubeObject {
  const object = live(name);
  object.metadata.labels = labels;
  object.metadata.managedFields = [{ manager, operation: "Apply", fieldsV1: {} }];
  return object;
}

describe("an object without an owner", () => {
  const adopting = declared("a");
  adopting.object.metadata.annotations = { "rollcall.dev/adopt": "true" };

  it.each([
    ["that git applied is its own", fleetOf(declared("a")), unowned("a", "rollcall-git"), "update"],
    ["is taken over where its file asks for it", fleetOf(adopting), unowned("a", "kubectl"), "update"],
    ["is not taken over where it does not", fleetOf(declared("a")), unowned("a", "kubectl"), "E_OWNED_ELSEWHERE"],
    ...["rollcall.dev/cluster", "rollcall.dev/token", "rollcall.dev/owner-workspace"].map(
      (key) =>
        [
          `with the label ${key} is the hub's own`,
          fleetOf(adopting),
          unowned("a", "rollcall-git", { [key]: "b" }),
          "E_OWNED_ELSEWHERE",
        ] as const,
    ),
  ] as const)("%s", (_, fleet, object, expected) => {
    const { change, problem } = outcome(fleet, [object]);
    expect(change?.kind ?? problem?.code).toBe(expected);
  });
});

describe("a leave that is to be cancelled", () => {
  const leaving = (phase: string | undefined, more: Record<string, string> = {}): KubeObject => ({
    ...live("a", { annotations: { "rollcall.dev/leave": "c1", ...more } }),
    ...(phase === undefined ? {} : { status: { leave: { phase } } }),
  });

  it.each([
    [undefined, false],
    ["Waiting", false],
    ["Removing", true],
  ])("has begun in phase %s: %s", (phase, hasBegun) => {
    expect(hasOffboardingBegun(leaving(phase))).toBe(hasBegun);
    expect(outcome(fleetOf(declared("a")), [leaving(phase)]).change === undefined).toBe(hasBegun);
  });

  it("has not begun without its mark, whatever the status is", () => {
    const bare = { ...live("a"), status: { leave: { phase: "Removing" } } };
    expect(hasOffboardingBegun(bare)).toBe(false);
    delete bare.metadata.annotations;
    expect(hasOffboardingBegun(bare)).toBe(false);
  });

  it("is the mark alone of a suspended cluster, and nothing where it has none", () => {
    const disabled = { "rollcall.dev/reconcile": "disabled" };
    const { fields, patchAnnotations } = changeOf(fleetOf(declared("a", { displayName: "A" })), [
      leaving("Waiting", disabled),
    ]) as { fields: unknown; patchAnnotations?: unknown };
    expect([fields, patchAnnotations]).toEqual([[], { "rollcall.dev/leave": null }]);
    const suspended = live("a", { annotations: disabled });
    expect(outcome(fleetOf(declared("a", { displayName: "A" })), [suspended])).toEqual({});
    expect(outcome(fleetOf(declared("a")), [leaving("Removing", disabled)])).toEqual({});
  });
});

describe("labels that stay on the hub", () => {
  const labels = { tier: "gold", env: "prod" };

  it("are those that git no longer declares, where they are kept, and nothing else of the object", () => {
    const onHub = live("a", { labels, spec: { displayName: "old" } });
    const fleet = fleetOf(declared("a", { displayName: "new" }, { env: "prod" }));
    const kept = changeOf(fleet, [onHub], { isKeepingLabels: true });
    expect(kept.object.metadata.labels).toEqual({ ...labels, "rollcall.dev/repository": label });
    expect(kept.fields).toEqual([{ path: "spec.displayName", from: "old", to: "new" }]);
    const dropped = changeOf(fleet, [onHub]);
    expect(dropped.object.metadata.labels).toEqual({ env: "prod", "rollcall.dev/repository": label });
    expect(dropped.fields.map(({ path }) => path)).toContain("metadata.labels[tier]");
  });

  it("have the values of the hub only where no file gives one", () => {
    const onHub = live("a", { labels: { env: "old", tier: "gold" } });
    const { object, fields } = changeOf(fleetOf(declared("a", {}, { env: "new" })), [onHub], { isKeepingLabels: true });
    expect(object.metadata.labels).toMatchObject({ env: "new", tier: "gold" });
    expect(fields).toEqual([{ path: "metadata.labels[env]", from: "old", to: "new" }]);
  });
});

describe("the change of a Secret", () => {
  const secretFleet = (data: Record<string, string>, more: object = {}): DeclaredFleet => ({
    ...fleetOf(),
    secrets: [{ object: secretOf(data, more), position, blobId: "s" }],
  });
  const secretOf = (data: Record<string, string>, more: object = {}): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "k", namespace: "prod" },
    type: "Opaque",
    data,
    ...more,
  });
  function onHub(data: Record<string, string>): KubeObject {
    const { metadata } = live("k");
    const [entry] = metadata.managedFields ?? [];
    const owned = Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}]));
    const fieldsV1 = { ...(entry?.fieldsV1 as object), "f:type": {}, "f:data": owned };
    return { ...secretOf(data), metadata: { ...metadata, managedFields: entry ? [{ ...entry, fieldsV1 }] : [] } };
  }

  it("has neither a value that comes nor one that goes, and what is no value as it is", () => {
    const { object, fields } = changeOf(secretFleet({ new: "bg==", same: "cw==" }, { type: "other/type" }), [
      onHub({ old: "bw==", same: "cw==" }),
    ]);
    expect(object["data"]).toEqual({ new: "***", same: "***" });
    expect(fields).toStrictEqual([
      { path: "type", from: "Opaque", to: "other/type" },
      { path: "data.new", to: "***" },
      { path: "data.old", from: "***" },
    ]);
  });

  it("has no value where the whole data is new, and no data where it has none", () => {
    const created = changeOf(secretFleet({ token: "dA==" }), []);
    expect(JSON.stringify([created.object, created.fields])).not.toContain("dA==");
    expect(created.reveal?.().data).toEqual({ token: "dA==" });
    expect(changeOf(secretFleet({}), []).object["data"]).toEqual({});
  });

  it("is no concern of a cluster: its values are shown", () => {
    const change = changeOf(fleetOf(declared("a", { displayName: "A" })), []);
    expect(change.reveal).toBeUndefined();
    expect(change.fields).toContainEqual({ path: "spec.displayName", to: "A" });
  });
});
