import type { KubeApi } from "../../src/kube/kube.ts";

/** The same client, which counts what it is asked for, by verb and kind: `apply Cluster/status`. */
export function countingApi(api: KubeApi, counts: Map<string, number>): KubeApi {
  const note = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  return {
    ...api,
    get: (ref, options) => (note(`get ${ref.type.kind}`), api.get(ref, options)),
    create: (object, options) => (note(`create ${object.kind}`), api.create(object, options)),
    apply: (object, options) => {
      note(`apply ${object.kind}${options.subresource === undefined ? "" : "/status"}`);
      return api.apply(object, options);
    },
    mergePatch: (ref, patch, options) => (note(`patch ${ref.type.kind}`), api.mergePatch(ref, patch, options)),
    delete: (ref, options) => (note(`delete ${ref.type.kind}`), api.delete(ref, options)),
    requestToken: (request) => (note("request token"), api.requestToken(request)),
  };
}
