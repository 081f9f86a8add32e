import type { SimNode } from "../scheduler.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** Before the end of a calm time. */
const quietMs = 120_000;
/** Of a replica at rest, Leases apart: watches that are renewed, and Events. To begin its work takes about as many. */
const most = { base: 50, perCluster: 2 };

/** At rest a replica of the daemon asks the hub for little: it does not begin its work again and again. */
export function restAsksLittle({ world, violate }: Scene): Invariant {
  const name = "at rest a replica sends few requests";
  const sentAt = new Map<SimNode, number[]>();
  return {
    name,
    onCall: ({ client, server, request, sentAtMs }) => {
      if (server !== world.hub || !world.replicas.includes(client) || request.path.includes("/leases")) return;
      const times = sentAt.get(client) ?? [];
      sentAt.set(client, times);
      times.push(sentAtMs);
    },
    onTick: () => {
      const since = world.scheduler.elapsedMs - quietMs;
      for (const [node, times] of sentAt)
        sentAt.set(
          node,
          times.filter((atMs) => atMs >= since),
        );
    },
    atRest: () => {
      const limit = most.base + most.perCluster * world.members.size;
      for (const [{ name: replica }, { length }] of sentAt) {
        if (length > limit)
          violate(name, `${replica}: ${length} requests but for Leases in two minutes, where ${limit} are enough`);
      }
    },
  };
}
