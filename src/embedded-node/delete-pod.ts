import { backoffMs } from "../core/backoff.ts";
import { isAppError } from "../core/errors.ts";
import { nodeResources } from "./node-types.ts";
import type { KubeObject } from "./node-types.ts";
import type { PodEnvironment } from "./pod-environment.ts";

const longestRetryMs = 30_000;

/**
 * Deletes a Pod of which nothing runs any more. It is tried until the API server has it, or another Pod has the name: no event
 * of the watch would start it again. Ends without it when the signal is aborted.
 */
export async function deletePod(
  { namespace = "", name, uid }: KubeObject["metadata"],
  { api, clock, random, log }: Pick<PodEnvironment, "api" | "clock" | "random" | "log">,
  signal: AbortSignal,
): Promise<void> {
  const ref = { type: nodeResources.pod, namespace, name };
  const options = { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) };
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await api.delete(ref, { ...options, signal });
    } catch (error) {
      if (signal.aborted || isAppError(error, "E_KUBE_CONFLICT", "E_KUBE_NOT_FOUND")) return;
      log.warn("a pod could not be deleted", { pod: `${namespace}/${name}`, error });
      await clock.sleep(backoffMs(failures, random, { maximumMs: longestRetryMs }), signal).catch(() => undefined); // stopped
    }
  }
}
