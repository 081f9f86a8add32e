import { publicAccess } from "../join/rollcall/hub/public-objects.ts";
import type { KubeApi } from "../kube/kube.ts";
import { publicNamespace } from "../model/dialects/rollcall.ts";
import { agentWritesPolicy } from "../model/agent-writes-policy.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { hubEditPolicy } from "../model/hub-edit-policy.ts";
import { hubWriterGuard, hubWriterPolicy, writerPolicyVersions } from "../model/hub-writer-policy.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";
import { installCrds } from "./install-crds.ts";
import { installObjects } from "./install-objects.ts";
import { installWriterPolicy } from "./install-writer-policy.ts";
import { lacksValidatingPolicies } from "./served-policies.ts";

/** Those that are the same in each version of the API. */
const policies: readonly KubeObject[] = [...hubEditPolicy, ...hubWriterGuard, ...agentWritesPolicy];

/**
 * Creates the objects that the chart creates on a hub, besides rights: definitions, the daemon's namespace, public
 * objects, and `workspaces` (default: none). From Kubernetes 1.30 on also the policies that warn users who edit the hub manually,
 * record who they are, and bound what agents write. Existing namespaces are not changed.
 * @throws E_KUBE_CONFLICT, E_KUBE_SERVER as installCrds
 */
export async function installHub(
  hubApi: KubeApi,
  namespace: string,
  signal: AbortSignal,
  workspaces: readonly string[] = [],
): Promise<void> {
  await installCrds(hubApi, signal);
  const places = [namespaceNamed(namespace, {}), ...workspaces.map(workspaceNamed)];
  await installObjects(hubApi, [...places, ...publicAccess()], signal);
  if (await lacksValidatingPolicies(hubApi, signal)) return;
  await installObjects(hubApi, policies, signal);
  await installWriterPolicy(hubApi, signal);
}

/** What installHub makes for the hub as a whole, in that order, of each version of the API; no definitions and workspaces. */
export function hubWideObjects(): readonly KubeObject[] {
  const writers = writerPolicyVersions.flatMap((version) => hubWriterPolicy(version));
  return [...publicAccess(), ...policies, ...writers];
}

/**
 * Makes the namespaces that a hub has lost. A daemon may not read all that its chart made: where the public namespace exists,
 * its objects are assumed to exist.
 */
export async function restoreNamespaces(
  hubApi: KubeApi,
  { namespace, workspaces }: { readonly namespace: string; readonly workspaces: Iterable<string> },
  signal: AbortSignal,
): Promise<void> {
  const places = [...workspaces].map(workspaceNamed);
  await installObjects(hubApi, [namespaceNamed(namespace, {}), ...places], signal);
  if (await hubApi.get({ type: resourceTypes.namespace, name: publicNamespace }, { signal })) return;
  await installObjects(hubApi, publicAccess(), signal);
}

function workspaceNamed(name: string): KubeObject {
  return namespaceNamed(name, { [labelKeys.workspace]: "true" });
}

export function namespaceNamed(name: string, labels: Record<string, string>): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}
