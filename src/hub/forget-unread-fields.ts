import { objectAt } from "../core/read-json.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";

/**
 * Fields of what is placed for a cluster that nothing here reads. Its agent writes those of the status, with any content, and a
 * cluster may have hundreds of such objects.
 */
const unreadFields: ReadonlyMap<ResourceType, Readonly<Record<"spec" | "status", readonly string[]>>> = new Map([
  [resourceTypes.work, { spec: ["workload"], status: ["manifestConditions"] }],
  [
    resourceTypes.fleetBundleDeployment,
    { spec: ["options", "stagedOptions", "helmChartOptions", "dependsOn"], status: ["resources"] },
  ],
]);

/** Takes them out of an object that is to be held in memory. */
export function forgetUnreadFields(type: ResourceType, object: KubeObject): void {
  for (const [part, fields] of Object.entries(unreadFields.get(type) ?? {})) {
    const place = objectAt(object, part) ?? {};
    for (const field of fields) Reflect.deleteProperty(place, field);
  }
}
