import { describe, expect, it } from "vitest";
import { adoptHub } from "../../../src/adopt/adopt.ts";
import type { AdoptSource } from "../../../src/adopt/adopt-source.ts";
import { fleetSource } from "../../../src/adopt/fleet-source.ts";
import { kubefleetSource } from "../../../src/adopt/kubefleet-source.ts";
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
