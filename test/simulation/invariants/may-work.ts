import type { Scene } from "./invariant.ts";

/** Whether a cluster has a live agent, and neither a person nor the simulator keeps the hub from working on it. */
export function mayWork({ world, intent }: Pick<Scene, "world" | "intent">, cluster: string): boolean {
  const member = world.members.get(cluster);
  if (member?.isInstalled !== true || !member.agent.isAlive) return false;
  return !intent.suspended.has(cluster) && !intent.lockedOut.has(cluster);
}
