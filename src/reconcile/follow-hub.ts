import { isAppError } from "../core/errors.ts";
import { shortCommit } from "../core/short-commit.ts";
import { listPaths } from "../git/git.ts";
import type { ChangeOutcome } from "../hub/execute-changes.ts";
import type { ViewChange } from "../hub/hub-view.ts";
import type { HubChange } from "../model/hub-change.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { repositoryLabelOf } from "../model/repository-label.ts";
import { hasHubPolicy } from "../planning/hub-policy.ts";
import type { PlannedChange } from "../model/plan.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { ProposedBranch } from "./branch-keeper.ts";
import { readHead } from "./read-head.ts";
import { isOfOtherHub } from "./repository-conditions.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";
import type { RunScope } from "./run-scope.ts";
import { describeFields } from "./change-message.ts";
import { changedFiles } from "./changed-files.ts";
import { HubChangeChecker } from "./check-hub-changes.ts";
import { commitByAuthor } from "./commit-by-author.ts";
import { CommitLimit } from "./commit-limit.ts";
import { findDeclaration, indexDocuments } from "./declared-documents.ts";
import type { DeclaredPlace } from "../planning/declared-place.ts";
import type { HubProposal } from "./hub-branches.ts";
import { HubBranches } from "./hub-branches.ts";
import { HubDeletions } from "./hub-deletions.ts";
import { HubWriters } from "./hub-writers.ts";
import { readHubChanges } from "./read-hub-changes.ts";
import { RevertedEdits } from "./reverted-edits.ts";
import { SeenObjects } from "./seen-objects.ts";

export type FollowHubPorts = Pick<
  ReconcilerOptions,
  "hubApi" | "git" | "planner" | "openedUrl" | "view" | "writableTypes" | "hubFacts" | "events" | "clock" | "log"
>;

/** A race that is lost so often is one for the next run. */
const pushTries = 3;

/**
 * Converts changes that users made on the hub to changes of files, as the Repository's policy requires: commits them,
 * or proposes them on branches. It runs before the plan, which reverts what no file declares. All its input is on the
 * hub and in git: an interrupted run is completed by the next one. Errors of git are recorded in the scope.
 */
export class HubFollower {
  readonly #ports: FollowHubPorts;
  readonly #branches: HubBranches;
  readonly #deletions: HubDeletions;
  readonly #checker = new HubChangeChecker();
  readonly #limit = new CommitLimit();
  readonly #seen = new SeenObjects();
  readonly #reverted = new RevertedEdits();
  readonly #writers: HubWriters;
  /** By object: the text of its last Event. */
  readonly #reported = new Map<string, string>();
  #isFollowing = false;
  #isWaiting = false;

  constructor(ports: FollowHubPorts) {
    this.#ports = ports;
    this.#branches = new HubBranches(ports.git);
    this.#deletions = new HubDeletions(ports.view);
    this.#writers = new HubWriters(ports);
  }

