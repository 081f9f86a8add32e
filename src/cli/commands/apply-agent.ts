import { AppError } from "../../core/errors.ts";
import { againOnConflict } from "../../install/apply-as-found.ts";
import { managedByLabels } from "../../join/rollcall/manifests/agent-manifest.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { asFound } from "../../model/as-found.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { fieldManagers } from "../../model/well-known.ts";

/**
 * Applies the objects of an agent to its cluster, in order. Another team may make the namespace meanwhile: it is not taken over.
 * @throws E_USAGE as {@link readOwnNamespace}, E_KUBE_CONFLICT while others keep replacing the namespace
 */
export async function applyAgent(
  downstreamApi: KubeApi,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  const options = { fieldManager: fieldManagers.operator, signal };
  for (const object of objects) {
    if (object.kind !== "Namespace") {
      await downstreamApi.apply(object, options);
      continue;
    }
    await againOnConflict(async () => {
      const live = await readOwnNamespace(downstreamApi, object.metadata.name, signal);
      await downstreamApi.apply(asFound(object, live), options);
    });
  }
}

/**
 * The namespace of an agent; undefined where there is none yet. When the cluster is removed, the namespace is deleted too: it
 * must hold nothing else.
 * @throws E_USAGE for a namespace that another program made
 */
export async function readOwnNamespace(
  downstreamApi: KubeApi,
  name: string,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const found = await downstreamApi.get({ type: resourceTypes.namespace, name }, { signal });
  const key = "app.kubernetes.io/managed-by";
  if (!found || found.metadata.labels?.[key] === managedByLabels[key]) return found;
  const remedy = `use another, or label it ${key}=${managedByLabels[key]} if it holds nothing else`;
  throw new AppError("E_USAGE", `namespace ${name} exists, and was not made by Rollcall: ${remedy}`);
}
