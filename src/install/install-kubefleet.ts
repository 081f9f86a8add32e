import type { KubeApi } from "../kube/kube.ts";
import { kubefleetHubCrds } from "../model/dialects/kubefleet-crds.ts";
import { kubefleetHubObjects } from "../model/dialects/kubefleet-hub-objects.ts";
import { applyCrds } from "./install-crds.ts";
import { installObjects } from "./install-objects.ts";

/**
 * Makes what a hub needs to serve KubeFleet's agents: definitions, and the namespace of KubeFleet's join script. Whatever
 * is there already and was not made by Rollcall stays as it is.
 * @throws E_KUBE_SERVER when a definition is not served in time
 */
export async function installKubefleet(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  await applyCrds(hubApi, kubefleetHubCrds, { isForeignKept: true, signal });
  await installObjects(hubApi, kubefleetHubObjects, signal);
}
