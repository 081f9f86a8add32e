import type { KubeApi } from "../../src/kube/kube.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { fieldManagers, labelKeys } from "../../src/model/well-known.ts";

/**
 * Puts an object onto the hub as a run of the daemon does for a file. Where no daemon runs, the label may name any Repository.
 */
export function declareObject(api: KubeApi, object: KubeObject, repository = "rollcall.fleet"): Promise<KubeObject> {
  const labels = { ...object.metadata.labels, [labelKeys.repository]: repository };
  return api.apply({ ...object, metadata: { ...object.metadata, labels } }, { fieldManager: fieldManagers.git });
}
