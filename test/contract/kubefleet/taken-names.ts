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
}
