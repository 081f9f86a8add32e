import { describe, expect, it } from "vitest";
import { labelledOwners, ownerKey } from "../../../src/hub/child-owners.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";

describe("labelledOwners", () => {
  const ownersIn = (namespace: string, labels?: Record<string, string>) =>
    labelledOwners(
      { type: resourceTypes.secret, namespace, name: "a" },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace, ...(labels ? { labels } : {}) } },
      new Set(["fleet"]),
    );

  it("names the owner in the object's own workspace, whatever workspace a label has", () => {
    const labels = { [labelKeys.cluster]: "eu-1", [labelKeys.ownerWorkspace]: "other" };
    expect(ownersIn("fleet", labels)).toEqual([{ label: labelKeys.cluster, workspace: "fleet", name: "eu-1" }]);
  });

  it("names the owners outside the workspaces by the label of the workspace, and none without it", () => {
    const labels = { [labelKeys.cluster]: "eu-1", [labelKeys.token]: "door" };
    expect(ownersIn("elsewhere", { ...labels, [labelKeys.ownerWorkspace]: "fleet" }).map(ownerKey)).toEqual([
      `${labelKeys.cluster} fleet/eu-1`,
      `${labelKeys.token} fleet/door`,
    ]);
    expect(ownersIn("elsewhere", labels)).toEqual([]);
    expect(ownersIn("fleet")).toEqual([]);
  });
});
