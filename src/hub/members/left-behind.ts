import { objectsAt, textAt } from "../../core/read-json.ts";
import type { Member } from "../../model/member.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { fieldManagers, labelKeys } from "../../model/well-known.ts";
import { toTime } from "../../planning/conditions.ts";
import type { HubPorts } from "../hub-ports.ts";

const mostShown = 20;
const longestRemains = 1024;

/**
 * Writes what stays in a cluster that was given up into its Repository's status, from where it comes into the status
 * branch: an Event is forgotten within the hour. Of two writers at once one is refused and tries again.
 * @throws E_KUBE_CONFLICT
 */
export async function recordLeftBehind(
  { hubApi, hubFacts }: Pick<HubPorts, "hubApi" | "hubFacts">,
  { workspace, name, cluster }: Member,
  { left, signal }: { readonly left: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const { daemonNamespace: namespace, nowMs } = hubFacts();
  const label = cluster.metadata.labels?.[labelKeys.repository] ?? "";
  if (!label.startsWith(`${namespace}.`)) return;
  const ref = { type: resourceTypes.repository, namespace, name: label.slice(namespace.length + 1) };
  const live = await hubApi.get(ref, { signal });
  if (live === undefined) return;
  const key = `${workspace}/${name}`;
  const entry = { cluster: key, time: toTime(nowMs), remains: left.join(", ").slice(0, longestRemains) };
  const others = objectsAt(live, "status", "leftBehind").filter((other) => textAt(other, "cluster") !== key);
  const status = { leftBehind: [entry, ...others].slice(0, mostShown) };
  const { resourceVersion = "" } = live.metadata;
  const writing = { fieldManager: fieldManagers.hub, subresource: "status" as const, signal };
  await hubApi.mergePatch(ref, { metadata: { resourceVersion }, status }, writing);
}
