import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import type { LifeSession } from "./life-session.ts";
import { clusterFile, openLifeSession } from "./life-session.ts";

const { cluster, clusterGroup, clusterRegistrationToken } = resourceTypes;
const kubectl = { fieldManager: "kubectl-client-side-apply" };
const own = "rollcall.dev/v1alpha1";
const serves = (["fleet", "kubefleet", "clusternet"] as const).map(
  (protocol) => ({ name: protocol, controllers: "Rollcall", bootstrapTokens: false }) as const,
);

/** Every kind that people create on the hub, as files. */
export function describeHubKinds(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`kinds that people create on ${name}`, () => {
    let session: LifeSession;

    beforeAll(async () => {
      session = await openLifeSession(await startHub());
      const { workspace } = session;
      await session.repository.commit({ files: { "clusters/first.yaml": clusterFile("first") } });
      const onHubObjects = [
        { kinds: ["MemberCluster" as const, "ManagedCluster" as const], policy: "Commit" as const },
        { workspaces: [workspace], policy: "Commit" as const },
      ];
      await session.startDaemon({ serves, spec: { onHubObjects } });
      await session.settle();
    });
    afterAll(() => session.close());

    it.each([
      [own, "Cluster", { displayName: "typed" }, "clusters"],
      [own, "ClusterGroup", { selector: { names: ["*"] } }, "groups"],
      [own, "ClusterRegistrationToken", { ttl: "1h" }, "tokens"],
      ["fleet.cattle.io/v1alpha1", "Cluster", { clientID: "typed-fleet" }, "clusters"],
      ["fleet.cattle.io/v1alpha1", "ClusterGroup", { selector: { matchLabels: { env: "test" } } }, "groups"],
      ["fleet.cattle.io/v1alpha1", "ClusterRegistrationToken", { ttl: "240h" }, "tokens"],
      [
        "clusters.clusternet.io/v1beta1",
        "ManagedCluster",
        { clusterId: randomUUID(), clusterType: "EdgeCluster", syncMode: "Pull" },
        "clusters",
      ],
      [
        "cluster.kubernetes-fleet.io/v1beta1",
        "MemberCluster",
        { identity: { kind: "ServiceAccount", name: "typed-hub-cluster-access", namespace: "fleet-system" } },
        "clusters",
      ],
    ])("%s %s of kubectl is committed, and then declared by git", async (apiVersion, kind, spec, folder) => {
      const objectName = `typed-${kind.toLowerCase()}-${apiVersion.split(".")[0] ?? ""}`;
      const metadata = { name: objectName, ...(kind === "MemberCluster" ? {} : { namespace: session.workspace }) };
      await session.api.create({ apiVersion, kind, metadata, spec }, kubectl);
      const type = { clusters: cluster, groups: clusterGroup, tokens: clusterRegistrationToken }[folder] ?? cluster;
      await session.until(type, objectName, (seen) => seen?.metadata.labels?.["rollcall.dev/repository"] !== undefined);
      const text = await session.repository.git("show", `main:${folder}/${session.workspace}/${objectName}.yaml`);
      expect(text).toContain(`apiVersion: ${apiVersion}\nkind: ${kind}\n`);
      expect(text).not.toMatch(/managedFields|uid:|status:/u);
    });
  });
}
