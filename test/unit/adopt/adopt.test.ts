import { describe, expect, it } from "vitest";
import { adoptHub } from "../../../src/adopt/adopt.ts";
import type { AdoptSource } from "../../../src/adopt/adopt-source.ts";
import { clusterApiSource } from "../../../src/adopt/cluster-api-source.ts";
import { fleetSource } from "../../../src/adopt/fleet-source.ts";
import { kubefleetSource } from "../../../src/adopt/kubefleet-source.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";

const { signal } = new AbortController();
const fleet = "fleet.cattle.io/v1alpha1";

/** What becomes of a hub that answers a list of its clusters with these objects, and all others with none. */
function adopt(objects: readonly KubeObject[], source: AdoptSource = fleetSource) {
  const hubApi = {
    list: ({ plural }: ResourceType) =>
      Promise.resolve({ items: plural === source.mainTypes[0].plural ? objects : [] }),
    get: () => Promise.resolve(undefined),
  } as unknown as KubeApi;
  return adoptHub(hubApi, source, { defaultWorkspace: "fleet", signal });
}

function answered(parts: { kind?: string; apiVersion?: string; name?: string; namespace?: string }): KubeObject {
  const { kind = "Cluster", apiVersion = fleet, name = "eu-1", namespace = "fleet" } = parts;
  return { apiVersion, kind, metadata: { name, namespace, uid: "u" }, spec: {} };
}

describe("adoptHub", () => {
  it("has a file for each cluster, in the folder of its namespace", async () => {
    const { files, refusals } = await adopt([answered({}), answered({ name: "eu-2" })]);
    expect(files.map(({ path }) => path)).toEqual(["clusters/fleet/eu-1.yaml", "clusters/fleet/eu-2.yaml"]);
    expect(refusals).toEqual([]);
  });

  it.each([
    { reason: "a name that leads out of the folder", answer: { name: "../../../evil" } },
    { reason: "a namespace that does", answer: { namespace: "../../../../evil" } },
    { reason: "an absolute name", answer: { name: "/etc/evil" } },
    { reason: "a name with a line break", answer: { name: "eu-1\nevil" } },
    {
      reason: "a kind that was not asked for, and such a name",
      answer: { apiVersion: "v1", kind: "ConfigMap", name: "../../../evil" },
    },
    { reason: "such a kind", answer: { apiVersion: "apps/v1", kind: "Deployment" } },
    { reason: "a kind of Fleet's that was not asked for", answer: { kind: "GitRepo" } },
  ])("A128 what answers as a hub gets no file written by $reason, and the others are", async ({ answer }) => {
    const { files, refusals } = await adopt([answered(answer), answered({ name: "eu-2" })]);
    expect(files.map(({ path }) => path)).toEqual(["clusters/fleet/eu-2.yaml"]);
    expect(refusals).toHaveLength(1);
  });

  it("A128 a namespace of what has none leads nowhere", async () => {
    const live = {
      apiVersion: "cluster.kubernetes-fleet.io/v1beta1",
      kind: "MemberCluster",
      metadata: { name: "eu-1", namespace: "../../../../evil", uid: "u" },
      spec: { identity: { kind: "ServiceAccount", name: "eu-1", namespace: "fleet-system" } },
    };
    const { files, refusals } = await adopt([live], kubefleetSource);
    expect(files.map(({ path }) => path)).toEqual([]);
    expect(refusals[0]?.reason).toContain("metadata.namespace");
  });
});

