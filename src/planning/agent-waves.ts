import { compareNames } from "../core/compare-names.ts";
import { countOf, nameSome, oneOrMany } from "../core/count-of.ts";
import { smallestOf } from "../core/extremes.ts";
import type { AgentRollout } from "../model/generated/agent-rollout.ts";

/** The progress of a member whose agent is not what its Cluster wants. Other members have none. */
export interface AgentProgress {
  /** `workspace/name`. */
  readonly key: string;
  /** The desired version. Failures with one version do not stop changes to another. */
  readonly version: string;
  readonly state:
    /** The new manifest was not offered yet. */
    | "waiting"
    /** It was offered, and the agent has not come up with it. */
    | "changing"
    /** The agent rolled back. Latched until version or redeployGeneration changes. */
    | "refused";
  /** Since when (epoch ms) it is offered. */
  readonly offeredAtMs?: number;
  /** The hub receives nothing from the agent. */
  readonly isUnresponsive: boolean;
}

export interface WaveInputs {
  readonly agents: readonly AgentProgress[];
  readonly rollout: AgentRollout;
  /** All clusters: what a percentage is of. */
  readonly clusterCount: number;
  readonly nowMs: number;
  /** Those that the plan before allowed: one that still waits may be changing in this moment. Default: none. */
  readonly allowedBefore?: ReadonlySet<string>;
}

export interface WavePlan {
  /** Members that may change now (`workspace/name`). */
  readonly allowed: ReadonlySet<string>;
  /** Why the others wait, by member. */
  readonly held: ReadonlyMap<string, WaveHold>;
  /** When (epoch ms) this plan changes without an event: the next deadline. Undefined: never. */
  readonly changesAtMs?: number;
}

export interface WaveHold {
  readonly reason: "WaitingForWave" | "RolloutStopped" | "AgentSilent";
  readonly message: string;
  /** Not every cluster was reconciled since the start: what was reported before stays. */
  readonly isPreliminary?: true;
}

const defaults = { maxUnavailable: "10%", maxFailures: 1, deadlineSeconds: 600 } as const;

/**
 * Which agents may change now: at most `maxUnavailable` clusters at once (never less than one), first those that were
 * allowed before, then in the order of their names. No agent changes to a version that `maxFailures` clusters have
 * refused. A cluster that became unresponsive during its change counts as unavailable, and as failed when its deadline
 * has passed. Unresponsive clusters are not started.
 */
export function planWave({ agents, rollout, clusterCount, nowMs, allowedBefore }: WaveInputs): WavePlan {
  const { maxUnavailable, maxFailures, deadlineSeconds } = { ...defaults, ...rollout };
  const limit = waveSize({ maxUnavailable }, clusterCount);
  const endMsOf = ({ offeredAtMs = nowMs }: AgentProgress): number => offeredAtMs + deadlineSeconds * 1000;
  const isLate = (progress: AgentProgress): boolean => nowMs > endMsOf(progress);
  const failed = (progress: AgentProgress): boolean =>
    progress.state === "refused" || (progress.state === "changing" && progress.isUnresponsive && isLate(progress));
  const failures = new Map<string, string[]>();
  for (const progress of agents.filter(failed))
    failures.set(progress.version, [...(failures.get(progress.version) ?? []), progress.key]);
  const changing = agents.filter((progress) => progress.state === "changing" && !failed(progress));

  let slots = limit - changing.length;
  const allowed = new Set<string>();
  const held = new Map<string, WaveHold>();
  const rankOf = ({ key }: AgentProgress): number => (allowedBefore?.has(key) === true ? 0 : 1);
  const waiting = agents
    .filter(({ state }) => state === "waiting")
    .sort((a, b) => rankOf(a) - rankOf(b) || compareNames(a.key, b.key));
  for (const { key, version, isUnresponsive } of waiting) {
    const failedWith = failures.get(version) ?? [];
    if (failedWith.length >= maxFailures) held.set(key, stopped(version, failedWith));
    else if (isUnresponsive)
      held.set(key, { reason: "AgentSilent", message: `Version ${version} waits until its agent reports again.` });
    else if (slots > 0) {
      allowed.add(key);
      slots -= 1;
    } else {
      const message = `Version ${version} waits for its turn: ${countOf(limit, "cluster")} ${oneOrMany(limit, "changes", "change")} at the same time.`;
      held.set(key, { reason: "WaitingForWave", message });
    }
  }
  const endsMs = changing.filter(({ isUnresponsive }) => isUnresponsive).map(endMsOf);
  return { allowed, held, ...(endsMs.length === 0 ? {} : { changesAtMs: smallestOf(endsMs) + 1 }) };
}

/** How many change at the same time: `10%` of the clusters, or a number; never less than one. */
export function waveSize(
  { maxUnavailable = defaults.maxUnavailable }: Pick<AgentRollout, "maxUnavailable">,
  clusterCount: number,
): number {
  const percent = typeof maxUnavailable === "string" ? Number.parseInt(maxUnavailable, 10) : undefined;
  const count = percent === undefined ? Number(maxUnavailable) : Math.floor((clusterCount * percent) / 100);
  return Math.max(1, count);
}

function stopped(version: string, failedWith: readonly string[]): WaveHold {
  const shown = nameSome([...failedWith].sort(compareNames), 3);
  return {
    reason: "RolloutStopped",
    message: `Version ${version} did not become ready in ${shown}: no other agent changes to it until version or redeployGeneration changes there.`,
  };
}
