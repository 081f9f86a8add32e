import { setMaxListeners } from "node:events";

/** A signal that is never aborted, for any number of requests at a time. */
export function neverAborted(): AbortSignal {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return signal;
}
