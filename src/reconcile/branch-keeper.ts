import { sha256Hex } from "../core/digest.ts";
import type { GitEngine } from "../git/git.ts";
import type { CommitPerson } from "../planning/written-by.ts";
import { isOursAlone } from "./branch-owner.ts";
import type { BranchPlace } from "./read-branch.ts";
import { isSettled, readBranch } from "./read-branch.ts";
import { OtherBranches } from "./other-branches.ts";
import { writeBranch } from "./write-branch.ts";

/** A branch with files that wait to be merged, and its pull request. */
export interface ProposedBranch {
  readonly branch: string;
  readonly commit: string;
  readonly title: string;
  /** Markdown in which all text from outside is escaped. */
  readonly body: string;
}

export interface WantedBranch extends Pick<ProposedBranch, "title" | "body"> {
  /** Below the prefix: `<workspace>/<name>`. */
  readonly name: string;
  /** Digest of what it is made from. A branch with this digest that a person deleted is declined, and not made again. */
  readonly digest: string;
  /** By path; null removes a file. */
  readonly files: () => ReadonlyMap<string, string | null>;
  readonly message: string;
  /** Default: Rollcall. */
  readonly author?: CommitPerson | undefined;
}

export interface KeeperRules {
  /** With a slash at the end: `rollcall/join/`. */
  readonly prefix: string;
  /** So many branches of one workspace are open at the same time; further ones wait. Default: no bound. */
  readonly openAtMost?: number;
  /** Whether files that only Rollcall wrote on a branch get a new content. Default false. */
  readonly isUpdated?: boolean;
  /** Whether a branch that is not wanted stays until it is merged, if it changes files that exist. Default false. */
  readonly areEditsKept?: boolean;
}

/** Waiting: beyond the bound, or without a change. Declined: a person deleted the branch. */
export type BranchState = "Proposed" | "Waiting" | "Declined";

export interface KeptBranches {
  readonly branches: readonly ProposedBranch[];
  /** By name: its branch, and the state of that branch. */
  readonly states: ReadonlyMap<string, { readonly branch: string; readonly state: BranchState }>;
}

interface Known {
  readonly digest: string;
  readonly proposed: ProposedBranch;
}

type Remote = Map<string, string>;

/**
 * Keeps the branches below one prefix: each has the files of one proposal. A branch that is merged or not wanted is deleted.
 * Nothing is forced, and commits of a person stay. A branch of another hub, or of another Repository of this hub, is never
 * changed or deleted; where it has the name of a wanted one, that one gets a name of its own.
 */
export class BranchKeeper {
  readonly #git: GitEngine;
  readonly #rules: KeeperRules;
  /** By name, without the prefix. */
  readonly #known = new Map<string, Known>();
  readonly #others: OtherBranches;
  /** False: the remote has no branch of this owner. */
  #hasOwn = true;
  #last: { readonly digest: string; readonly result: KeptBranches } | undefined;

  constructor(git: GitEngine, rules: KeeperRules) {
    this.#git = git;
    this.#rules = rules;
    this.#others = new OtherBranches(git);
  }

