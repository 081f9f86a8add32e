import type { KubeApi } from "./kube.ts";

/** A term of leadership. */
export interface Term {
  /** Aborted when the term is over. */
  readonly signal: AbortSignal;
  /** Whether the Lease is held for certain. A stalled process learns of the end of its term late. */
  readonly isCurrent: () => boolean;
}

/** @throws the reason of the signal, once the term is over */
export function assertLeads({ signal, isCurrent }: Term): void {
  if (!isCurrent()) signal.throwIfAborted();
}

/**
 * The same API for the work of a leader: each write, and each repetition of it, asks first whether the term is current, so that a
 * process that stalled does not write over its successor. Reads continue.
 * @throws the reason of the signal, once the term is over
 */
export function leadingApi(api: KubeApi, term: Term): KubeApi {
  const beforeSend = (): void => assertLeads(term);
  return {
    server: api.server,
    requestCounts: api.requestCounts,
    get: (...args) => api.get(...args),
    list: (...args) => api.list(...args),
    watch: (...args) => api.watch(...args),
    create: async (object, options) => api.create(object, { ...options, beforeSend }),
    update: async (object, options) => api.update(object, { ...options, beforeSend }),
    apply: async (object, options) => api.apply(object, { ...options, beforeSend }),
    mergePatch: async (ref, patch, options) => api.mergePatch(ref, patch, { ...options, beforeSend }),
    delete: async (ref, options) => api.delete(ref, { ...options, beforeSend }),
    requestToken: async (request) => api.requestToken({ ...request, beforeSend }),
    getRaw: (...args) => api.getRaw(...args),
    close: () => api.close(),
  };
}
