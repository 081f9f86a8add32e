import { numberAt } from "../core/read-json.ts";
import type { Log } from "../core/log.ts";
import type { KubeApi } from "../kube/kube.ts";
import { memberStateName, readMemberState } from "../model/member-state.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { TokenRecord } from "../model/generated/token-record.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";

export interface OlderCopyOptions {
  readonly hubApi: KubeApi;
  readonly clusters: readonly ClusterRecord[];
  readonly tokens: readonly TokenRecord[];
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Updates a hub that was restored from an older copy with later revocations of users and uses of tokens; otherwise it
 * would admit a revoked agent again. True when the hub is such a copy: the status branch has newer credentials,
 * revocations or uses.
 */
export async function catchUpOlderCopy(options: OlderCopyOptions): Promise<boolean> {
  let isOlder = false;
  for (const record of options.clusters) {
    const { name, namespace = "" } = record.metadata;
    const state = await read(options, { type: resourceTypes.configMap, namespace, name: memberStateName(name) });
    const issued = readMemberState(state)?.credential?.number;
    if (issued !== undefined && (record.credentialNumber ?? 0) > issued) isOlder = true;
    if (await revokeAgain(options, record)) isOlder = true;
  }
  for (const record of options.tokens) if (await countAgain(options, record)) isOlder = true;
  return isOlder;
}

async function revokeAgain(options: OlderCopyOptions, { metadata, revoked }: ClusterRecord): Promise<boolean> {
  if (revoked === undefined) return false;
  const ref = { type: resourceTypes.cluster, namespace: metadata.namespace ?? "", name: metadata.name };
  const live = await read(options, ref);
  if (live === undefined || live.metadata.annotations?.[annotationKeys.revoked] !== undefined) return false;
  const annotations = { [annotationKeys.revoked]: [revoked.blob, revoked.by, revoked.time].join("/") };
  const patch = { metadata: { uid: live.metadata.uid ?? "", annotations } };
  await options.hubApi.mergePatch(ref, patch, { fieldManager: fieldManagers.operator, signal: options.signal });
  options.log.warn("a revoked cluster is revoked again", { cluster: `${ref.namespace}/${ref.name}` });
  return true;
}

async function countAgain(options: OlderCopyOptions, { metadata, uses = 0 }: TokenRecord): Promise<boolean> {
  const ref = {
    type: resourceTypes.clusterRegistrationToken,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
  };
  const live = await read(options, ref);
  if (live === undefined || (numberAt(live, "status", "uses") ?? 0) >= uses) return false;
  const writing = { fieldManager: fieldManagers.hub, subresource: "status" as const, signal: options.signal };
  await options.hubApi.mergePatch(ref, { status: { uses } }, writing);
  options.log.warn("uses of a token are counted again", { token: `${ref.namespace}/${ref.name}`, uses });
  return true;
}

function read({ hubApi, signal }: OlderCopyOptions, ref: ObjectRef): Promise<KubeObject | undefined> {
  return hubApi.get(ref, { signal });
}
