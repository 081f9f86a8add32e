import { textAt } from "../../../src/core/read-json.ts";
import { hasKubeconfig } from "../by-kubeconfig.ts";
import { firstNameOf } from "../first-name.ts";
import { clusterPrefix } from "../mirror.ts";
import type { SimNode } from "../scheduler.ts";
import type { Invariant, Scene } from "./invariant.ts";
import { mayWork } from "./may-work.ts";

/** The hub tries to reach a cluster that is removed for so long. */
const uninstallMs = 15 * 60_000;
/** Before the end of a calm time. */
const quietMs = 120_000;
/** For the hub to install an agent once it has the kubeconfig, and after a fault. */
const installMs = 30_000;
const settledAfterMs = 60_000;
const kubeconfigOf = /^\/\/secrets\/fleet\/of-(kubeconfig-\d+)$/u;
const bootstrapOf = /^rollcall-(.+)\.bootstrap\.\d+$/u;

/**
 * Clusters of a kubeconfig: the agent is installed soon after the hub has that; it is removed before the Cluster, unless the cluster could not be reached for so long; no
 * token to join by is left when it has joined; and at rest the hub asks nothing of the cluster.
 */
export function reachedClustersAreServed({ world, mirror, intent, disturbedAtMs, violate }: Scene): Invariant {
  const name = "the hub installs the agent of a cluster that it reaches, and removes it";
  /** Since when each cluster leaves. */
  const leavesSince = new Map<string, number>();
  /** Since when the hub has the kubeconfig of each cluster that has no agent, by its first name. */
  const givenSince = new Map<string, number>();
  const askedAtMs = new Map<SimNode, number[]>();
  return {
    name,
    onRow: ({ key, before, after }) => {
      const given = kubeconfigOf.exec(key)?.[1];
      if (given !== undefined && after === undefined) givenSince.delete(given);
      else if (given !== undefined) givenSince.set(given, world.scheduler.elapsedMs);
      const cluster = key.startsWith(clusterPrefix) ? key.slice(clusterPrefix.length) : "";
      if (!hasKubeconfig(cluster)) return;
      const { elapsedMs, sleptMs } = world.scheduler;
      const [wasRevoked, isRevoked] = [before, after].map((one) => one?.metadata.annotations?.["rollcall.dev/revoked"]);
      if (wasRevoked !== undefined && isRevoked === undefined)
        intent.lostAgents.set(firstNameOf(cluster), { atMs: elapsedMs, sleptMs });
      const leave = after?.metadata.annotations?.["rollcall.dev/leave"];
      if (leave !== undefined && !leavesSince.has(cluster)) leavesSince.set(cluster, elapsedMs);
      if (after !== undefined) return leave === undefined ? void leavesSince.delete(cluster) : undefined;
      const sinceMs = leavesSince.get(cluster);
      leavesSince.delete(cluster);
      const isMoved = before?.metadata.annotations?.["rollcall.dev/moved-to"] !== undefined;
      if (sinceMs === undefined || isMoved || textAt(before, "spec", "deletionPolicy") === "Detach") return;
      const isInstalled = world.members.get(firstNameOf(cluster))?.isInstalled === true;
      if (isInstalled && elapsedMs - sinceMs < uninstallMs)
        violate(name, `${cluster} is removed, and its agent is still installed`);
    },
    onCall: ({ client, server, sentAtMs }) => {
      if (!world.replicas.includes(client) || server === world.hub) return;
      const times = askedAtMs.get(server.node) ?? [];
      askedAtMs.set(server.node, times);
      times.push(sentAtMs);
    },
    onTick: () => {
      const { elapsedMs } = world.scheduler;
      for (const [firstName, sinceMs] of givenSince) {
        if (!isWanted(firstName) || world.members.get(firstName)?.isInstalled === true) givenSince.delete(firstName);
        else if (elapsedMs - Math.max(sinceMs, disturbedAtMs() + settledAfterMs) > installMs)
          violate(name, `the hub has the kubeconfig of ${firstName}, and installs no agent`);
      }
      const since = world.scheduler.elapsedMs - quietMs;
      for (const [node, times] of askedAtMs)
        askedAtMs.set(
          node,
          times.filter((atMs) => atMs >= since),
        );
    },
    atRest: () => {
      for (const [firstName, { server }] of world.members) {
        const count = askedAtMs.get(server.node)?.length ?? 0;
        if (hasKubeconfig(firstName) && count > 0 && mayWork({ world, mirror, intent }, firstName))
          violate(name, `the hub asks ${firstName} ${count} times in two minutes of rest`);
      }
      for (const [secret] of mirror.below("//secrets/fleet/")) {
        const cluster = bootstrapOf.exec(secret)?.[1];
        if (cluster !== undefined && mayWork({ world, mirror, intent }, cluster))
          violate(name, `${cluster} has joined, and the Secret ${secret} is left`);
      }
    },
  };

  /** It is declared by this name and stays so, and nothing but the hub keeps it from having an agent. */
  function isWanted(firstName: string): boolean {
    const metadata = mirror.get(`${clusterPrefix}${firstName}`)?.metadata;
    const isLeaving = ["leave", "moved-to"].some((one) => metadata?.annotations?.[`rollcall.dev/${one}`] !== undefined);
    return metadata !== undefined && !isLeaving && mayWork({ world, mirror, intent }, firstName);
  }
}
