import { isJsonEqual } from "../core/json.ts";
import type { AgentRollout } from "../model/generated/agent-rollout.ts";
import type { AgentProgress, WaveHold, WavePlan } from "../planning/agent-waves.ts";
import { planWave } from "../planning/agent-waves.ts";

export interface AgentWavesOptions {
  readonly rollout: () => AgentRollout;
  readonly nowMs: () => number;
  /** Calls back after this time; what it returns calls that off. */
  readonly after: (durationMs: number, then: () => void) => () => void;
  /** Every cluster, as `workspace/name`. */
  readonly clusterKeys: () => readonly string[];
  /** Whether one of them is still there. */
  readonly isCluster: (memberKey: string) => boolean;
  /** A member may change now that might not before. */
  readonly onAllowed: (memberKey: string) => void;
}

const unknownYet: WaveHold = {
  reason: "WaitingForWave",
  message: "It waits until every cluster is reconciled once.",
  isPreliminary: true,
};

/**
 * Which agents may change now, from the last reconcile of each member. After a start no agent may change until every
 * cluster was reconciled once: running changes must be known first.
 */
export class AgentWaves {
  readonly #options: AgentWavesOptions;
  /** Members that were reconciled. */
  readonly #seen = new Set<string>();
  /** Of those, the ones whose agent is not as wanted. */
  readonly #progress = new Map<string, AgentProgress>();
  /** Clusters that were not reconciled yet at the last listing. */
  #awaited: string[] = [];
  #plan: WavePlan = { allowed: new Set(), held: new Map() };
  /** What the plan was made by. */
  #rollout: AgentRollout | undefined;
  #isComplete = false;
  #callOff: () => void = () => undefined;

  constructor(options: AgentWavesOptions) {
    this.#options = options;
  }

  /** Records how far the agent of a member is. */
  record(memberKey: string, progress: AgentProgress | undefined): void {
    const isKnown = this.#seen.has(memberKey);
    const before = this.#progress.get(memberKey);
    this.#seen.add(memberKey);
    if (progress === undefined) this.#progress.delete(memberKey);
    else this.#progress.set(memberKey, progress);
    if (!isKnown || !isJsonEqual(before, progress)) this.#replan();
  }

  forget(memberKey: string): void {
    if (!this.#seen.delete(memberKey)) return;
    this.#progress.delete(memberKey);
    this.#replan();
  }

  /** Takes in that the rollout may have other limits. */
  recordRollout(): void {
    if (this.#rollout !== undefined && !isJsonEqual(this.#rollout, this.#options.rollout())) this.#replan();
  }

  /** Why the member must not change now; undefined when it may. */
  holdOf(memberKey: string): WaveHold | undefined {
    if (this.#plan.allowed.has(memberKey)) return undefined;
    return this.#plan.held.get(memberKey) ?? unknownYet;
  }

  stop(): void {
    this.#callOff();
  }

  #replan(): void {
    const { rollout, nowMs, after, onAllowed } = this.#options;
    this.#callOff();
    this.#isComplete ||= this.#hasSeenAll();
    if (!this.#isComplete) return;
    const before = this.#plan;
    this.#rollout = rollout();
    this.#plan = planWave({
      agents: [...this.#progress.values()],
      rollout: this.#rollout,
      clusterCount: this.#seen.size,
      nowMs: nowMs(),
      allowedBefore: before.allowed,
    });
    const { changesAtMs } = this.#plan;
    if (changesAtMs !== undefined) this.#callOff = after(Math.max(0, changesAtMs - nowMs()), () => this.#replan());
    for (const key of this.#plan.allowed) if (!before.allowed.has(key)) onAllowed(key);
    for (const [key, hold] of this.#plan.held) if (before.held.get(key)?.reason !== hold.reason) onAllowed(key);
  }

  /**
   * Lists all clusters again only when each of the last list was reconciled or is deleted: each is visited a few times
   * in all.
   */
  #hasSeenAll(): boolean {
    const { clusterKeys, isCluster } = this.#options;
    const isAwaited = (key: string): boolean => !this.#seen.has(key) && isCluster(key);
    for (let last = this.#awaited.at(-1); last !== undefined && !isAwaited(last); last = this.#awaited.at(-1))
      this.#awaited.pop();
    if (this.#awaited.length > 0) return false;
    this.#awaited = clusterKeys().filter((key) => !this.#seen.has(key));
    return this.#awaited.length === 0;
  }
}
