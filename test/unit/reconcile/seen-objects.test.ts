import { describe, expect, it } from "vitest";
import type { HubObjectPolicy } from "../../../src/model/generated/repository.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { SeenObjects } from "../../../src/reconcile/seen-objects.ts";

const { cluster } = resourceTypes;
const ref = { type: cluster, namespace: "fleet", name: "eu-1" };
const object: KubeObject = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: "fleet", resourceVersion: "1", labels: { env: "test" } },
  spec: { displayName: "one" },
};
const revert: PlannedChange = { kind: "update", ref, object, manager: "rollcall-git", fields: [] };
const committed: readonly HubObjectPolicy[] = [{ policy: "Commit" }];
const url = "https://git.example.org/fleet.git";

function isEdited(live: KubeObject | undefined, { onHubObjects = committed, change = revert } = {}): boolean {
  const seen = new SeenObjects();
  const spec = { url, onHubObjects: [...onHubObjects] };
  seen.record([cluster], { list: () => [object] }, { spec });
  return seen.isEditedSince(change, { get: () => live });
}

describe("SeenObjects", () => {
  it.each<[string, KubeObject | undefined, boolean]>([
    ["a label that was changed", { ...object, metadata: { ...object.metadata, labels: { env: "dev" } } }, true],
    ["a label that was removed", { ...object, metadata: { ...object.metadata, labels: {} } }, true],
    ["a field of the spec", { ...object, spec: { displayName: "two" } }, true],
    ["the same object", object, false],
    ["a status alone", { ...object, metadata: { ...object.metadata, resourceVersion: "2" }, status: {} }, false],
    ["an object that was deleted", undefined, false],
  ])("knows %s", (_name, live, expected) => {
    expect(isEdited(live)).toBe(expected);
  });

  it("ignores what no policy is for, and changes that revert nothing", () => {
    const live = { ...object, spec: { displayName: "two" } };
    expect(isEdited(live, { onHubObjects: [{ policy: "Ignore" }] })).toBe(false);
    expect(isEdited(live, { change: { ...revert, kind: "create" } })).toBe(false);
    const other = { ...revert, ref: { ...ref, name: "eu-2" } };
    expect(isEdited(live, { change: other })).toBe(false);
  });
});
