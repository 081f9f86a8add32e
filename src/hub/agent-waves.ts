import { isJsonEqual } from "../core/json.ts";
import type { AgentRollout } from "../model/generated/agent-rollout.ts";
import type { AgentStand, WaveHold, WavePlan } from "../planning/agent-waves.ts";
import { planWave } from "../planning/agent-waves.ts";

export interface AgentWavesOptions {
  readonly rollout: () => AgentRollout;
  readonly nowMs: () => number;
  /** Calls back after this time; what it returns calls that off. */
  readonly after: (durationMs: number, then: () => void) => () => void;
  /** Every cluster, as `workspace/name`. */
  readonly clusterKeys: () => readonly string[];
  /** A member may change now that might not before. */
  readonly onAllowed: (memberKey: string) => void;
}

const unknownYet: WaveHold = { reason: "WaitingForWave", message: "It waits until all clusters were looked at." };

/**
 * Which agents may change now, from the last reconcile of each member. After a start no agent may change until every
 * cluster was reconciled once: running changes must be known first.
 */
export class AgentWaves {
  readonly #options: AgentWavesOptions;
  /** Members that were looked at; those whose agent is as wanted have no stand. */
  readonly #seen = new Map<string, AgentStand | undefined>();
  #plan: WavePlan = { allowed: new Set(), held: new Map() };
  /** What the plan was made by. */
  #rollout: AgentRollout | undefined;
  #isComplete = false;
  #callOff: () => void = () => undefined;

  constructor(options: AgentWavesOptions) {
    this.#options = options;
  }

  /** Takes in how a member stands. */
  note(memberKey: string, stand: AgentStand | undefined): void {
    const isKnown = this.#seen.has(memberKey);
    const before = this.#seen.get(memberKey);
    this.#seen.set(memberKey, stand);
    if (!isKnown || !isJsonEqual(before, stand)) this.#replan();
  }

  forget(memberKey: string): void {
    if (!this.#seen.delete(memberKey)) return;
    this.#replan();
  }

  /** Takes in that the rollout may have other limits. */
  noteRollout(): void {
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
    const { rollout, nowMs, after, clusterKeys, onAllowed } = this.#options;
    this.#callOff();
    const keys = this.#isComplete ? [] : clusterKeys();
    this.#isComplete ||= keys.every((key) => this.#seen.has(key));
    if (!this.#isComplete) return;
    const before = this.#plan;
    this.#rollout = rollout();
    this.#plan = planWave({
      stands: [...this.#seen.values()].filter((stand) => stand !== undefined),
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
}
