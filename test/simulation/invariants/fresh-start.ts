import { isJsonEqual } from "../../../src/core/json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** What the daemon makes of git and of the hub; Leases, Events and what other processes write are no part of it. */
const written = /^\/(?:rollcall\.dev\/(?!clusterreports\/)|(?:secrets|configmaps|serviceaccounts)\/)/u;

/**
 * At rest the hub is what a fresh daemon on an empty cache makes of the head, and a second run writes nothing: every
 * replica is killed and started, and afterwards no object and no branch has changed.
 */
export function freshDaemonAgrees({ world, mirror, violate }: Scene): Invariant {
  const name = "a fresh daemon on an empty cache changes nothing";
  let objects = new Map<string, KubeObject>();
  let refs = "";
  const currentRefs = (): string => JSON.stringify([...world.remote.refs]);
  const currentObjects = (): Map<string, KubeObject> =>
    new Map([...mirror.below("")].filter(([key]) => written.test(key)));
  return {
    name,
    onFreshStart: () => {
      objects = currentObjects();
      refs = currentRefs();
    },
    afterFreshStart: () => {
      const now = currentObjects();
      for (const key of new Set([...objects.keys(), ...now.keys()])) {
        const [before, after] = [objects.get(key), now.get(key)];
        if (before === undefined) violate(name, `${key} is made`);
        else if (after === undefined) violate(name, `${key} is deleted`);
        else if (!isJsonEqual(meaningOf(key, before), meaningOf(key, after))) violate(name, `${key} is changed`);
      }
      if (currentRefs() !== refs) violate(name, "a branch is moved");
    },
  };
}

/** Without bookkeeping of the API server. The report of an agent brings times into the status of its Cluster. */
function meaningOf(key: string, { metadata, status, ...rest }: KubeObject): object {
  const { labels, annotations, finalizers, deletionTimestamp } = metadata;
  const meaning = { ...rest, labels, annotations, finalizers, deletionTimestamp };
  return key.startsWith(clusterPrefix) ? meaning : { ...meaning, status };
}
