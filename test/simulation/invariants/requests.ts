import type { SimNode } from "../scheduler.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** Before the end of a calm time. */
const quietMs = 120_000;
/** Of a replica at rest, Leases apart: watches that are renewed, and Events. To begin its work takes about as many. */
const most = { base: 50, perCluster: 2 };
/** Of git: two polls, what the status branch needs, and each open pull request planned once more. */
const mostOfGit = 14;

/** At rest a replica of the daemon asks hub and git for little: it does not begin its work again and again. */
export function restAsksLittle({ world, violate }: Scene): Invariant {
  const name = "at rest a replica sends few requests";
  const sentAt = new Map<SimNode, number[]>();
  let asked: { readonly atMs: number; readonly counts: ReadonlyMap<SimNode, number> }[] = [];
  return {
    name,
    onCall: ({ client, server, request, sentAtMs }) => {
      if (server !== world.hub || !world.replicas.includes(client) || request.path.includes("/leases")) return;
      const times = sentAt.get(client) ?? [];
      sentAt.set(client, times);
      times.push(sentAtMs);
    },
    onTick: () => {
      const { elapsedMs } = world.scheduler;
      const since = elapsedMs - quietMs;
      asked = [
        ...asked.filter(({ atMs }) => atMs >= since),
        { atMs: elapsedMs, counts: new Map(world.remote.askCounts) },
      ];
      for (const [node, times] of sentAt)
        sentAt.set(
          node,
          times.filter((atMs) => atMs >= since),
        );
    },
    atRest: () => {
      const open = world.forge?.state.pulls.filter(({ isOpen }) => isOpen).length ?? 0;
      const enough = mostOfGit + open;
      for (const [process, count] of world.remote.askCounts) {
        const recent = count - (asked[0]?.counts.get(process) ?? 0);
        if (recent > enough)
          violate(name, `${process.name}: ${recent} requests of git in two minutes, where ${enough} are enough`);
      }
      const limit = most.base + most.perCluster * world.members.size;
      for (const [{ name: replica }, { length }] of sentAt) {
        if (length > limit)
          violate(name, `${replica}: ${length} requests but for Leases in two minutes, where ${limit} are enough`);
      }
    },
  };
}
