import { headOf } from "../fleet-files.ts";
import { readPlan } from "../forge/read-plan.ts";
import { daemonUserId, followBranches, ownRepositoryId } from "../forge/simulated-forge.ts";
import { forgeTokenOnHub } from "./forge-token.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** For a poll, its spread, and the plans of several. */
const planMs = 60_000;
/** After a fault: a forge may have asked to wait, and a request to one that did not answer ends late. */
const settledAfterMs = 360_000;

/** In calm times each pull request has the plan of its head on the head of main soon, whatever else changes. */
export function plansComeSoon({ world, mirror, violate, disturbedAtMs }: Scene): Invariant {
  const name = "a pull request has its plan soon";
  const since = new Map<string, number>();
  return {
    name,
    onTick: () => {
      const { forge } = world;
      const { elapsedMs } = world.scheduler;
      if (forge === undefined || forgeTokenOnHub(mirror) !== forge.token) return;
      followBranches(forge.state, world.remote);
      const main = headOf(world) ?? "";
      for (const { number, headCommit, isOpen, headRepositoryId } of forge.state.pulls) {
        if (!isOpen || headRepositoryId !== ownRepositoryId) continue;
        const key = `${number} ${headCommit} ${main}`;
        const sinceMs = since.get(key) ?? elapsedMs;
        since.set(key, sinceMs);
        if (elapsedMs <= Math.max(sinceMs + world.pace.fetchIntervalMs + planMs, disturbedAtMs() + settledAfterMs))
          continue;
        const ours = forge.state.comments.filter((one) => one.pull === number && one.authorId === daemonUserId);
        const plans = ours.map(readPlan);
        if (plans.some((plan) => plan?.head === headCommit && plan.base === main && !plan.isVoid)) continue;
        const late = `${Math.round((elapsedMs - sinceMs) / 1000)} s after its head or main moved`;
        violate(name, `#${number} has no plan of ${headCommit.slice(0, 8)} on ${main.slice(0, 8)} ${late}`);
      }
    },
  };
}
