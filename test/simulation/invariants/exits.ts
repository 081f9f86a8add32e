import { textAt, valueAt } from "../../../src/core/read-json.ts";
import { firstNameOf } from "../first-name.ts";
import { isUninstalled } from "../fleet-files.ts";
import { endOfWork } from "../member-process.ts";
import { clusterPrefix, leasePrefix } from "../mirror.ts";
import type { HubMirror } from "../mirror.ts";
import type { Scheduler, SimNode } from "../scheduler.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** After a fault a daemon that cannot begin its work may exit: it is started again. */
const settledAfterMs = 60_000;
/** What Kubernetes gives a Pod to end. */
const graceMs = 30_000;
/** An agent that has uninstalled itself waits a day for the end of its Pod; its Cluster is removed a moment later. */
const leastLeftMs = 23 * 3_600_000;

/** What this invariant reads. */
interface ExitScene extends Pick<Scene, "violate" | "disturbedAtMs"> {
  readonly world: { readonly scheduler: Pick<Scheduler, "elapsedMs">; readonly replicas: readonly SimNode[] };
  readonly mirror: Pick<HubMirror, "below">;
}

/**
 * An agent never ends by itself, unless it uninstalled itself a day before, and a daemon not in calm times. A daemon that is asked to
 * end does so in time, and returns its Leases, so that no other replica waits for their end.
 */
export function processesEndRightly({ world, mirror, violate, disturbedAtMs }: ExitScene): Invariant {
  const name = "a process ends only when it is asked to, and returns its Leases";
  /** When each Cluster was removed, by the first name of the cluster, until another agent joins it: one that is declared anew has none yet. */
  const removedAtMs = new Map<string, number>();
  return {
    name,
    onRow: ({ key, after }) => {
      if (!key.startsWith(clusterPrefix)) return;
      const cluster = firstNameOf(key.slice(clusterPrefix.length));
      if (valueAt(after, "status", "identity") !== undefined) removedAtMs.delete(cluster);
      if (after !== undefined || removedAtMs.has(cluster)) return;
      // A renamed cluster has another Cluster before this one is removed.
      const isRenamed = [...mirror.below(clusterPrefix).keys()].some((other) => firstNameOf(other) === cluster);
      if (!isRenamed) removedAtMs.set(cluster, world.scheduler.elapsedMs);
    },
    onExit: ({ node, why, asked }) => {
      const { elapsedMs } = world.scheduler;
      const isReplica = world.replicas.includes(node);
      if (asked === undefined) {
        const cluster = node.name.slice("agent-".length);
        const leftMs = elapsedMs - (removedAtMs.get(cluster) ?? Infinity);
        if (why === endOfWork && isUninstalled(cluster) && leftMs >= leastLeftMs) return;
        if (!isReplica || elapsedMs - disturbedAtMs() > settledAfterMs) violate(name, `${node.name} ends: ${why}`);
        return;
      }
      if (!asked.isCalm) return;
      const tookMs = elapsedMs - asked.atMs;
      if (why !== "stopped" || tookMs > graceMs)
        violate(name, `${node.name} is asked to end, and is done after ${Math.round(tookMs / 1000)} s: ${why}`);
      for (const [lease, { spec }] of mirror.below(`${leasePrefix}rollcall-system/`))
        if (lease !== "rollcall-watch" && textAt({ spec }, "spec", "holderIdentity") === node.name)
          violate(name, `${node.name} was asked to end, and still holds the Lease ${lease}`);
    },
  };
}
