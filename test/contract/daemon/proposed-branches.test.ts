import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { LifeSession } from "../life/life-session.ts";
import { clusterFile, openLifeSession } from "../life/life-session.ts";
import { expectPlanHolds, planOnline, readHub } from "./plan-and-outcome.ts";
import { openLocalEngine } from "../../support/local-engine.ts";

const { cluster, clusterRegistrationToken } = resourceTypes;
const own = "rollcall.dev/v1alpha1";
const kubectl = { fieldManager: "kubectl-client-side-apply" };

describe("what people do on the hub under Propose", () => {
  let session: LifeSession;
  let git: GitEngine;

  beforeAll(async () => {
    session = await openLifeSession(await readyHub());
    const names = ["labelled", "deleted", "beside"];
    await session.repository.commit({
      files: Object.fromEntries(names.map((name) => [`c/${name}.yaml`, clusterFile(name)])),
    });
    await session.startDaemon({ spec: { onHubObjects: [{ policy: "Propose", deletions: "Propose" }] } });
    await session.settle();
    const url = session.repository.path;
    const cacheDir = `${url}.plans`;
    git = await openLocalEngine(url, cacheDir);
  });
  afterAll(async () => {
    await git.close();
    await session.close();
  });

  /** As a forge does it: a commit with both parents, whatever main has become since. */
  const merge = async (branch: string): Promise<string> => {
    const { repository } = session;
    const tree = (await repository.git("merge-tree", "--write-tree", "main", branch)).trim();
    const author = ["-c", "user.name=Reviewer", "-c", "user.email=reviewer@example.org"];
    const parents = ["-p", "main", "-p", branch];
    return (await repository.git(...author, "commit-tree", tree, ...parents, "-m", `Merge ${branch}`)).trim();
  };

  it("becomes branches, and the plan of each is what its merge does", async () => {
    const { api, workspace, repository } = session;
    const at = (name: string) => ({ type: cluster, namespace: workspace, name });
    const spec = { ttl: "1h" };
    const token = {
      apiVersion: own,
      kind: "ClusterRegistrationToken",
      metadata: { name: "made", namespace: workspace },
    };
    await api.create({ ...token, spec }, kubectl);
    const metadata = { name: "made", namespace: workspace, labels: { env: "test" } };
    await api.create({ apiVersion: own, kind: "Cluster", metadata, spec: { displayName: "Made" } }, kubectl);
    await api.mergePatch(at("labelled"), { metadata: { labels: { env: "dev" } } }, { fieldManager: "kubectl-edit" });
    await api.delete(at("deleted"));

    const kinds = { clusters: ["made", "labelled", "deleted"], clusterregistrationtokens: ["made"] };
    const branches = Object.entries(kinds).flatMap(([kind, names]) =>
      names.map((name) => `rollcall/hub/${workspace}/${kind}.rollcall.dev/${name}`),
    );
    for (const branch of branches)
      await until(
        () => repository.head(branch),
        (head) => head !== undefined,
      );
    await session.until(cluster, "deleted", (seen) => seen?.metadata.deletionTimestamp === undefined);
    await session.until(cluster, "labelled", (seen) => seen?.metadata.labels?.["env"] === "test");
    await session.settle();

    const actions: string[] = [];
    for (const branch of branches) {
      const head = await merge(branch);
      await repository.git("update-ref", "refs/heads/merged", head);
      const before = await readHub(session);
      const planned = await planOnline(session, git, head);
      expect(planned.withheld, branch).toEqual([]);
      await repository.git("update-ref", "refs/heads/main", head);
      await session.settle();
      expectPlanHolds(planned, before, await readHub(session), branch);
      actions.push(...planned.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`));
    }
    expect(actions).toEqual([
      "Update Cluster made",
      "Update Cluster labelled",
      "Leave Cluster deleted",
      "Update ClusterRegistrationToken made",
    ]);
    expect(await session.get(clusterRegistrationToken, "made")).toBeDefined();
  });
});
