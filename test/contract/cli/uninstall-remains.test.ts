import { setMaxListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastDefinition, removeDefinitions, removeRemains } from "../../../src/cli/commands/uninstall-remains.ts";
import { trustKeySecretName } from "../../../src/hub/trust-key.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import { apiVersionOf } from "../../../src/model/kubernetes.ts";
import type { ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { fieldManagers } from "../../../src/model/well-known.ts";
import type { InstalledHub } from "../../support/installed-hub.ts";
import { startInstalledHub } from "../../support/installed-hub.ts";

const { signal } = new AbortController();
// Each list and deletion listens to it, as to that of the program.
setMaxListeners(0, signal);
const namespace = "rollcall-system";
const { customResourceDefinition, lease, role, secret, serviceAccount } = resourceTypes;
const partOf = "app.kubernetes.io/part-of";

interface Row {
  readonly what: string;
  readonly type: ResourceType;
  readonly place?: string;
  readonly name: string;
  readonly label?: string;
  /** Default: the hub's. */
  readonly manager?: string;
}

const removed: readonly Row[] = [
  { what: "of a cluster", type: serviceAccount, name: "of-cluster", label: "rollcall.dev/cluster" },
  { what: "of a token", type: secret, name: "of-token", label: "rollcall.dev/token" },
  { what: "of a repository", type: role, name: "of-repository", label: "rollcall.dev/repository" },
  {
    what: "of a cluster, outside of its workspace",
    type: secret,
    place: "others",
    name: "outside",
    label: "rollcall.dev/owner-workspace",
  },
  {
    what: "published for another program",
    type: secret,
    place: "others",
    name: "published",
    label: "rollcall.dev/published-cluster",
  },
  { what: "the trust key", type: secret, place: namespace, name: trustKeySecretName },
  { what: "the daemon's Lease of one Repository", type: lease, place: namespace, name: "rollcall-repository" },
  { what: "its Lease of another one", type: lease, place: namespace, name: "rollcall-repository.other" },
];

const kept: readonly Row[] = [
  { what: "of a user", type: secret, name: "of-user" },
  {
    what: "copied from what is published, by another program",
    type: secret,
    place: "others",
    name: "copied",
    label: "rollcall.dev/published-cluster",
    manager: "argocd",
  },
  {
    what: "with a label of the fleet outside of it",
    type: serviceAccount,
    place: "others",
    name: "copied",
    label: "rollcall.dev/cluster",
  },
  {
    what: "made by another program under the name of what the hub publishes",
    type: resourceTypes.configMap,
    place: "rollcall-public",
    name: "hub-info",
    manager: "another",
  },
  { what: "a Lease of another program", type: lease, place: namespace, name: "rollcall-repositories" },
];

const refOf = ({ type, place = "fleet", name }: Row) => ({ type, namespace: place, name });

describe("what an uninstall removes beside clusters and their agents", () => {
  let hub: InstalledHub;
  let api: KubeApi;
  const isThere = async (row: Row): Promise<boolean> => (await api.get(refOf(row))) !== undefined;

  beforeAll(async () => {
    hub = await startInstalledHub("fleet");
    api = hub.api;
    for (const name of [namespace, "others", "rollcall-public"])
      await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { fieldManager: "test" });
    for (const row of [...removed, ...kept]) {
      const { type, label, manager = fieldManagers.hub } = row;
      const labels = label === undefined ? {} : { [label]: "some" };
      const metadata = { namespace: refOf(row).namespace, name: row.name, labels: { made: "here", ...labels } };
      await api.apply({ apiVersion: apiVersionOf(type), kind: type.kind, metadata }, { fieldManager: manager });
    }
    // A namespace that only has a Repository is none of the fleet's.
    const repository = { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", spec: { url: "/fleet.git" } };
    await api.create({ ...repository, metadata: { namespace: "others", name: "fleet" } }, { fieldManager: "test" });
    await removeRemains(api, { namespace, workspaces: ["fleet"], signal });
  });
  afterAll(() => hub.stop());

  it.each(removed)("is $type.kind $name: $what", async (row) => {
    expect(await isThere(row)).toBe(false);
  });

  it.each(kept)("is not $type.kind $name: $what", async (row) => {
    expect(await isThere(row)).toBe(true);
  });

  it("are the definitions last, that of clusters behind the others, and none that another program made", async () => {
    const foreign = "clustergroups.rollcall.dev";
    const ref = { type: customResourceDefinition, name: foreign };
    await api.mergePatch(ref, { metadata: { labels: { [partOf]: "another" } } }, { fieldManager: "test" });
    const deleted: string[] = [];
    const recording: KubeApi = {
      ...api,
      delete: (one, options) => {
        deleted.push(one.name);
        return api.delete(one, options);
      },
    };
    expect(await removeDefinitions(recording, signal)).toBe(crds.length - 1);
    expect([deleted.length, deleted.at(-1), deleted.includes(foreign)]).toEqual([
      crds.length - 1,
      lastDefinition,
      false,
    ]);
    expect(await api.get(ref)).toBeDefined();
  });
});
