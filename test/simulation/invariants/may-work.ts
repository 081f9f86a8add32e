import { firstNameOf } from "../first-name.ts";
import { namesOnHub } from "./names-on-hub.ts";
import type { Scene } from "./invariant.ts";

/** Whether a cluster has a live agent, and neither a person nor the simulator keeps the hub from working on it. */
export function mayWork(scene: Pick<Scene, "world" | "intent" | "mirror">, cluster: string): boolean {
  const { world, intent } = scene;
  const firstName = firstNameOf(cluster);
  const member = world.members.get(firstName);
  if (member?.isInstalled !== true || !member.agent.isAlive) return false;
  // While the removal of another name of it waits, its agent works by that name.
  if (namesOnHub(scene, cluster).some((other) => other !== cluster)) return false;
  return !intent.suspended.has(cluster) && !intent.lockedOut.has(firstName);
}
