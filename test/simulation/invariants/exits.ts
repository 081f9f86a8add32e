import { textAt } from "../../../src/core/read-json.ts";
import { firstNameOf } from "../first-name.ts";
import { isUninstalled } from "../fleet-files.ts";
import { clusterPrefix, leasePrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** After a fault a daemon that cannot begin its work may exit: it is started again. */
const settledAfterMs = 60_000;
/** What Kubernetes gives a Pod to end. */
const graceMs = 30_000;
/** What `member-process.ts` says of an agent whose work has ended without an error. */
const leftForADay = "its work is over";

/**
 * An agent never ends by itself, unless it has removed itself a day before, and a daemon not in calm times. A daemon that is asked to end does so in time, and returns its
 * Leases, so that no other replica waits for their end.
 */
export function processesEndRightly({ world, mirror, violate, disturbedAtMs }: Scene): Invariant {
  const name = "a process ends only when it is asked to, and returns its Leases";
  return {
    name,
    onExit: ({ node, why, asked }) => {
      const { elapsedMs } = world.scheduler;
      const isReplica = world.replicas.includes(node);
      if (asked === undefined) {
        if (why === leftForADay && hasLeft(node.name, mirror)) return;
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

/** It removed itself and its cluster is removed, too: nothing ends its Pod in a simulated cluster. */
function hasLeft(agent: string, mirror: Scene["mirror"]): boolean {
  const cluster = agent.slice("agent-".length);
  const isThere = [...mirror.below(clusterPrefix).keys()].some((name) => firstNameOf(name) === cluster);
  return isUninstalled(cluster) && !isThere;
}
