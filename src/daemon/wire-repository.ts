import { AppError, isAppError } from "../core/errors.ts";
import type { KubeApi, KubeCache } from "../kube/kube.ts";
import { startKubeCache } from "../kube/kube-cache.ts";
import type { Repository, RepositorySpec } from "../model/generated/repository.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import { realClock, realRandom } from "../system/real-clock.ts";

/** The Repository object of this daemon, followed on the hub. */
export interface RepositorySource {
  read(): Repository | undefined;
  /** Takes in an own write. */
  record(written: Repository): Repository;
  /** Calls `listener` when another writer changed spec or annotations. */
  onChange(listener: () => void): void;
  /** Calls `listener` whenever there is a newer version, own writes included. */
  onNews(listener: () => void): void;
  stop(): Promise<void>;
}

/**
 * Makes the Repository object match the flags; nothing is written when it matches already. Resolves with what was written.
 * For the leader alone: of two replicas with other flags, the one that leads decides.
 * @throws E_KUBE_NOT_FOUND where the daemon's namespace is missing, E_KUBE_INVALID
 */
export async function applyRepository(
  hubApi: KubeApi,
  target: { readonly namespace: string; readonly name: string },
  spec: RepositorySpec,
  /** A dry run asks the hub whether it would take it, and writes nothing. Default false. */
  { signal, isDryRun = false }: { readonly signal: AbortSignal; readonly isDryRun?: boolean },
): Promise<Repository | undefined> {
  const type = resourceTypes.repository;
  const object: KubeObject = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { ...target }, spec };
  const live = await hubApi.get({ type, ...target }, { signal });
  const manager = fieldManagers.hub;
  if (live && diffOwnedFields(object, live, { manager }).length === 0) return undefined;
  try {
    return (await hubApi.apply(object, { fieldManager: manager, signal, isDryRun })) as KubeObject & Repository;
  } catch (error) {
    if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
    const hint = "install the chart, or start with --install-crds, which makes it";
    throw new AppError("E_KUBE_NOT_FOUND", `Namespace/${target.namespace} is not on the hub ${hubApi.server}: ${hint}`);
  }
}

/** Follows one Repository object. Resolves when it was read for the first time. */
export async function followRepository(
  hubApi: KubeApi,
  target: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<RepositorySource> {
  let latest: Repository | undefined;
  const listeners: (() => void)[] = [];
  const newsListeners: (() => void)[] = [];
  const take = (newest: Repository | undefined): void => {
    latest = newest;
    for (const listener of newsListeners) listener();
  };
  const accept = (seen: Repository | undefined): void => {
    const before = latest;
    take(seen);
    if (isChangeOfOthers(before, seen)) for (const listener of listeners) listener();
  };
  let writeCount = 0;
  const cache: KubeCache = startKubeCache(
    hubApi,
    resourceTypes.repository,
    {
      namespace: target.namespace,
      fieldSelector: `metadata.name=${target.name}`,
      onChange: ({ object }) => {
        const seen = object as Repository | undefined;
        if (seen && latest && versionOf(seen) < versionOf(latest)) return;
        accept(seen);
      },
      // A list that was asked for after the last own write shows it, or the hub is an older copy that lost it.
      onListing: () => {
        const count = writeCount;
        return () => {
          const listed = cache.get(target.namespace, target.name) as Repository | undefined;
          if (count === writeCount && listed && latest && versionOf(listed) < versionOf(latest)) accept(listed);
        };
      },
    },
    { clock: realClock, random: realRandom, signal },
  );
  await cache.whenSynced(signal);
  return {
    read: () => latest,
    record: (written) => {
      writeCount += 1;
      if (latest && versionOf(written) < versionOf(latest)) return latest;
      take(written);
      return written;
    },
    onChange: (listener) => listeners.push(listener),
    onNews: (listener) => newsListeners.push(listener),
    stop: () => cache.stop(),
  };
}

/** Whether spec or annotations differ, which this program does not write: it writes the status. */
export function isChangeOfOthers(before: Repository | undefined, seen: Repository | undefined): boolean {
  return (
    seen?.metadata.generation !== before?.metadata.generation ||
    JSON.stringify(seen?.metadata.annotations) !== JSON.stringify(before?.metadata.annotations)
  );
}

function versionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata.resourceVersion ?? "0");
}
