import { textAt, valueAt } from "../../../src/core/read-json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

/** The id of the agent that this request of another project's kind lets in; undefined of all other objects. */
export function admittedBy(key: string, request: KubeObject | undefined): string | undefined {
  if (key.startsWith("/fleet.cattle.io/clusterregistrations/"))
    return valueAt(request, "status", "granted") === true ? textAt(request, "spec", "clientID") : undefined;
  if (!key.startsWith("/clusters.clusternet.io/clusterregistrationrequests/")) return undefined;
  return textAt(request, "status", "result") === "Approved" ? textAt(request, "spec", "clusterId") : undefined;
}
