import { describe, expect, it } from "vitest";
import { directOwners, ownerKey } from "../../../src/hub/child-owners.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";

describe("directOwners", () => {
  const ownersIn = (namespace: string, labels?: Record<string, string>) =>
    directOwners(
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

  it.each([
    { type: resourceTypes.clusterReport, object: "eu-1" },
    { type: resourceTypes.lease, object: "rollcall-eu-1" },
  ])("A117 names the owner of a $type.kind by its name, whatever labels its agent writes", ({ type, object }) => {
    const ownersOf = (namespace: string, labels: Record<string, string>) =>
      directOwners(
        { type, namespace, name: object },
        { apiVersion: "v1", kind: type.kind, metadata: { name: object, namespace, labels } },
        new Set(["fleet"]),
      );
    const written: Record<string, string>[] = [{}, { [labelKeys.cluster]: "us-1" }, { [labelKeys.token]: "eu-tokens" }];
    for (const labels of written)
      expect(ownersOf("fleet", labels)).toEqual([{ label: labelKeys.cluster, workspace: "fleet", name: "eu-1" }]);
    expect(ownersOf("elsewhere", {})).toEqual([]);
  });

  it("names the owner of any other Lease by its labels", () => {
    const metadata = { name: "leader", namespace: "fleet", labels: { [labelKeys.cluster]: "eu-1" } };
    const owners = directOwners(
      { type: resourceTypes.lease, namespace: "fleet", name: "leader" },
      { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata },
      new Set(["fleet"]),
    );
    expect(owners).toEqual([{ label: labelKeys.cluster, workspace: "fleet", name: "eu-1" }]);
  });
});
