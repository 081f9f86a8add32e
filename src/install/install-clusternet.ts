import type { KubeApi } from "../kube/kube.ts";
import { clusternetHubObjects } from "../model/dialects/clusternet-hub-objects.ts";
import { clusternetCrds } from "../model/generated/clusternet-crds.ts";
import { applyCrds } from "./install-crds.ts";
import { installObjects } from "./install-objects.ts";
import { requireValidatingPolicies } from "./served-policies.ts";

/**
 * Makes what a hub needs to serve Clusternet's agents: definitions, rights, the admission policies that hold each agent to
 * its own cluster. Whatever is there already and was not made by Rollcall stays as it is.
 * @throws E_UNSUPPORTED on a hub without such policies, E_KUBE_SERVER when a definition is not served in time
 */
export async function installClusternet(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  await requireValidatingPolicies(hubApi, "Clusternet", signal);
  await applyCrds(hubApi, clusternetCrds, { isForeignKept: true, signal });
  await installObjects(hubApi, clusternetHubObjects, signal);
}
