import type { KubeApi } from "../kube/kube.ts";
import { fleetClusterPolicy, fleetHubObjects } from "../model/dialects/fleet-hub-objects.ts";
import { fleetCrds } from "../model/generated/fleet-crds.ts";
import { applyCrds } from "./install-crds.ts";
import { installObjects } from "./install-objects.ts";
import { lacksValidatingPolicies, requireValidatingPolicies } from "./served-policies.ts";

/**
 * Makes what a hub needs to serve Rancher Fleet's agents: definitions, namespaces, rights, an admission policy. Whatever is
 * there already and was not made by Rollcall stays as it is.
 * @throws E_UNSUPPORTED on a hub without such policies, E_KUBE_SERVER when a definition is not served in time
 */
export async function installFleet(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  await requireValidatingPolicies(hubApi, "Fleet", signal);
  await applyCrds(hubApi, fleetCrds, { isForeignKept: true, signal });
  await installObjects(hubApi, fleetHubObjects, signal);
}

/** Where Fleet's own controllers serve the agents: the policy that holds each to its namespace, if the hub has policies. */
export async function installBesideFleet(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  if (await lacksValidatingPolicies(hubApi, signal)) return;
  await installObjects(hubApi, fleetClusterPolicy, signal);
}