  /** Milliseconds until deletions are due or a further commit may be made; undefined when nothing waits. */
  dueInMs(): number | undefined {
    const nowMs = this.#ports.clock.monotonicMs();
    const deletionsMs = this.#deletions.dueInMs(nowMs);
    if (!this.#isWaiting) return deletionsMs;
    // Deletions that are due wait for the limit, too.
    const limitMs = this.#limit.waitMs(nowMs);
    return deletionsMs === undefined || deletionsMs === 0 ? limitMs : Math.min(deletionsMs, limitMs);
  }

  /** Takes in a change of the view; `snapshot` is the commit in force. */
  record(change: ViewChange, repository: Repository, snapshot: SourceSnapshot): void {
    const isDeclared = (live: KubeObject, place: DeclaredPlace): boolean =>
      findDeclaration(indexDocuments(snapshot, repository.spec.defaultWorkspace), live, place) !== undefined;
    if (hasHubPolicy(repository.spec)) this.#reverted.record(change);
    this.#deletions.record(change, { repository, isDeclared, nowMs: this.#ports.clock.monotonicMs() });
  }

  /** Takes in what came of the plan that reverts deletions. */
  confirm(outcomes: readonly ChangeOutcome[]): void {
    this.#deletions.confirm(outcomes);
  }

  /** Whether the change would revert what a person changed after `follow` read the object. */
  isEditedSince(change: PlannedChange): boolean {
    return this.#isFollowing && this.#seen.isEditedSince(change, this.#ports.view);
  }

  /** Returns the branches that wait to be merged. */
  async follow(scope: RunScope): Promise<readonly ProposedBranch[]> {
    const { spec } = scope.repository;
    if (!scope.snapshot || scope.sourceError !== undefined) return [];
    scope.followError = undefined;
    if (!hasHubPolicy(spec) && !this.#isFollowing) return [];
    this.#isFollowing = hasHubPolicy(spec);
    const { clock, log } = this.#ports;
    const nowMs = clock.monotonicMs();
    const deleted = this.#deletions.due(nowMs);
    try {
      const toPropose = await this.#commit(scope, deleted);
      // Without the files of the branch it is unknown what is to be proposed, and what no more.
      if (toPropose === undefined) return [];
      const branches = await this.#propose(scope, toPropose);
      // What waits for the limit is not decided yet.
      if (!this.#isWaiting && this.#deletions.dueInMs(nowMs) === 0) this.#deletions.forget(nowMs);
      return branches;
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.followError = error;
      log.warn("writing changes of the hub to git failed", { error });
      return [];
    }
  }

  /** Commits what may be committed; returns what is to be proposed. Undefined: the branch could not be read any more. */
  async #commit(scope: RunScope, deleted: readonly KubeObject[]): Promise<readonly HubChange[] | undefined> {
    const { clock, log } = this.#ports;
    let isDenied = false;
    for (let attempt = 1; ; attempt++) {
      const { snapshot } = scope;
      if (!snapshot || scope.sourceError !== undefined) return undefined;
      const accepted = await this.#read(scope, snapshot, deleted);
      const committable = isDenied ? [] : await this.#committable(scope, accepted, snapshot);
      const toPropose = accepted.filter((change) => !committable.includes(change));
      const { chosen, tooOften, isFull } = this.#limit.choose(committable, clock.monotonicMs());
      this.#isWaiting = isFull;
      for (const { live } of tooOften)
        this.#report(
          live,
          "NotCommitted",
          "It was committed three times within ten minutes, and changed again each time.",
        );
      if (chosen.length === 0 || attempt > pushTries) return toPropose;
      try {
        await this.#push(scope, snapshot, chosen);
      } catch (error) {
        isDenied = isAppError(error, "E_GIT_PUSH_DENIED", "E_GIT_LOCKED");
        if (!isDenied && !isAppError(error, "E_GIT_PUSH_RACE")) throw error;
        log.warn("a commit of changes of the hub was refused", { error });
      }
      await readHead(scope, this.#ports);
    }
  }

  /** What people did, as far as the checks of files accept it. */
  async #read(
    { repository, signal }: RunScope,
    snapshot: SourceSnapshot,
    deleted: readonly KubeObject[],
  ): Promise<readonly HubChange[]> {
    const { git, planner, view, writableTypes = [] } = this.#ports;
    let paths: Promise<ReadonlySet<string>> | undefined;
    const pathsOfHead = () => (paths ??= listPaths(git, snapshot.commit.id));
    this.#seen.record(writableTypes, view, repository);
    const source = {
      repository,
      snapshot,
      view,
      types: writableTypes,
      deleted,
      reverted: this.#reverted,
      planner,
      listPaths: pathsOfHead,
    };
    const { changes, refused } = await readHubChanges(source);
    const named = await this.#writers.name(changes, signal);
    const checked = await this.#checker.check(named, { planner, repository, snapshot });
    for (const { live, message } of [...refused, ...checked.refused]) this.#report(live, "NotProposed", message);
    return checked.accepted;
  }

  /** Changes that the policy commits; removals only as far as the deletion budget allows all of them. */
  async #committable(
    { repository, unverified }: RunScope,
    accepted: readonly HubChange[],
    snapshot: SourceSnapshot,
  ): Promise<readonly HubChange[]> {
    // The daemon signs no commit of the followed branch: with signatures asked for, nothing on top of it would be applied.
    if (repository.spec.verify !== undefined || unverified !== undefined) return [];
    // The repository is another hub's, as far as anybody knows: what people try on a copy is not for its fleet.
    if (isOfOtherHub(repository)) return [];
    const changes = accepted.filter(({ policy }) => policy === "Commit");
    const removals = changes.filter(({ file }) => file.kind === "Delete");
    if (removals.length === 0) return changes;
    const { planner } = this.#ports;
    const without = await planner.readWithFiles(snapshot, changedFiles(removals, snapshot));
    const { plan } = await planner.plan(repository, without.snapshot);
    const isAllowed = !plan.budget.isExceeded && plan.withheld.length === 0;
    return isAllowed ? changes : changes.filter((change) => !removals.includes(change));
  }

