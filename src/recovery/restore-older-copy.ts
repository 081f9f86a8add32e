import { numberAt } from "../core/read-json.ts";
import type { Log } from "../core/log.ts";
import type { KubeApi } from "../kube/kube.ts";
import { memberStateName, readMemberState } from "../model/member-state.ts";
import type { ClusterRecord } from "../model/generated/cluster-record.ts";
import type { TokenRecord } from "../model/generated/token-record.ts";
import type { KubeObject, ObjectRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import { restoredState } from "../planning/restored-objects.ts";

export interface OlderCopyOptions {
  readonly hubApi: KubeApi;
  readonly clusters: readonly ClusterRecord[];
  readonly tokens: readonly TokenRecord[];
  /** The hub signed the records: of others, none replaces an agent that the hub knows. */
  readonly isSigned: boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * What a hub that was restored from an older copy lacks of later revocations of users, agents that took the place of others,
 * and uses of tokens; without them it would admit an agent again that was revoked or replaced. Writes nothing. Undefined when
 * the hub is no such copy: the status branch has no newer credentials, agents, revocations or uses. The result writes them, and
 * may be called when the new epoch is on the hub: before that, nothing else may show any more that the hub is an older copy.
 */
export async function compareWithOlderCopy(options: OlderCopyOptions): Promise<(() => Promise<void>) | undefined> {
  let isOlder = false;
  const writes: Write[] = [];
  for (const record of options.clusters) {
    const { name, namespace = "" } = record.metadata;
    const state = await read(options, { type: resourceTypes.configMap, namespace, name: memberStateName(name) });
    const issued = readMemberState(state)?.credential?.number;
    if (issued !== undefined && (record.credentialNumber ?? 0) > issued) isOlder = true;
    writes.push(...(await revocationOf(options, record)));
    writes.push(...(await successionOf(options, record, state)));
  }
  for (const record of options.tokens) writes.push(...(await usesOf(options, record)));
  if (!isOlder && writes.length === 0) return undefined;
  return async () => {
    for (const write of writes) await write();
  };
}

type Write = () => Promise<void>;

async function revocationOf(options: OlderCopyOptions, { metadata, revoked }: ClusterRecord): Promise<Write[]> {
  if (revoked === undefined) return [];
  const ref = { type: resourceTypes.cluster, namespace: metadata.namespace ?? "", name: metadata.name };
  const readUnrevoked = async (): Promise<KubeObject | undefined> => {
    const live = await read(options, ref);
    return live && isRevokedAfter(live, revoked.time) ? undefined : live;
  };
  if ((await readUnrevoked()) === undefined) return [];
  const annotations = { [annotationKeys.revoked]: [revoked.blob, revoked.by, revoked.time].join("/") };
  const write = async (): Promise<void> => {
    // A user may have revoked it while the other clusters were compared.
    const live = await readUnrevoked();
    if (live === undefined) return;
    const { uid = "", resourceVersion } = live.metadata;
    const version = resourceVersion === undefined ? {} : { resourceVersion };
    const patch = { metadata: { uid, ...version, annotations } };
    await options.hubApi.mergePatch(ref, patch, { fieldManager: fieldManagers.operator, signal: options.signal });
    options.log.warn("a revoked cluster is revoked again", { cluster: `${ref.namespace}/${ref.name}` });
  };
  return [write];
}

/** An earlier revocation may be of an earlier version of the file, and would end with it; one that names none yet does not. */
function isRevokedAfter({ metadata }: KubeObject, time: string | undefined): boolean {
  const [blob, , since] = metadata.annotations?.[annotationKeys.revoked]?.split("/") ?? [];
  return blob === "-" || (blob !== undefined && !isLater(time, since));
}

/** The state of an agent that took the place of the one that the copy knows; the hub then takes that one's credentials away. */
async function successionOf(
  options: OlderCopyOptions,
  record: ClusterRecord,
  live: KubeObject | undefined,
): Promise<Write[]> {
  const { name, namespace = "" } = record.metadata;
  const known = readMemberState(live);
  const state = restoredState(record, options.tokens.find((token) => isTokenOf(record, token))?.uses);
  if (!options.isSigned || known?.keys === undefined || state === undefined) return [];
  if (record.keys?.[0]?.signingKey === known.keys.signing) return [];
  const number = Math.max(known.lastCredentialNumber ?? 0, known.credential?.number ?? 0);
  if ((record.credentialNumber ?? 0) <= number) {
    // Numbers begin anew with a cluster that was removed and declared again. Here it was, before that agent joined.
    const cluster = await read(options, { type: resourceTypes.cluster, namespace, name });
    const joined = record.join?.time;
    if (!isLater(joined, known.join?.time ?? joined) || !isLater(joined, cluster?.metadata.creationTimestamp))
      return [];
  }
  const write = async (): Promise<void> => {
    await options.hubApi.apply(state, { fieldManager: fieldManagers.hub, signal: options.signal });
    options.log.warn("another agent took the place of the one that the hub knows", { cluster: `${namespace}/${name}` });
  };
  return [write];
}

function isTokenOf({ metadata, join }: ClusterRecord, token: TokenRecord): boolean {
  return token.metadata.namespace === metadata.namespace && token.metadata.name === join?.token;
}

/** A time that is not known is earlier than all others. */
function isLater(time: string | undefined, than: string | undefined): boolean {
  return (Date.parse(time ?? "") || 0) > (Date.parse(than ?? "") || 0);
}

async function usesOf(options: OlderCopyOptions, { metadata, uses = 0 }: TokenRecord): Promise<Write[]> {
  const ref = {
    type: resourceTypes.clusterRegistrationToken,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
  };
  const live = await read(options, ref);
  if (live === undefined || (numberAt(live, "status", "uses") ?? 0) >= uses) return [];
  const write = async (): Promise<void> => {
    const writing = { fieldManager: fieldManagers.hub, subresource: "status" as const, signal: options.signal };
    await options.hubApi.mergePatch(ref, { status: { uses } }, writing);
    options.log.warn("uses of a token are counted again", { token: `${ref.namespace}/${ref.name}`, uses });
  };
  return [write];
}

function read({ hubApi, signal }: OlderCopyOptions, ref: ObjectRef): Promise<KubeObject | undefined> {
  return hubApi.get(ref, { signal });
}
