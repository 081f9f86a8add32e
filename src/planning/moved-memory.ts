import type { ClusterMemory } from "../model/cluster-memory.ts";
import type { Member } from "../model/member.ts";

/**
 * What the hub remembers of a cluster that takes another one's place: who it is, how it came in, its labels. Credentials
 * are not among it, they are of accounts of the former name; their numbers go on, so that none is ever used twice.
 */
export function movedMemory({ workspace, name, memory = {} }: Member, heir: ClusterMemory | undefined): ClusterMemory {
  const { clientID, keys, join, labels, install, refusedVersion } = memory;
  const { bootstrap: _, ...joined } = join ?? {};
  const lastNumber = Math.max(
    memory.lastCredentialNumber ?? 0,
    memory.credential?.number ?? 0,
    heir?.lastCredentialNumber ?? 0,
  );
  return {
    ...heir,
    ...(clientID === undefined ? {} : { clientID }),
    ...(keys === undefined ? {} : { keys }),
    ...(join === undefined
      ? {}
      : { join: { ...joined, time: join.time, registration: join.registration, initiated: join.initiated } }),
    ...(labels === undefined ? {} : { labels }),
    ...(install === undefined ? {} : { install: withoutBootstrap(install) }),
    ...(refusedVersion === undefined ? {} : { refusedVersion }),
    ...(lastNumber === 0 ? {} : { lastCredentialNumber: lastNumber }),
    movedFrom: { workspace, name },
  };
}

/** Tokens that the hub makes for one member are counted by name. */
function withoutBootstrap({ bootstrap: _, ...install }: NonNullable<ClusterMemory["install"]>) {
  return install;
}
