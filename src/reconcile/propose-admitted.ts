import { sha256Hex } from "../core/digest.ts";
import { listPaths } from "../git/git.ts";
import type { HubChange } from "../model/hub-change.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { repositoryLabelOf } from "../model/repository-label.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import { AdmittedBranches } from "./admitted-branches.ts";
import type { AdmittedCluster } from "./admitted-clusters.ts";
import { admittedClusters, declaringChange, isProposingAdmitted } from "./admitted-clusters.ts";
import { HubChangeChecker } from "./check-hub-changes.ts";
import { indexDocuments } from "./declared-documents.ts";
import type { ProposedBranch } from "./branch-keeper.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";

export type AdmittedPorts = Pick<
  ReconcilerOptions,
  "git" | "planner" | "view" | "hubFacts" | "events" | "clock" | "log"
>;

interface Place {
  readonly repository: Repository;
  readonly snapshot: SourceSnapshot;
  readonly signal: AbortSignal;
}

/**
 * Proposes the files of clusters that tokens admitted. Files that pass all checks are proposed; for the others an Event
 * of the Cluster has the reason. A cluster that a file declares already, or may declare, is excluded.
 */
export class AdmittedProposer {
  readonly #ports: AdmittedPorts;
  readonly #branches: AdmittedBranches;
  readonly #checker = new HubChangeChecker();
  /** By cluster: its last reported text. */
  readonly #reported = new Map<string, string>();
  #last: { readonly digest: string; readonly branches: readonly ProposedBranch[] } | undefined;

  constructor(ports: AdmittedPorts) {
    this.#ports = ports;
    this.#branches = new AdmittedBranches(ports.git);
  }

  /** @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE */
  async propose(place: Place): Promise<readonly ProposedBranch[]> {
    const { repository, snapshot, signal } = place;
    const clusters = this.#undeclared(place);
    const digest = sha256Hex(JSON.stringify([snapshot.commit.id, repository.spec, [...clusters].map(textsOf)]));
    if (this.#last?.digest === digest) return this.#last.branches;
    const { hubFacts, clock } = this.#ports;
    const { changes, isCut } = await this.#checked(clusters, place);
    const owner = { hubId: hubFacts().hubId, repository: repositoryLabelOf(repository) };
    const inputs = { snapshot, changes, owner, nowMs: clock.nowMs(), signal };
    const branches = await this.#branches.sync(inputs);
    this.#last = isCut ? undefined : { digest, branches };
    return branches;
  }

  /** By token; only those that no file declares, or may declare. */
  #undeclared({ repository, snapshot }: Place): Map<string, readonly AdmittedCluster[]> {
    if (!isProposingAdmitted(repository.spec)) return new Map();
    const admitted = admittedClusters(this.#ports.view, repository);
    // Without any, no file is read.
    if (admitted.size === 0) return admitted;
    const documents = indexDocuments(snapshot, repository.spec.defaultWorkspace);
    const isUndeclared = ({ live: { kind, metadata } }: AdmittedCluster): boolean => {
      const { namespace = "", name } = metadata;
      return documents.find(kind, namespace, name) === undefined && !documents.isBroken(kind, namespace, name);
    };
    return new Map(
      [...admitted].flatMap(([token, all]) => {
        const clusters = all.filter(isUndeclared);
        return clusters.length === 0 ? [] : [[token, clusters] as const];
      }),
    );
  }

  async #checked(
    clusters: ReadonlyMap<string, readonly AdmittedCluster[]>,
    { repository, snapshot }: Place,
  ): Promise<{ readonly changes: Map<string, readonly HubChange[]>; readonly isCut: boolean }> {
    if (clusters.size === 0) return { changes: new Map(), isCut: false };
    const { git, planner } = this.#ports;
    const paths = await listPaths(git, snapshot.commit.id);
    const byToken = [...clusters].map(
      ([token, all]) => [token, all.map((each) => declaringChange(each, repository, paths))] as const,
    );
    const all = byToken.flatMap(([, changes]) => changes);
    const { accepted, refused, isCut } = await this.#checker.check(all, { planner, repository, snapshot });
    for (const { live, message } of refused) this.#report(live, message);
    const passed = new Set(accepted);
    const kept = byToken.map(([token, changes]) => [token, changes.filter((change) => passed.has(change))] as const);
    return { changes: new Map(kept.filter(([, changes]) => changes.length > 0)), isCut };
  }

  #report(live: KubeObject, message: string): void {
    const { namespace = "", name } = live.metadata;
    const cluster = `${namespace}/${name}`;
    if (this.#reported.get(cluster) === message) return;
    if (this.#reported.size > 1000) this.#reported.clear();
    this.#reported.set(cluster, message);
    this.#ports.events?.record({ regarding: live, type: "Warning", reason: "NotProposed", message });
    this.#ports.log.info("the file of a registered cluster is not proposed", { cluster, message });
  }
}

function textsOf([token, clusters]: readonly [string, readonly AdmittedCluster[]]): readonly string[] {
  return [token, ...clusters.map(({ text }) => text)];
}
