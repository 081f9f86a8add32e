import { leasePrefix } from "../mirror.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** For each part of the world, at rest: a base, and so many for each cluster. */
const most = {
  timers: { base: 30, perCluster: 3 },
  // Eight of its loops; the others are deadlines of requests that are under way.
  "timers of an agent": { base: 16, perCluster: 0 },
  connections: { base: 20, perCluster: 1 },
  leases: { base: 6, perCluster: 1 },
  secrets: { base: 8, perCluster: 5 },
} as const;

/** For a daemon that serves agents of other projects: a watch of each of their kinds. */
const foreignWatches = { timers: 44, connections: 14 };

/** At rest no part holds more than the fleet needs: pending timers, open connections, objects on the hub. */
export function partsAreBounded({ world, mirror, violate }: Scene): Invariant {
  const name = "what each part holds is bounded by the clusters there are";
  const check = (what: string, kind: keyof typeof most, count: number): void => {
    const { base, perCluster } = most[kind];
    const more = world.servesForeign && (kind === "timers" || kind === "connections") ? foreignWatches[kind] : 0;
    const limit = base + more + perCluster * world.members.size;
    if (count > limit) violate(name, `${what}: ${count} ${kind}, where ${limit} are enough`);
  };
  return {
    name,
    atRest: () => {
      for (const node of world.scheduler.nodes) {
        const isAgent = node.name.startsWith("agent-");
        check(node.name, isAgent ? "timers of an agent" : "timers", world.scheduler.pendingOf(node));
        check(node.name, "connections", world.network.openOf(node));
      }
      check("hub", "leases", mirror.below(leasePrefix).size);
      check("hub", "secrets", mirror.below("//secrets/").size);
    },
  };
}
