import { clusterPrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

const suspendKey = "rollcall.dev/reconcile";

/** Git changes nothing of a cluster that a person has suspended. */
export function suspendedStays({ world, intent, violate }: Scene): Invariant {
  const name = "what is suspended is not changed";
  return {
    name,
    onRow: ({ key, before, after }) => {
      if (!key.startsWith(clusterPrefix) || before === undefined) return;
      const cluster = key.slice(clusterPrefix.length);
      if (after === undefined) {
        // A deletion that fails leaves it suspended; a Cluster of that name is another one.
        intent.suspended.delete(cluster);
        intent.revoked.delete(cluster);
        return;
      }
      const isSuspended = [before, after].every(({ metadata }) => metadata.annotations?.[suspendKey] === "disabled");
      const [unmoved, moved] = [before, after].map(({ metadata }) => metadata.annotations?.["rollcall.dev/moved-to"]);
      const isLeaving = before.metadata.annotations?.["rollcall.dev/leave"] !== undefined;
      if (isSuspended && !isLeaving && unmoved === undefined && moved !== undefined)
        violate(name, `${cluster} is suspended, and is to become ${moved}`);
      const [was, is] = [before, after].map(({ metadata }) => metadata.labels?.["edition"]);
      // People change it to this value, and to no other.
      if (!isSuspended || was === is || is === "drift") return;
      violate(name, `${cluster} is suspended, and its label edition becomes ${is ?? "nothing"}`);
      world.story.tell("hub", `the label was ${was ?? "nothing"}`);
    },
  };
}