describe("what a hub has of another project", () => {
  const missing = new AppError("E_KUBE_NOT_FOUND", "no such kind");
  const capi = (version: string, name: string): KubeObject => ({
    apiVersion: `cluster.x-k8s.io/${version}`,
    kind: "Cluster",
    metadata: { name, namespace: "fleet", uid: `uid-${name}` },
  });

  /** A hub that answers lists by `group/version/plural`, and has these namespaces. */
  function hub(lists: Record<string, readonly KubeObject[] | Error>, namespaces: Record<string, KubeObject> = {}) {
    const asked: string[] = [];
    const api = {
      list: ({ group, version, plural }: ResourceType) => {
        const key = `${group}/${version}/${plural}`;
        asked.push(key);
        const answer = lists[key] ?? missing;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ items: [...answer] });
      },
      get: ({ name }: { readonly name: string }) => Promise.resolve(namespaces[name]),
    };
    return { asked, adopt: (source: AdoptSource) => adoptHub(api as unknown as KubeApi, source, options) };
  }
  const options = { defaultWorkspace: "fleet", signal };

  it("is read in the best version that the hub has", async () => {
    const { adopt: read, asked } = hub({ "cluster.x-k8s.io/v1beta1/clusters": [capi("v1beta1", "eu-1")] });
    const { mainType, mainObjects, files } = await read(clusterApiSource);
    expect([mainType.version, mainObjects.map(({ metadata: { uid } }) => uid), files.map(({ path }) => path)]).toEqual([
      "v1beta1",
      ["uid-eu-1"],
      ["clusters/fleet/eu-1.yaml"],
    ]);
    expect(asked.slice(0, 2)).toEqual(["cluster.x-k8s.io/v1beta2/clusters", "cluster.x-k8s.io/v1beta1/clusters"]);
  });

  it.each<{ lists: Record<string, readonly KubeObject[] | Error>; code: string; reason: string }>([
    { lists: {}, code: "E_KUBE_NOT_FOUND", reason: "it has none of its kinds" },
    {
      lists: { "cluster.x-k8s.io/v1beta2/clusters": new AppError("E_KUBE_FORBIDDEN", "no rights") },
      code: "E_KUBE_FORBIDDEN",
      reason: "the kind may not be read, whatever the older version answers",
    },
    {
      lists: {
        "cluster.x-k8s.io/v1beta2/clusters": [],
        "rollcall.dev/v1alpha1/clusters": new AppError("E_KUBE_FORBIDDEN", "no rights"),
      },
      code: "E_KUBE_FORBIDDEN",
      reason: "what lies beside may not be read",
    },
  ])("is not read when $reason", async ({ lists, code }) => {
    await expect(hub(lists).adopt(clusterApiSource)).rejects.toMatchObject({ code });
  });

  it("is left where Rollcall has an object of the name, or the object carries our labels, or is being deleted", async () => {
    const labelled = (key: string): KubeObject => {
      const object = capi("v1beta2", key.replace("rollcall.dev/", ""));
      return { ...object, metadata: { ...object.metadata, labels: { [key]: "x" } } };
    };
    const ending = capi("v1beta2", "ending");
    ending.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    const ours: KubeObject = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      metadata: { name: "eu-1", namespace: "fleet" },
    };
    const { adopt: read } = hub({
      "cluster.x-k8s.io/v1beta2/clusters": [
        capi("v1beta2", "eu-1"),
        ...["rollcall.dev/repository", "rollcall.dev/cluster", "rollcall.dev/token"].map(labelled),
        ending,
        capi("v1beta2", "eu-2"),
      ],
      "rollcall.dev/v1alpha1/clusters": [ours],
    });
    const { files, left } = await read(clusterApiSource);
    expect(files.map(({ object }) => object)).toEqual(["Cluster/fleet/eu-2"]);
    const reason = "Rollcall has it already";
    expect(left).toEqual([
      { object: "Cluster/fleet/eu-1", reason },
      { object: "Cluster/fleet/repository", reason },
      { object: "Cluster/fleet/cluster", reason },
      { object: "Cluster/fleet/token", reason },
      { object: "Cluster/fleet/ending", reason: "it is being deleted" },
    ]);
  });

  it("is refused of another version than was asked for, and called by kind and name", async () => {
    const bare: KubeObject = { apiVersion: "cluster.x-k8s.io/v1alpha3", kind: "Cluster", metadata: { name: "old" } };
    const { refusals, mainObjects } = await hub({ "cluster.x-k8s.io/v1beta2/clusters": [bare] }).adopt(
      clusterApiSource,
    );
    expect(refusals).toEqual([
      {
        object: "Cluster/old",
        reason: "it is of a kind that the hub was not asked for",
        fix: "Check that the kubeconfig is that of the hub, and what answers at its address.",
      },
    ]);
    expect(mainObjects).toEqual([bare]);
  });

  it("counts the work of its controllers that nothing does from then on", async () => {
    const of = (kind: string): KubeObject => ({ apiVersion: fleet, kind, metadata: { name: "x" } });
    const { unserved } = await hub({
      "fleet.cattle.io/v1alpha1/clusters": [],
      "fleet.cattle.io/v1alpha1/gitrepos": [of("GitRepo"), of("GitRepo")],
      "fleet.cattle.io/v1alpha1/bundles": [],
    }).adopt(fleetSource);
    expect(unserved).toEqual([
      { kind: "GitRepo", count: 2, meaning: "what it deployed stays; nothing new comes without Fleet's controllers" },
    ]);
  });

  it("names the workspaces whose namespaces are none yet", async () => {
    const namespace = (name: string, labels?: Record<string, string>): KubeObject => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, ...(labels ? { labels } : {}) },
    });
    const clusters = ["east", "north", "south", "west"].map((place) => {
      const object = capi("v1beta2", `of-${place}`);
      return { ...object, metadata: { ...object.metadata, namespace: place } };
    });
    const namespaces = {
      east: namespace("east", { "rollcall.dev/workspace": "true" }),
      north: namespace("north", { other: "true" }),
      west: namespace("west"),
    };
    const read = hub({ "cluster.x-k8s.io/v1beta2/clusters": clusters }, namespaces);
    expect((await read.adopt(clusterApiSource)).missingWorkspaces).toEqual([
      { name: "north", isThere: true },
      { name: "south", isThere: false },
      { name: "west", isThere: true },
    ]);
  });
});
