import { hasKubeconfig } from "../by-kubeconfig.ts";
import { firstNameOf } from "../first-name.ts";
import type { Intent } from "../intent.ts";
import { clusterPrefix } from "../mirror.ts";
import type { Scheduler } from "../scheduler.ts";
import { namesOnHub } from "./names-on-hub.ts";
import type { Scene } from "./invariant.ts";

/** The hub installs an agent again at most once an hour, by the clock; its processes run long enough to miss it. */
const installedAgainMs = 80 * 60_000;
const missedMs = 14 * 60_000;

/** What reports agents that were lost. */
export interface LostAgentScene {
  readonly world: { readonly scheduler: Pick<Scheduler, "elapsedMs" | "sleptMs"> };
  readonly intent: Pick<Intent, "lostAgents">;
}

/** Whether the hub has had the time to install the agent of a cluster again that lost it. */
export function hasAgentAgain({ world, intent }: LostAgentScene, firstName: string): boolean {
  const lost = intent.lostAgents.get(firstName);
  if (lost === undefined) return true;
  const ranMs = world.scheduler.elapsedMs - lost.atMs;
  return ranMs > missedMs && ranMs + world.scheduler.sleptMs - lost.sleptMs > installedAgainMs;
}

/** Whether a cluster has a live agent, and neither a person nor the simulator keeps the hub from working on it. */
export function mayWork(scene: Pick<Scene, "world" | "intent" | "mirror">, cluster: string): boolean {
  const { world, intent } = scene;
  const firstName = firstNameOf(cluster);
  const member = world.members.get(firstName);
  if (member === undefined) return false;
  // While the removal of another name of it waits, its agent works by that name.
  if (namesOnHub(scene, cluster).some((other) => other !== cluster)) return false;
  if (intent.suspended.has(cluster)) return false;
  // The hub gives its agent another credential, and installs one where none is. That a revocation ends is held elsewhere.
  const { annotations } = scene.mirror.get(`${clusterPrefix}${cluster}`)?.metadata ?? {};
  if (hasKubeconfig(cluster))
    return annotations?.["rollcall.dev/revoked"] === undefined && hasAgentAgain(scene, firstName);
  return member.isInstalled && member.agent.isAlive && !intent.lockedOut.has(firstName);
}
