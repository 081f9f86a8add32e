import { AppError } from "../core/errors.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import { resourceTypeOf } from "../model/resource-types.ts";
import { againOnConflict, applyAsFound } from "./apply-as-found.ts";
import { isAsWanted } from "./install-crds.ts";

/** Makes objects that a hub needs once, in this order. Whatever is there already and was not made by Rollcall stays as it is. */
export async function installObjects(
  hubApi: KubeApi,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const object of objects) {
    const type = resourceTypeOf(object);
    if (type === undefined) throw new AppError("E_BUG", `${object.kind} is no kind of this program`);
    await againOnConflict(async () => {
      const live = await hubApi.get(refOf(type, object), { signal });
      if (live !== undefined && !isMadeForHub(live)) return;
      if (live === undefined || !isAsWanted(live, object)) await applyAsFound(hubApi, { live, object }, signal);
    });
  }
}

/** Rollcall, or its chart, made it for the hub as a whole. */
export function isMadeForHub({ metadata }: KubeObject): boolean {
  return metadata.labels?.["app.kubernetes.io/part-of"] === "rollcall";
}
