import { AppError, isAppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { silentLog } from "../core/log.ts";
import { WatchFailures } from "../hub/watch-failures.ts";
import type { KubeApi, KubeCache } from "../kube/kube.ts";
import { startKubeCache } from "../kube/kube-cache.ts";
import type { Repository, RepositorySpec } from "../model/generated/repository.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import type { RepositorySource } from "./known-repository.ts";
import { KnownRepository } from "./known-repository.ts";

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
  /** Of what keeps it from being followed. Then other watches log that the hub cannot be reached. Default: nothing is logged. */
  log: Log = silentLog,
): Promise<RepositorySource> {
  const { namespace, name } = target;
  const type = resourceTypes.repository;
  const known = new KnownRepository();
  let isFollowed = false;
  const unreachable: Log = {
    ...silentLog,
    warn: (...line) => void (isFollowed || log.warn(...line)),
    info: (...line) => void (isFollowed || log.info(...line)),
  };
  const cache: KubeCache = startKubeCache(
    hubApi,
    type,
    new WatchFailures(log, realClock, unreachable).loggedOptions(type, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      onChange: ({ object }) => void known.see(object as Repository | undefined),
      onListing: () => {
        const settle = known.beginListing();
        return () => void settle(cache.get(namespace, name) as Repository | undefined);
      },
    }),
    { clock: realClock, random: realRandom, signal },
  );
  await cache.whenSynced(signal);
  isFollowed = true;
  return { ...known.open(), stop: () => cache.stop() };
}
