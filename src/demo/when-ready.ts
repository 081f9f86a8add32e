import { AppError } from "../core/errors.ts";
import type { KubeApi } from "../kube/kube.ts";
import { realClock } from "../system/real-clock.ts";

const timeoutMs = 30_000;

/**
 * Resolves when the API server reports that it is ready.
 * @throws E_KUBE_UNREACHABLE when it does not within 30 s
 */
export async function whenReady(api: KubeApi, signal: AbortSignal): Promise<void> {
  const deadlineMs = realClock.monotonicMs() + timeoutMs;
  for (;;) {
    const { status } = await api.getRaw("/readyz", { signal });
    if (status === 200) return;
    if (realClock.monotonicMs() > deadlineMs)
      throw new AppError("E_KUBE_UNREACHABLE", `${api.server} is not ready after 30 s`);
    await realClock.sleep(20, signal);
  }
}
