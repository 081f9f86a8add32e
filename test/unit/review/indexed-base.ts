import { rehearseOnRecords } from "../../../src/daemon/rehearse-on-records.ts";
import type { PlanReport } from "../../../src/model/generated/plan-report.ts";
import type { BaseIndexes } from "../../../src/review/base-index.ts";
import { planAgainstRecords } from "../../../src/review/plan-against-records.ts";
import { createMemoryGit } from "../reconcile/removals/memory-git.ts";

export type Files = Record<string, string>;

export const header = "apiVersion: rollcall.dev/v1alpha1\n";

export interface ClusterChoice {
  readonly region: string;
  readonly more: string;
}

export function clusterText(name: string, { region, more }: ClusterChoice): string {
  return `${header}kind: Cluster\nmetadata: {name: ${name}, namespace: fleet, labels: {region: ${region}}}\nspec: {displayName: "${name}"${more}}\n`;
}

export function ruleText(name: string, region: string, tier: string): string {
  return `${header}kind: ClusterLabels\nmetadata: {name: ${name}, namespace: fleet}\nspec: {selector: {matchLabels: {region: ${region}}}, labels: {tier: ${tier}}}\n`;
}

export function groupText(name: string, label: string): string {
  return `${header}kind: ClusterGroup\nmetadata: {name: ${name}, namespace: fleet}\nspec: {selector: {matchLabels: {${label}}}}\n`;
}

/** Indexes as another process reads them. */
export function createIndexes(): BaseIndexes & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    leastFiles: 0,
    read: async (key) => JSON.parse(await Promise.resolve(kept.get(key) ?? "null")) as unknown,
    write: async (key, index) => void (await Promise.resolve(kept.set(key, JSON.stringify(index)))),
  };
}

export type Visits = (number | undefined)[];

/** Commits the files and then what the changes make of them; plans the second against the first. */
export function createWorld(first: Files, second: Files) {
  const git = createMemoryGit();
  const from = git.commit(first, "start\n");
  const head = git.commit(second, "change\n");
  const { signal } = new AbortController();
  return {
    git,
    from,
    plan: (indexes?: BaseIndexes, visits: Visits = [], to: string = head): Promise<PlanReport> =>
      planAgainstRecords({
        ...{ git, head: to, base: from, records: undefined, namespace: "system", name: "fleet", nowMs: 0 },
        rehearse: rehearseOnRecords(signal),
        onVisit: (count) => visits.push(count),
        ...(indexes ? { indexes } : {}),
      }),
  };
}
