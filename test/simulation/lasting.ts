import type { Stage } from "./do-deed.ts";
import type { SimNode } from "./scheduler.ts";

/** As a Deployment or the machine's supervisor does. */
export const restartAfterMs = 4000;

/** Ends it after its time, or when everything is healed. */
export function last(stage: Stage, forMs: number, end: () => void): () => void {
  const { lasting, world } = stage;
  const endOnce = (): void => {
    if (!lasting.delete(endOnce)) return;
    stage.disturbedAtMs = world.scheduler.elapsedMs;
    if (!stage.standstills.delete(endOnce)) stage.outsideDisturbedAtMs = world.scheduler.elapsedMs;
    if (!stage.agentFaults.delete(endOnce)) stage.hubDisturbedAtMs = world.scheduler.elapsedMs;
    end();
  };
  lasting.add(endOnce);
  world.scheduler.send(world.people, forMs, "a fault ends", endOnce);
  return endOnce;
}

export function bringBack(stage: Stage, node: SimNode, afterMs: number, start: () => void): void {
  stage.world.kill(node);
  const end = last(stage, afterMs, () => {
    if (!node.isAlive) start();
  });
  if (isAgent(node)) stage.agentFaults.add(end);
}

/** Whether a fault of this process meets no other. */
export function isAgent(node: SimNode): boolean {
  return node.name.startsWith("agent-");
}

/** A fault that lasts for no time, and that only an agent meets. */
export function noteAgentFault(stage: Stage): void {
  stage.disturbedAtMs = stage.outsideDisturbedAtMs = stage.world.scheduler.elapsedMs;
}

/** A fault that lasts for no time. */
export function noteDisturbance(stage: Stage): void {
  const { elapsedMs } = stage.world.scheduler;
  stage.disturbedAtMs = stage.outsideDisturbedAtMs = stage.hubDisturbedAtMs = elapsedMs;
}
