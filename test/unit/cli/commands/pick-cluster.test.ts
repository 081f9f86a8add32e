import { describe, expect, it } from "vitest";
import { pickCluster } from "../../../../src/cli/commands/pick-cluster.ts";

const clusters = ["fleet/prod-eu-1", "fleet/prod-us-1", "lab/prod-us-1"].map((key) => {
  const [namespace = "", name = ""] = key.split("/");
  return { metadata: { namespace, name } };
});

describe("pickCluster", () => {
  it.each([
    ["prod-eu-1", "fleet/prod-eu-1"],
    ["lab/prod-us-1", "lab/prod-us-1"],
  ])("takes %s for %s", (wanted, picked) => {
    const { namespace, name } = pickCluster(clusters, wanted).metadata;
    expect(`${namespace}/${name}`).toBe(picked);
  });

  it.each([
    ["prod-us-1", "E_USAGE", "more than one Cluster is called prod-us-1: fleet/prod-us-1, lab/prod-us-1"],
    ["prod-eu-l", "E_KUBE_NOT_FOUND", "the hub has no Cluster prod-eu-l, did you mean prod-eu-1?"],
    ["fleet/prod-eu-2", "E_KUBE_NOT_FOUND", "the hub has no Cluster fleet/prod-eu-2, did you mean fleet/prod-eu-1?"],
    ["elsewhere", "E_KUBE_NOT_FOUND", "the hub has no Cluster elsewhere; rollcall status lists those that there are"],
  ])("refuses %s with %s", (wanted, code, message) => {
    expect(() => pickCluster(clusters, wanted)).toThrow(expect.objectContaining({ code, message }) as Error);
  });
});
