import type { KubeApi } from "../kube/kube.ts";
import { fleetHubObjects } from "../model/dialects/fleet-hub-objects.ts";
import { fleetCrds } from "../model/generated/fleet-crds.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import { AppError } from "../core/errors.ts";
import { resourceTypeOf } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import { applyCrds } from "./install-crds.ts";

/**
 * Makes what a hub needs to serve Rancher Fleet's agents: definitions, namespaces, rights, an admission policy. Whatever is there already and
 * was not made by Rollcall stays as it is.
 * @throws E_KUBE_SERVER when a definition is not served in time
 */
export async function installFleet(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  await applyCrds(hubApi, fleetCrds, { isForeignKept: true, signal });
  for (const object of fleetHubObjects) {
    const type = resourceTypeOf(object);
    if (type === undefined) throw new AppError("E_BUG", `${object.kind} is no kind of this program`);
    const live = await hubApi.get(refOf(type, object), { signal });
    if (live !== undefined && !isOurs(live)) continue;
    if (live === undefined || diffOwnedFields(object, live, { manager: fieldManagers.hub }).length > 0)
      await hubApi.apply(object, { fieldManager: fieldManagers.hub, signal });
  }
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.["app.kubernetes.io/part-of"] === "rollcall";
}
