import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { textAt } from "../../../../src/core/read-json.ts";
import type { NamespaceRest } from "../../../../src/embedded-hub/controllers/namespace-conditions.ts";
import { namespaceConditions } from "../../../../src/embedded-hub/controllers/namespace-conditions.ts";

const [before, now] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
const nothing: NamespaceRest = { remaining: [], failures: [] };
const held: NamespaceRest = {
  remaining: [
    { group: "", plural: "pods", count: 2, finalizers: ["b.org/f", "a.org/f"] },
    { group: "apps", plural: "deployments", count: 1, finalizers: ["a.org/f"] },
  ],
  failures: ["second", "first"],
};

const shown = (conditions: readonly JsonObject[]): string[] =>
  conditions.map((one) => {
    const [type, status, reason, message] = ["type", "status", "reason", "message"].map(
      (field) => textAt(one, field) ?? "",
    );
    return `${type} ${status} ${reason}: ${message}`;
  });

describe("the conditions of a namespace that is being deleted", () => {
  it("report that nothing is left", () => {
    expect(shown(namespaceConditions([], nothing, now))).toEqual([
      "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered",
      "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed",
      "NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization",
      "NamespaceContentRemaining False ContentRemoved: All content successfully removed",
      "NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers finished",
    ]);
  });

  it("report what is left, what holds it, and what failed, in an order of their own", () => {
    expect(shown(namespaceConditions([], held, now)).slice(2)).toEqual([
      "NamespaceDeletionContentFailure True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: first\nsecond",
      "NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances",
      "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a.org/f in 2 resource instances, b.org/f in 1 resource instances",
    ]);
  });

  it("keep their time while their status is the same, and those of others stay before them", () => {
    const own = { type: "Own", status: "True" };
    const first = namespaceConditions([own], held, before);
    expect(first[0]).toEqual(own);
    const fewer = { ...held, remaining: held.remaining.slice(1) };
    const second = namespaceConditions(first, fewer, now);
    expect(new Set(second.slice(1).map((one) => one["lastTransitionTime"]))).toEqual(new Set([before]));
    const third = namespaceConditions(second, nothing, now);
    expect(third.map((one) => one["lastTransitionTime"])).toEqual([undefined, before, before, now, now, now]);
    expect(namespaceConditions(third, nothing, "later")).toEqual(third);
  });
});
