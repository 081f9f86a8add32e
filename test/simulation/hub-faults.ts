import { giveKubeconfig, hasKubeconfig } from "./by-kubeconfig.ts";
import type { Deed } from "./deeds.ts";
import type { Stage } from "./do-deed.ts";
import { bringBack, isAgent, last, noteDisturbance } from "./lasting.ts";
import type { SimNode } from "./scheduler.ts";
import { renderTime } from "./story.ts";
import type { HubCopy, World } from "./world.ts";
import type { Member } from "./member-clusters.ts";

/** Longer than a window of heartbeats, and than what a hub keeps of its history is old. */
const longestAwayMs = 420_000;
const oldestCopyMs = 600_000;
/** For the hub to load its disk. */
const loadsForMs = 2000;
/** What a Pod has to end in, and its successor to begin. */
const goneForMs = 34_000;
/** Longer than a read of the branch takes, and less than the time after which a watch is taken for dead. */
const mostWatchDelayMs = 100_000;
/** After a fault: retries may wait so long. */
const settledAfterMs = 60_000;
/** Longer than a Lease lasts. */
const longestStandstillMs = 240_000;
const mostFailingLooks = 4;
/** A daemon reads the branch within this time. */
const mostWaitForWriteMs = 70_000;
/** A right that is missing, a request that is too large, an object that a policy refuses, a quota or a disk that is full. */
const refusals = [403, 413, 422, 507] as const;

/** Faults of the hub's and of the clusters' API servers, and the end of a process that is asked to end. */
export function doHubFault(
  stage: Stage,
  { kind, pick, forMs }: Omit<Deed, "atMs">,
  { replica, member }: { readonly replica: SimNode | undefined; readonly member: Member | undefined },
): void {
  const { world } = stage;
  const { story, weather, hub } = world;
  const tell = (what: string): void => story.tell("fault", what);
  const span = `for ${Math.round(forMs / 1000)} s`;
  switch (kind) {
    case "hub is away":
      if (!hub.node.isAlive || hub.serve === undefined) return;
      tell(`the hub is away ${span}`);
      return bringBack(stage, hub.node, Math.min(forMs, longestAwayMs), () => world.startHub());
    case "hub is restored": {
      if (!hub.node.isAlive || hub.serve === undefined) return;
      const copy = world.copyHub(pick < 0.5);
      tell("a copy of the hub is made");
      return void last(stage, Math.min(forMs, oldestCopyMs), () => restore(world, copy));
    }
    case "hub refuses writes": {
      const status = refusals[Math.floor(pick * refusals.length)];
      weather.refusedWrites = status;
      tell(`the hub answers each write of a cluster with ${status} ${span}`);
      return void last(stage, forMs, () => (weather.refusedWrites = undefined));
    }
    case "stop daemon": {
      if (replica?.isAlive !== true) return;
      tell(`${replica.name} is asked to end`);
      const { elapsedMs } = world.scheduler;
      world.stopReplica(replica, stage.lasting.size === 0 && elapsedMs - stage.hubDisturbedAtMs > settledAfterMs);
      return void last(stage, goneForMs, () => {
        // As a kubelet does after the grace period.
        world.kill(replica);
        world.startReplica(replica);
      });
    }
    case "bad API server of a cluster": {
      if (member === undefined) return;
      weather.badServers.add(member.server);
      tell(`the API server of ${member.name} fails most requests ${span}`);
      const end = last(stage, forMs, () => weather.badServers.delete(member.server));
      if (isAgent(member.agent)) stage.agentFaults.add(end);
      return;
    }
    case "slow watches": {
      if (replica === undefined) return;
      weather.slowWatches.set(replica, mostWatchDelayMs * pick);
      tell(`${replica.name} sees changes of the hub ${Math.round((mostWatchDelayMs * pick) / 1000)} s late ${span}`);
      return void last(stage, forMs, () => weather.slowWatches.delete(replica));
    }
    case "one write fails":
      weather.failsOnce = true;
      tell("the next write of a cluster fails");
      return noteDisturbance(stage);
    // A read that fails is repeated within a minute: nothing but the read waits for it.
    case "looks fail":
      weather.failingLooks = 1 + Math.floor(pick * mostFailingLooks);
      return tell(`the next ${weather.failingLooks} looks at main fail`);
    case "daemon stands still after a write": {
      const standsMs = Math.min(forMs, longestStandstillMs);
      weather.standsAfterWriteMs = standsMs;
      tell(`a daemon that has sent its next write stands still for ${Math.round(standsMs / 1000)} s`);
      const end = last(stage, mostWaitForWriteMs + standsMs, () => {
        weather.standsAfterWriteMs = undefined;
        for (const node of world.replicas) world.scheduler.resume(node);
      });
      return void stage.standstills.add(end);
    }
    case "another hub is given the repository":
      tell("another hub is given the repository and the status branch of this one");
      return world.addOtherHub();
    case "machines sleep": {
      const hours = 1 + Math.floor(pick * 30);
      world.scheduler.sleptMs += hours * 3_600_000;
      tell(`every machine sleeps for ${hours} h`);
      return noteDisturbance(stage);
    }
    default:
      throw new Error(`no fault is called ${kind}`);
  }
}

/** Where it is noticed, no daemon runs meanwhile, and those that are started restore what the status branch knows. */
function restore(world: World, copy: HubCopy): void {
  const { story, scheduler, replicas, people } = world;
  const how = copy.isNoticed ? "" : ", and the daemons run on";
  story.tell("people", `restore the hub from the copy of ${renderTime(copy.atMs)}${how}`);
  if (copy.isNoticed) for (const replica of replicas) world.kill(replica);
  world.restoreHub(copy);
  // What the copy lacks of people's Secrets, no daemon knows.
  for (const { name, server } of world.members.values())
    if (hasKubeconfig(name))
      world.act(`give the kubeconfig of ${name} again`, () => giveKubeconfig(world.personApi, name, server));
  if (!copy.isNoticed) return;
  scheduler.send(people, loadsForMs, "start the daemons with --restore", () => {
    for (const replica of replicas) if (!replica.isAlive) world.startReplica(replica, true);
  });
}
