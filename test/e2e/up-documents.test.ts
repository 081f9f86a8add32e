import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject, ObjectRef } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { variantsOfRun } from "../support/full-counts.ts";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { startProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";

const kubectl = { fieldManager: "kubectl-client-side-apply" };
const workspace = "clusters";

interface Document {
  readonly protocol: string;
  readonly isInFullRun?: boolean;
  readonly object: KubeObject;
  readonly file: string;
  readonly served: ObjectRef;
}

/** What the documents of each project have a reader create, and an object of the hub that shows that it is served. */
const documents: readonly Document[] = [
  {
    protocol: "fleet",
    object: {
      apiVersion: "fleet.cattle.io/v1alpha1",
      kind: "ClusterRegistrationToken",
      metadata: { name: "new-token", namespace: workspace },
      spec: { ttl: "240h" },
    },
    file: `tokens/${workspace}/new-token.yaml`,
    served: { type: resourceTypes.secret, namespace: workspace, name: "new-token" },
  },
  {
    protocol: "kubefleet",
    isInFullRun: true,
    object: {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      metadata: { name: "member-1" },
      spec: { identity: { name: "agent", kind: "ServiceAccount", namespace: "fleet-system", apiGroup: "" } },
    },
    file: `clusters/${workspace}/member-1.yaml`,
    served: { type: resourceTypes.namespace, name: "fleet-member-member-1" },
  },
  {
    protocol: "clusternet",
    isInFullRun: true,
    object: {
      apiVersion: "clusters.clusternet.io/v1beta1",
      kind: "ManagedCluster",
      metadata: { name: "edge", namespace: workspace },
      spec: { clusterId: "dc91021d-2361-4f6d-a404-7c33b9e01118", clusterType: "EdgeCluster", syncMode: "Dual" },
    },
    file: `clusters/${workspace}/edge.yaml`,
    served: { type: resourceTypes.cluster, namespace: workspace, name: "edge" },
  },
];

describe("rollcall up --clusters 0, for a reader of another project's documents", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let program: RunningProgram;

  afterEach(async () => {
    expect(await program.end("SIGINT")).toBe(0);
    await folder.remove();
  });

  it.each(variantsOfRun(documents))(
    "serves what $protocol has people create, and has it as a file",
    async (document) => {
      const { protocol, object, file, served } = document;
      folder = await makeTempFolder();
      program = startProgram(["up", "--protocol", protocol, "--clusters", "0", "--dir", folder.path]);
      await program.untilLine((line) => line.startsWith("Ctrl-C stops everything"));
      const told = program.lines.join("\n");
      expect(told).toContain("\nclusters    none\n");
      expect(told).toContain("The hub is ready, without a cluster. Open http://127.0.0.1:");
      expect(told).toContain("What kubectl creates in clusters becomes a file of the repository, and is served.");

      const demo = join(folder.path, `${protocol}-demo`);
      const api = apiOf(readKubeconfig(await readFile(join(demo, "hub.kubeconfig"), "utf8")));
      try {
        await api.create(object, kubectl);
        await until(
          () => api.get(served),
          (seen) => seen !== undefined,
        );
        const shown = await runGit(demo, ["--git-dir", "fleet.git", "show", `main:${file}`]);
        expect(shown).toContain(`kind: ${object.kind}`);
      } finally {
        await api.close();
      }
    },
  );
});
