import type { KubeApi } from "../kube/kube.ts";
import { crds } from "../model/generated/crds.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import { againOnConflict } from "./apply-as-found.ts";
import { knownDataFormat, refuseNewerData } from "./check-hub.ts";

/**
 * Marks the definitions, so that a program which does not know the data of this one refuses the hub (E_STORE_VERSION).
 * @throws E_STORE_VERSION, E_KUBE_DEFINITION when a newer version made what is on the hub: its mark is never lowered
 */
export async function raiseDataFormat(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  const format = String(knownDataFormat);
  await againOnConflict(async () => {
    const definitions = await Promise.all(
      crds.map(async (crd) => {
        const ref = refOf(resourceTypes.customResourceDefinition, crd);
        const live = await hubApi.get(ref, { signal });
        if (live !== undefined) refuseNewerData(hubApi.server, live, crd);
        return { ref, live };
      }),
    );
    for (const { ref, live } of definitions) {
      const { annotations, resourceVersion } = live?.metadata ?? {};
      if (annotations?.[annotationKeys.dataFormat] === format) continue;
      const version = resourceVersion === undefined ? {} : { resourceVersion };
      const body = { metadata: { ...version, annotations: { [annotationKeys.dataFormat]: format } } };
      await hubApi.mergePatch(ref, body, { fieldManager: fieldManagers.operator, signal });
    }
  });
}
