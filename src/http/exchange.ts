import { request } from "undici";
import type { Dispatcher } from "undici";
import { unlessAborted } from "../core/unless-aborted.ts";
import { failureOf } from "./failure.ts";
import { onInterimAnswer } from "./dispatcher.ts";

export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether a second copy of the request does no harm. A write is not repeated: it may have arrived. It is asked when the first
   * copy has failed.
   */
  readonly isRepeatable: () => boolean;
}

/**
 * The head of the answer, and its body to be read or dropped. A server may close an idle connection just as it is used
 * again: a repeatable request is then sent once more. @throws the error of undici ({@link failureOf}), or the signal's reason
 */
export async function exchange(url: URL, options: ExchangeOptions): Promise<Dispatcher.ResponseData> {
  const { isRepeatable, ...sent } = options;
  for (let triesLeft = 1; ; triesLeft--) {
    try {
      // A request that waits for its connection to be opened does not learn of its signal.
      return await unlessAborted(request(url, { ...sent, onInfo: onInterimAnswer() }), options.signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (triesLeft === 0 || failureOf(error).kind !== "closed" || !isRepeatable()) throw error;
    }
  }
}
