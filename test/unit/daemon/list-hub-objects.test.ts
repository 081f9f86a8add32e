import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { listHubObjects } from "../../../src/daemon/list-hub-objects.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { apiVersionOf } from "../../../src/model/kubernetes.ts";

const served: Repository = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Repository",
  metadata: { name: "fleet" },
  spec: { url: "" },
  status: { serves: [{ name: "kubefleet", controllers: "Rollcall" }] },
};
const cluster: KubeObject = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", namespace: "fleet" },
  status: { conditions: [{ type: "Accepted", status: "False", reason: "NotInGit", message: "no file" }] },
};

/** A hub that has one object of each kind, or fails for it. */
function list(repositories: readonly Repository[], failure: (kind: string) => AppError | undefined = () => undefined) {
  const asked: string[] = [];
  const api = {
    list: async (type: ResourceType) => {
      asked.push(type.kind);
      const error = failure(type.kind);
      if (error) throw error;
      const metadata = { name: "made", ...(type.isNamespaced ? { namespace: "fleet" } : {}) };
      return { items: [{ apiVersion: apiVersionOf(type), kind: type.kind, metadata }], resourceVersion: "1" };
    },
  };
  const query = { signal: new AbortController().signal };
  const found = listHubObjects(api, { clusters: [cluster], repositories }, query);
  return found.then((objects) => ({ objects: objects.map(({ object }) => object), asked }));
}

describe("listHubObjects", () => {
  it("lists the kinds that a file may declare, except Clusters, which are known", async () => {
    expect(await list([])).toEqual({
      objects: ["Cluster/fleet/eu-1", "ClusterGroup/fleet/made", "ClusterRegistrationToken/fleet/made"],
      asked: ["ClusterRegistrationToken", "ClusterGroup"],
    });
  });

  it("has those of the protocols that a daemon of the hub serves", async () => {
    const { objects, asked } = await list([{ ...served, status: {} }, served]);
    expect(asked).toContain("MemberCluster");
    expect(objects).toContain("MemberCluster.cluster.kubernetes-fleet.io/made");
  });

  it.each(["E_KUBE_FORBIDDEN", "E_KUBE_NOT_FOUND"] as const)("leaves out a kind after %s", async (code) => {
    const failure = (kind: string) => (kind === "ClusterGroup" ? new AppError(code, "no") : undefined);
    expect((await list([], failure)).objects).toEqual(["Cluster/fleet/eu-1", "ClusterRegistrationToken/fleet/made"]);
  });

  it("rejects with any other failure: a list that is cut must not look complete", async () => {
    const failed = list([], () => new AppError("E_KUBE_SERVER", "no"));
    await expect(failed).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
  });
});