  /**
   * `ownNames`: names of this owner whose branches may be from a version that did not mark them.
   * @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE
   */
  async sync(
    wanted: readonly WantedBranch[],
    place: BranchPlace,
    ownNames: readonly string[] = [],
  ): Promise<KeptBranches> {
    if (wanted.length === 0 && !this.#hasOwn) return noBranches;
    const digest = sha256Hex(
      JSON.stringify([place.source, place.owner, wanted.map((each) => [each.name, each.digest]), ownNames]),
    );
    if (this.#last?.digest === digest) return this.#last.result;
    const { prefix } = this.#rules;
    const listed = await this.#git.listBranches(place.signal);
    const remote: Remote = new Map([...listed].filter(([branch]) => branch.startsWith(prefix)));
    const targets = new Map<string, WantedBranch>();
    for (const each of wanted)
      targets.set(await this.#others.branchFor(this.#plainName(each.name), remote, place), each);
    await this.#sweep(remote, { targets, place, ownNames: new Set(ownNames.map((name) => this.#plainName(name))) });
    const states = new Map<string, { branch: string; state: BranchState }>();
    for (const [branch, each] of targets)
      states.set(each.name, { branch, state: await this.#propose(branch, each, { remote, place }) });
    const result = { branches: this.#proposed(remote), states };
    this.#hasOwn = wanted.length > 0 || [...remote.keys()].some((branch) => !this.#others.has(branch));
    this.#last = { digest, result };
    return result;
  }

  #plainName(name: string): string {
    // No part of a reference of git ends so; no name of Kubernetes has an underscore.
    return `${this.#rules.prefix}${name.endsWith(".lock") ? `${name}_` : name}`;
  }

  /** Deletes branches that are not wanted; those that stay are left in `remote`. */
  async #sweep(
    remote: Remote,
    {
      targets,
      place,
      ownNames,
    }: {
      readonly targets: ReadonlyMap<string, unknown>;
      readonly place: BranchPlace;
      readonly ownNames: ReadonlySet<string>;
    },
  ): Promise<void> {
    this.#others.prune(remote);
    for (const branch of [...remote.keys()]) {
      if (targets.has(branch) || (await this.#others.isOther(branch, remote, place))) continue;
      if (await this.#end(branch, { place, isNameOwn: ownNames.has(branch) })) remote.delete(branch);
    }
    const isStanding = ({ proposed: { branch } }: Known): boolean => targets.has(branch) || remote.has(branch);
    for (const [name, known] of this.#known) if (!isStanding(known)) this.#known.delete(name);
  }

  /** True when the branch is deleted. */
  async #end(
    branch: string,
    { place, isNameOwn }: { readonly place: BranchPlace; readonly isNameOwn: boolean },
  ): Promise<boolean> {
    const { source, owner, nowMs, signal } = place;
    const reading = await readBranch(this.#git, branch, place);
    if (reading === undefined) return true;
    if (!isOursAlone(reading.makers) || !(isNameOwn || reading.makers.includes("Owner"))) return false;
    if (this.#rules.areEditsKept === true && !(await isSettled(this.#git, source, reading))) return false;
    const request = { branch, files: new Map<string, null>(), source, message: "", owner, nowMs, signal };
    return (await writeBranch(this.#git, request)) === undefined;
  }

  async #propose(
    branch: string,
    { name, digest, files, message, author, title, body }: WantedBranch,
    { remote, place }: { readonly remote: Remote; readonly place: BranchPlace },
  ): Promise<BranchState> {
    const { openAtMost = Infinity, isUpdated = false } = this.#rules;
    if (this.#known.get(name)?.digest === digest) return remote.has(branch) ? "Proposed" : "Declined";
    const isOpen = remote.has(branch);
    if (!isOpen && this.#openCount(remote, branch) >= openAtMost) return "Waiting";
    const commit = await writeBranch(this.#git, { branch, files: files(), message, author, isUpdated, ...place });
    if (commit === undefined) {
      remote.delete(branch);
      return "Waiting";
    }
    remote.set(branch, commit);
    this.#known.set(name, { digest, proposed: { branch, commit, title, body } });
    return "Proposed";
  }

  /** Open branches of the workspace of a branch. */
  #openCount(remote: Remote, branch: string): number {
    const { prefix } = this.#rules;
    const folder = `${prefix}${branch.slice(prefix.length).split("/", 1)[0] ?? ""}/`;
    return [...remote.keys()].filter((each) => each.startsWith(folder)).length;
  }

  /** Those that are open, the wanted ones and those on which a person works. */
  #proposed(remote: Remote): readonly ProposedBranch[] {
    return [...this.#known.values()].flatMap(({ proposed }) => (remote.has(proposed.branch) ? [proposed] : []));
  }
}

const noBranches: KeptBranches = { branches: [], states: new Map() };
