import { memoizeWeak } from "../core/memoize-weak.ts";
import type { GitEngine } from "../git/git.ts";
import { refusalOfWorkspace } from "../manifests/check-workspaces.ts";
import type { DeclaredFleet } from "../model/declared-fleet.ts";
import type { Repository } from "../model/generated/repository.ts";
import { desiredObjects } from "../planning/desired-objects.ts";
import type { Observed } from "../planning/observed.ts";
import { observedFromRecords, rememberedLabelsOf } from "../planning/observed-from-records.ts";
import { fleetChecker, workspaceRules } from "./fleet-checker.ts";
import type { SourceOptions } from "./read-source.ts";
import type { RecordedFleet } from "./read-status-branch.ts";
import type { RepositoryPlanner } from "./review.ts";
import { createRepositoryPlanner } from "./review.ts";
import type { ParsedFiles } from "./wire-source.ts";
import { sourceOptions } from "./wire-source.ts";

/** What is known in place of a hub. */
export interface WorldInputs {
  readonly git: GitEngine;
  /** The records of the status branch; undefined when there are none. */
  readonly records: RecordedFleet | undefined;
  /** A commit whose files the hub is taken to have; undefined when the records state what it has. */
  readonly base: string | undefined;
  readonly nowMs: number;
}

/** What an offline plan reads and calls, whether of all files or of those that differ. */
export interface OfflineWorld {
  readonly repository: Repository;
  readonly repositoryLabel: string;
  /** Reads and checks files; it observes nothing. */
  readonly reader: RepositoryPlanner;
  readonly source: SourceOptions;
  /** The hub with what these files declare, as far as records do not state otherwise. */
  observe(fleet: DeclaredFleet | undefined): Observed;
  plannerOf(observed: Observed): RepositoryPlanner;
}

const nothingObserved: Observed = { isComplete: true, get: () => undefined, list: () => [], isWorkspace: () => true };

/** `cache`: earlier parse results. Default: every file is parsed. */
export function openWorld(inputs: WorldInputs, repository: Repository, cache?: ParsedFiles): OfflineWorld {
  const { git, records, base, nowMs } = inputs;
  const { namespace = "", name } = repository.metadata;
  const { workspaceLimit, knownWorkspaces } = records?.summary.repository ?? {};
  const source = { git, ...sourceOptions(() => repository, cache) };
  const recordOf = indexRecords(records);
  const labelsOf = memoizeWeak(rememberedLabelsOf);
  const rememberedLabels = (workspace: string, cluster: string) => {
    const record = recordOf(workspace, cluster);
    return record && labelsOf(record);
  };
  const checkFleet = fleetChecker(namespace, workspaceLimit);
  const plannerOf = (observed: Observed): RepositoryPlanner =>
    createRepositoryPlanner({ git, source, checkFleet, observed, rememberedLabels, nowMs: () => nowMs });
  const rules = workspaceRules(repository, namespace, workspaceLimit);
  const repositoryLabel = `${namespace}.${name}`;
  return {
    ...{ repository, repositoryLabel, source, plannerOf },
    reader: plannerOf(nothingObserved),
    observe: (fleet) => ({
      ...observedFromRecords({
        desired: fleet ? desiredObjects(fleet, { repositoryLabel, rememberedLabels }).objects : [],
        clusters: records?.clusters ?? [],
        tokens: records?.tokens ?? [],
        repositoryLabel,
        isAllThere: base !== undefined,
      }),
      isWorkspace: (workspace) =>
        refusalOfWorkspace(workspace, rules) === undefined &&
        (knownWorkspaces === undefined || knownWorkspaces.includes(workspace)),
    }),
  };
}

function indexRecords(records: RecordedFleet | undefined) {
  const byKey = new Map(
    (records?.clusters ?? []).map((record) => [`${record.metadata.namespace}/${record.metadata.name}`, record]),
  );
  return (workspace: string, name: string) => byKey.get(`${workspace}/${name}`);
}
