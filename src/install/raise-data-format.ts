import type { KubeApi } from "../kube/kube.ts";
import { crds } from "../model/generated/crds.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import { knownDataFormat } from "./check-hub.ts";

/** Marks the definitions, so that a program which does not know the data of this one refuses the hub (E_STORE_VERSION). */
export async function raiseDataFormat(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  const annotations = { [annotationKeys.dataFormat]: String(knownDataFormat) };
  for (const { metadata } of crds) {
    const ref = { type: resourceTypes.customResourceDefinition, name: metadata.name };
    const live = await hubApi.get(ref, { signal });
    if (live?.metadata.annotations?.[annotationKeys.dataFormat] === annotations[annotationKeys.dataFormat]) continue;
    await hubApi.mergePatch(ref, { metadata: { annotations } }, { fieldManager: fieldManagers.operator, signal });
  }
}