  async #push(
    { repository, signal }: RunScope,
    snapshot: SourceSnapshot,
    changes: readonly HubChange[],
  ): Promise<void> {
    const { git, clock, hubFacts } = this.#ports;
    const commits = commitByAuthor(git, {
      branch: repository.spec.ref?.branch ?? "main",
      snapshot,
      changes,
      hubId: hubFacts().hubId,
      nowMs: clock.nowMs(),
      signal,
    });
    for await (const { commit, committed } of commits) {
      this.#limit.record(committed, clock.monotonicMs());
      const words = (change: HubChange): string =>
        `${describeFields(change)}: ${change.path}, commit ${shortCommit(commit)}.`;
      for (const change of committed) this.#report(change.live, "Committed", words(change));
    }
  }

  async #propose(
    { repository, snapshot, signal }: RunScope,
    changes: readonly HubChange[],
  ): Promise<readonly ProposedBranch[]> {
    if (!snapshot) return [];
    const { clock, hubFacts } = this.#ports;
    const owner = { hubId: hubFacts().hubId, repository: repositoryLabelOf(repository) };
    const result = await this.#branches.sync({ changes, snapshot, owner, nowMs: clock.nowMs(), signal });
    for (const proposal of result.proposals) this.#report(proposal.change.live, ...wordsOf(proposal));
    return result.branches;
  }

  #report(live: KubeObject, reason: string, message: string): void {
    const { kind, apiVersion, metadata } = live;
    const key = [apiVersion, kind, metadata.namespace, metadata.name].join("/");
    if (this.#reported.get(key) === `${reason} ${message}`) return;
    if (this.#reported.size > 1000) this.#reported.clear();
    this.#reported.set(key, `${reason} ${message}`);
    const type = reason === "Proposed" || reason === "Committed" ? "Normal" : "Warning";
    this.#ports.events?.record({ regarding: live, type, reason, message });
    this.#ports.log.info("a change on the hub was read", { kind, name: metadata.name, reason, message });
  }
}

function wordsOf({ change, branch, state }: HubProposal): [reason: string, message: string] {
  const what = `${describeFields(change)}: ${change.path}`;
  switch (state) {
    case "Proposed":
      return [
        "Proposed",
        `${what}, branch ${branch}. It is ${change.file.kind === "Delete" ? "removed" : "served"} when the branch is merged.`,
      ];
    case "Waiting":
      return [
        "NotProposed",
        `${what}. Too many proposals of ${change.workspace} are open. Merge or delete some of them.`,
      ];
    case "Declined":
      return ["Declined", `${what}. The branch ${branch} was deleted. Change the object to propose it again.`];
  }
}
