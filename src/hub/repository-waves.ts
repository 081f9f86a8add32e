import type { AgentRollout } from "../model/generated/agent-rollout.ts";
import type { AgentProgress, WaveHold } from "../planning/agent-waves.ts";
import { AgentWaves } from "./agent-waves.ts";

export interface RepositoryWavesOptions {
  /** By the label of the Repository; empty for clusters of none. */
  readonly rollout: (repositoryLabel: string) => AgentRollout;
  readonly nowMs: () => number;
  /** Calls back after this time; what it returns calls that off. */
  readonly after: (durationMs: number, then: () => void) => () => void;
  /** Every cluster of a Repository, as `workspace/name`. */
  readonly clusterKeys: (repositoryLabel: string) => readonly string[];
  /** The label of a cluster's Repository; undefined when there is no such cluster. */
  readonly repositoryOf: (memberKey: string) => string | undefined;
  /** A member may change now that might not before. */
  readonly onAllowed: (memberKey: string) => void;
}

/** Waves of each Repository by themselves: the pace of one does not affect the clusters of another. */
export class RepositoryWaves {
  readonly #options: RepositoryWavesOptions;
  readonly #byLabel = new Map<string, AgentWaves>();
  /** Where each member was seen last: it may change its owner. */
  readonly #labels = new Map<string, string>();

  constructor(options: RepositoryWavesOptions) {
    this.#options = options;
  }

  /** Records the progress of a member. */
  record(memberKey: string, progress: AgentProgress | undefined): void {
    const label = this.#options.repositoryOf(memberKey) ?? "";
    const before = this.#labels.get(memberKey);
    if (before !== undefined && before !== label) this.#byLabel.get(before)?.forget(memberKey);
    this.#labels.set(memberKey, label);
    this.#wavesOf(label).record(memberKey, progress);
  }

  forget(memberKey: string): void {
    const label = this.#labels.get(memberKey);
    this.#labels.delete(memberKey);
    if (label !== undefined) this.#byLabel.get(label)?.forget(memberKey);
  }

  /** Takes in that a Repository may have other limits for its rollout. */
  recordRollouts(): void {
    for (const waves of this.#byLabel.values()) waves.recordRollout();
  }

  /** Why the member must not change now; undefined when it may. */
  holdOf(memberKey: string): WaveHold | undefined {
    return this.#wavesOf(this.#options.repositoryOf(memberKey) ?? "").holdOf(memberKey);
  }

  stop(): void {
    for (const waves of this.#byLabel.values()) waves.stop();
  }

  #wavesOf(label: string): AgentWaves {
    const known = this.#byLabel.get(label);
    if (known) return known;
    const { rollout, nowMs, after, clusterKeys, repositoryOf, onAllowed } = this.#options;
    const made = new AgentWaves({
      after,
      rollout: () => rollout(label),
      nowMs,
      clusterKeys: () => clusterKeys(label),
      isCluster: (memberKey) => repositoryOf(memberKey) === label,
      onAllowed,
    });
    this.#byLabel.set(label, made);
    return made;
  }
}
