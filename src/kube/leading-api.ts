import type { KubeApi } from "./kube.ts";

/** A term of leadership. */
export interface Term {
  /** Aborted when the term is over. */
  readonly signal: AbortSignal;
  /** Whether the Lease is held for certain. A process that stood still hears of the end of its term late. */
  readonly isCurrent: () => boolean;
}

/**
 * The same API for the work of a leader: each write asks first whether the term is current, so that a process that stood still
 * does not write over its successor. Reads go on.
 * @throws the reason of the signal, once the term is over
 */
export function leadingApi(api: KubeApi, { signal, isCurrent }: Term): KubeApi {
  const whileCurrent = async <T>(write: () => Promise<T>): Promise<T> => {
    if (!isCurrent()) signal.throwIfAborted();
    return write();
  };
  return {
    server: api.server,
    requestCounts: api.requestCounts,
    get: (...args) => api.get(...args),
    list: (...args) => api.list(...args),
    watch: (...args) => api.watch(...args),
    create: (...args) => whileCurrent(() => api.create(...args)),
    update: (...args) => whileCurrent(() => api.update(...args)),
    apply: (...args) => whileCurrent(() => api.apply(...args)),
    mergePatch: (...args) => whileCurrent(() => api.mergePatch(...args)),
    delete: (...args) => whileCurrent(() => api.delete(...args)),
    requestToken: (...args) => whileCurrent(() => api.requestToken(...args)),
    getRaw: (...args) => api.getRaw(...args),
    close: () => api.close(),
  };
}
