import { beforeAll, expect, it } from "vitest";
import { objectsAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { ForeignHubSession } from "../../support/foreign-hub-session.ts";

const { cluster, memberCluster, namespace } = resourceTypes;

/** Clusters whose names on the hub another party has. `unique` ends the names of clusters that no other suite has. */
export function describeTakenNames(given: () => ForeignHubSession, unique: string): void {
  let session: ForeignHubSession;
  beforeAll(() => void (session = given()));

  const isRefused = (name: string) =>
    session.eventually(`${name} is refused`, async () => {
      const seen = await session.get(cluster, name);
      return objectsAt(seen, "status", "conditions").some(({ reason }) => reason === "NameExists");
    });

  it("never takes over a MemberCluster of another owner, unless the cluster's file allows it", async () => {
    const name = `c-${unique}`;
    const identity = { kind: "User", name: "theirs" };
    const theirs = {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      metadata: { name },
      spec: { identity },
    };
    await session.api.create(theirs, { fieldManager: "somebody" });
    await session.declareCluster(name, { protocol: "kubefleet" });
    await isRefused(name);
    expect(await session.get(memberCluster, name)).toMatchObject({ spec: { identity } });
    expect(await session.get(namespace, `fleet-member-${name}`)).toBeUndefined();
  });

  it("A269 takes over no namespace of another team that has the name of a member's", async () => {
    const name = `d-${unique}`;
    const theirs = { apiVersion: "v1", kind: "Namespace", metadata: { name: `fleet-member-${name}` } };
    await session.api.create(theirs, { fieldManager: "somebody" });
    await session.declareCluster(name, { protocol: "kubefleet" });
    await isRefused(name);
    const found = await session.get(namespace, theirs.metadata.name);
    expect(found?.metadata.labels).not.toHaveProperty(["rollcall.dev/cluster"]);
    await session.api.delete({ type: namespace, name: theirs.metadata.name });
  });

  it.each([memberCluster, namespace])("reverts the removal of the owner's labels from its $kind", async (type) => {
    const name = `e-${type.plural}-${unique}`;
    const ref = { type, name: type === namespace ? `fleet-member-${name}` : name };
    await session.declareCluster(name, { protocol: "kubefleet" });
    await session.eventually("it is accepted", async () => {
      const conditions = objectsAt(await session.get(cluster, name), "status", "conditions");
      return conditions.some(({ type: kind, status }) => kind === "Accepted" && status === "True");
    });
    const labels = { "rollcall.dev/cluster": null, "rollcall.dev/owner-workspace": null };
    await session.api.mergePatch(ref, { metadata: { labels } }, { fieldManager: "kubectl-label" });
    const labelOf = async () => (await session.get(type, ref.name))?.metadata.labels?.["rollcall.dev/cluster"];
    expect(await session.eventually("it has its labels again", labelOf)).toBe(name);
  });
}
