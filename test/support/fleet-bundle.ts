import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";

const manager = { fieldManager: "test" };

export interface PlacedBundle {
  readonly deploymentID: string;
  readonly remove: () => Promise<void>;
  /** The Content is cluster-scoped: it does not go with the cluster's namespace. */
  readonly removeContent: () => Promise<void>;
}

/** Puts what a cluster is to deploy into its namespace on the hub, as Fleet's controllers do: a Content and a BundleDeployment. */
export async function placeBundle(
  hubApi: KubeApi,
  options: {
    readonly name: string;
    readonly home: string;
    /** The namespace downstream. */
    readonly into: string;
    readonly objects: readonly KubeObject[];
  },
): Promise<PlacedBundle> {
  const { name, home, into, objects } = options;
  const resources = objects.map((object, index) => ({ name: `${index}.yaml`, content: JSON.stringify(object) }));
  const manifest = `${JSON.stringify({ resources })}\n`;
  const sha256sum = createHash("sha256").update(manifest).digest("hex");
  const contentName = `s-${sha256sum}`.slice(0, 63);
  const content = {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "Content",
    metadata: { name: contentName },
    content: gzipSync(manifest).toString("base64"),
    sha256sum,
  };
  await hubApi.apply(content, manager);
  const deploymentID = `${contentName}:${createHash("sha256").update(into).digest("hex")}`;
  const settings = { defaultNamespace: into };
  const deployment = {
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind: "BundleDeployment",
    metadata: { name, namespace: home },
    spec: { deploymentID, stagedDeploymentID: deploymentID, options: settings, stagedOptions: settings },
  };
  await hubApi.create(deployment, manager);
  return {
    deploymentID,
    remove: () => hubApi.delete({ type: resourceTypes.fleetBundleDeployment, namespace: home, name }),
    removeContent: () => hubApi.delete({ type: resourceTypes.fleetContent, name: contentName }),
  };
}
