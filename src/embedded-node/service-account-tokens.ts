import { smallestOf } from "../core/extremes.ts";
import type { Clock } from "../core/clock.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { PodSpec } from "./pod-spec.ts";

interface Known {
  readonly content: Buffer;
  readonly renewAtMs: number;
}

/** Tokens of one Pod's account, bound to the Pod. Each is asked for once and again at 80 % of its life. */
export interface PodTokens {
  get(request: { readonly expirationSeconds: number; readonly audience: string }): Promise<Buffer>;
  /** When the first of them has to be renewed, or undefined while there is none. */
  readonly renewAtMs: number | undefined;
}

export function createPodTokens(
  api: Pick<KubeApi, "requestToken">,
  pod: PodSpec,
  environment: { readonly clock: Clock; readonly signal: AbortSignal },
): PodTokens {
  const { clock, signal } = environment;
  const tokens = new Map<string, Known>();
  return {
    get: async ({ expirationSeconds, audience }) => {
      const key = `${expirationSeconds}/${audience}`;
      const known = tokens.get(key);
      const askedAtMs = clock.nowMs();
      if (known !== undefined && askedAtMs < known.renewAtMs) return known.content;
      const { token, expiresAt } = await api.requestToken({
        namespace: pod.namespace,
        serviceAccount: pod.serviceAccountName,
        expirationSeconds,
        ...(audience === "" ? {} : { audiences: [audience] }),
        boundPod: { name: pod.name, uid: pod.uid },
        signal,
      });
      const content = Buffer.from(token);
      tokens.set(key, { content, renewAtMs: askedAtMs + (Date.parse(expiresAt) - askedAtMs) * 0.8 });
      return content;
    },
    get renewAtMs() {
      const times = [...tokens.values()].map(({ renewAtMs }) => renewAtMs);
      return times.length === 0 ? undefined : smallestOf(times);
    },
  };
}
