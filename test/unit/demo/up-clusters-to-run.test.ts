import { describe, expect, it } from "vitest";
import { clustersToRun } from "../../../src/demo/up-clusters-to-run.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { ProtocolName } from "../../../src/model/generated/protocol.ts";

function cluster(name: string, protocol?: ProtocolName): Cluster {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: "fleet" },
    spec: { kubeConfigSecretRef: { name: `${name}-kubeconfig` }, ...(protocol === undefined ? {} : { protocol }) },
  };
}

describe("clustersToRun", () => {
  const run = (declared: string[], onHub: string[], begun: string[], protocol: ProtocolName = "rollcall") =>
    clustersToRun({
      declared: declared.map((name) => cluster(name, protocol)),
      onHub: onHub.map((name) => cluster(name, protocol)),
      begun: new Set(begun),
      count: 2,
      protocol,
    }).map(({ metadata }) => metadata.name);

  it("runs the first that are declared, and no more than asked for", () => {
    expect(run(["a", "b", "c"], [], [])).toEqual(["a", "b"]);
  });

  it.each(["rollcall", "fleet", "clusternet", "kubefleet"] as const)(
    "runs what ran before as long as it is declared or on the hub, with agents of %s",
    (protocol) => {
      expect(run(["a", "b", "c"], ["a", "b", "c"], ["b", "c"], protocol)).toEqual(["a", "b", "c"]);
      expect(run([], ["a", "b"], ["a", "b"], protocol)).toEqual(["a", "b"]);
      expect(run(["new"], ["a", "elsewhere"], ["a", "gone"], protocol)).toEqual(["new", "a"]);
    },
  );

  it("runs one cluster of a name, which has the folder: two workspaces may each have one", () => {
    const inLabs = (name: string): Cluster => ({ ...cluster(name), metadata: { name, namespace: "labs" } });
    const [a, b] = [cluster("a"), cluster("b")];
    const options = { begun: new Set(["a", "b"]), count: 2, protocol: "rollcall" } as const;
    const declared = [a, inLabs("a"), b];
    expect(clustersToRun({ ...options, declared, onHub: [] })).toEqual([a, b]);
    expect(clustersToRun({ ...options, declared: [], onHub: declared })).toEqual([a, b]);
    expect(clustersToRun({ ...options, begun: new Set(), declared, onHub: [] })).toEqual([a, b]);
  });

  it("leaves agents of another protocol alone", () => {
    const options = { declared: [cluster("a", "fleet")], onHub: [cluster("b", "fleet")], begun: new Set(["a", "b"]) };
    expect(clustersToRun({ ...options, count: 2, protocol: "rollcall" })).toEqual([]);
  });
});
