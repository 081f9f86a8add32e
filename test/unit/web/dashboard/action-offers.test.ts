import { describe, expect, it } from "vitest";
import type { ClusterDetail, RepositorySummary } from "../../../../src/model/generated/page-api.ts";
import {
  offersOfCluster,
  offersOfRepository,
  offersOfWithheld,
} from "../../../../src/web/dashboard/browser/data/action-offers.ts";

function clusterWith(reason: string, isSuspended?: boolean): ClusterDetail {
  const settings = isSuspended === undefined ? {} : { isSuspended };
  return { cluster: { workspace: "fleet", name: "c1", reason }, settings } as unknown as ClusterDetail;
}

const labels = (offers: ReturnType<typeof offersOfCluster>) => offers.map(({ label }) => label);
const actions = (offers: ReturnType<typeof offersOfCluster>) => offers.map(({ request }) => request.action);

describe("offersOfCluster", () => {
  it("offers what the cluster is not already", () => {
    expect(actions(offersOfCluster(clusterWith("Healthy")))).toEqual(["SuspendCluster", "RevokeCluster"]);
    expect(actions(offersOfCluster(clusterWith("Healthy", true)))).toEqual(["ResumeCluster", "RevokeCluster"]);
    expect(actions(offersOfCluster(clusterWith("Revoked")))).toEqual(["SuspendCluster"]);
  });

  it("does not lead to the file of a cluster that leaves: it has none", () => {
    const [, revocation] = offersOfCluster({ ...clusterWith("Leaving"), leave: {} });
    expect(revocation?.consequence).not.toContain("file");
    expect(revocation?.consequence).toContain("does not wait for it");
  });

  it("names the cluster, and the consequence before each action", () => {
    for (const { request, consequence } of offersOfCluster(clusterWith("Healthy"))) {
      expect(request).toMatchObject({ workspace: "fleet", name: "c1" });
      expect(consequence).toContain("c1");
    }
  });
});

describe("offersOfRepository", () => {
  it("offers a run at once, and asks before a suspension", () => {
    const [run, suspension] = offersOfRepository({});
    expect(run).toEqual({ label: "Reconcile now", request: { action: "Reconcile" } });
    expect(suspension).toMatchObject({ request: { action: "SuspendRepository" } });
    expect(suspension?.consequence).toContain("not followed for any cluster");
    const suspended = { isSuspended: true } as RepositorySummary;
    expect(actions(offersOfRepository(suspended))).toEqual(["Reconcile", "ResumeRepository"]);
  });
});

describe("offersOfWithheld", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const withheld = { count: 7, reason: "DeletionBudget", objects: ["Cluster/fleet/a"], message: "" };

  it("approves this commit and this count, and names what is removed", () => {
    const [offer] = offersOfWithheld({ withheld: { ...withheld, commit, approvable: 7 } });
    expect(offer).toMatchObject({ label: "Approve 7 removals", isSevere: true });
    expect(offer?.request).toEqual({ action: "ApproveRemovals", commit, count: 7 });
    expect(offer?.consequence).toContain("removes Cluster/fleet/a and 6 more, as commit 0123456789ab declares");
  });

  it("names one removal of one, and counts deletions for which no number is needed", () => {
    expect(labels(offersOfWithheld({ withheld: { ...withheld, commit, approvable: 1 } }))).toEqual([
      "Approve 1 removal",
    ]);
    const [offer] = offersOfWithheld({ withheld: { ...withheld, commit, approvable: 0 } });
    expect(offer).toMatchObject({ label: "Approve 7 removals", request: { count: 0 } });
  });

  it("does not promise a removal by the next run while the repository is suspended", () => {
    const [offer] = offersOfWithheld({ isSuspended: true, withheld: { ...withheld, commit, approvable: 7 } });
    expect(offer?.consequence).toContain("The first run after the repository is resumed removes");
  });

  it("offers nothing where an approval lets nothing through", () => {
    expect(offersOfWithheld({})).toEqual([]);
    expect(offersOfWithheld({ withheld: { ...withheld, commit } })).toEqual([]);
  });
});
