import { isAppError } from "../core/errors.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { asFound } from "../model/as-found.ts";
import { fieldManagers } from "../model/well-known.ts";

/**
 * Writes an object over the one that was found, or creates it where none was.
 * @throws E_KUBE_CONFLICT when another one has the name by now
 */
export async function applyAsFound(
  hubApi: KubeApi,
  { live, object }: { readonly live: KubeObject | undefined; readonly object: KubeObject },
  signal: AbortSignal,
): Promise<void> {
  await hubApi.apply(asFound(object, live), { fieldManager: fieldManagers.hub, signal });
}

/** Reads and writes once more when another writer came between the two. */
export async function againOnConflict(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isAppError(error, "E_KUBE_CONFLICT") || error.recovery === "stalled") throw error;
    await work();
  }
}
