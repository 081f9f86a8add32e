import { sha256Hex } from "../core/digest.ts";
import type { GitEngine } from "../git/git.ts";
import type { HubChange } from "../model/hub-change.ts";
import { resourceTypeOf } from "../model/resource-types.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { ProposedBranch } from "./proposals.ts";
import { statusAuthor } from "./write-back.ts";
import { writeBranch } from "./write-branch.ts";
import { changedFiles } from "./changed-files.ts";
import { changeMessage, describeRequest, hubTrailer } from "./change-message.ts";

const branchPrefix = "rollcall/hub/";

/** Proposals of one workspace that are open at the same time. */
const openAtMost = 20;

export interface HubBranchInputs {
  readonly changes: readonly HubChange[];
  readonly snapshot: SourceSnapshot;
  readonly hubId: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export interface HubProposal {
  readonly change: HubChange;
  /** Waiting: beyond the bound. Declined: a person deleted the branch of the same change. */
  readonly state: "Proposed" | "Waiting" | "Declined";
  readonly branch: string;
}

export interface HubBranchResult {
  readonly branches: readonly ProposedBranch[];
  readonly proposals: readonly HubProposal[];
}

interface KnownBranch {
  readonly digest: string;
  readonly head: string;
  readonly proposed: ProposedBranch;
}

const noResult: HubBranchResult = { branches: [], proposals: [] };

/**
 * Keeps the branches `rollcall/hub/<workspace>/<kind>/<name>`: each has the change of one object. A branch that is merged is
 * deleted, and so is that of a new object which no longer exists. The branch of a change that was reverted on the hub stays
 * until it is merged or a person deletes it. Nothing is forced, and commits of a person stay.
 */
export class HubBranches {
  readonly #git: GitEngine;
  readonly #known = new Map<string, KnownBranch>();
  #last: { readonly digest: string; readonly result: HubBranchResult } | undefined;

  constructor(git: GitEngine) {
    this.#git = git;
  }

  /** @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE */
  async sync(inputs: HubBranchInputs): Promise<HubBranchResult> {
    const { changes, snapshot, signal } = inputs;
    if (changes.length === 0 && this.#known.size === 0 && this.#last !== undefined) return noResult;
    const digest = sha256Hex(JSON.stringify([snapshot.commit.id, changes.map(digestOf)]));
    if (this.#last?.digest === digest) return this.#last.result;
    const remote = new Map(
      [...(await this.#git.listBranches(signal))].filter(([name]) => name.startsWith(branchPrefix)),
    );
    const wanted = new Set(changes.map(branchOf));
    const counts = new Map<string, number>();
    for (const name of remote.keys()) {
      const isEnded = !wanted.has(name) && (await this.#end(name, inputs));
      if (!isEnded) count(counts, name);
    }
    for (const name of this.#known.keys()) if (!wanted.has(name) && !remote.has(name)) this.#known.delete(name);
    const proposals: HubProposal[] = [];
    for (const change of changes) {
      const branch = branchOf(change);
      proposals.push({ change, branch, state: await this.#propose(change, { inputs, remote, counts }) });
    }
    const branches = [...this.#known].flatMap(([name, { proposed }]) =>
      remote.has(name) || proposals.some(({ branch, state }) => branch === name && state === "Proposed")
        ? [proposed]
        : [],
    );
    const result = { branches, proposals };
    this.#last = { digest, result };
    return result;
  }

  async #propose(
    change: HubChange,
    {
      inputs,
      remote,
      counts,
    }: {
      readonly inputs: HubBranchInputs;
      readonly remote: ReadonlyMap<string, string>;
      readonly counts: Map<string, number>;
    },
  ): Promise<HubProposal["state"]> {
    const branch = branchOf(change);
    const digest = digestOf(change);
    const known = this.#known.get(branch);
    const head = remote.get(branch);
    if (known?.digest === digest) return known.head === head || head !== undefined ? "Proposed" : "Declined";
    if (head === undefined && (counts.get(workspaceOf(branch)) ?? 0) >= openAtMost) return "Waiting";
    const { snapshot, hubId, nowMs, signal } = inputs;
    const written = await writeBranch(this.#git, {
      branch,
      files: changedFiles([change], snapshot),
      source: snapshot.commit.id,
      message: changeMessage([change], hubId),
      isUpdated: true,
      nowMs,
      signal,
    });
    if (written === undefined) return "Waiting";
    if (head === undefined) count(counts, branch);
    this.#known.set(branch, {
      digest,
      head: written,
      proposed: { branch, commit: written, ...describeRequest(change) },
    });
    return "Proposed";
  }

  /** Deletes a branch that no object on the hub needs any more, if it is merged or its object is deleted. */
  async #end(branch: string, { snapshot, hubId, nowMs, signal }: HubBranchInputs): Promise<boolean> {
    const source = snapshot.commit.id;
    const tip = await this.#git.fetchHead(branch, signal);
    if (tip === undefined) return true;
    const commits = await this.#git.listCommits({ from: source, to: tip });
    const isOurs = commits.every(
      ({ author, message }) =>
        author.email === statusAuthor.email && message.split("\n").includes(`${hubTrailer}: ${hubId}`),
    );
    if (!isOurs) return false;
    const changes = await this.#git.changedPaths(commits.at(-1)?.parents[0], tip);
    const now = new Map((await this.#git.listFiles(source)).map(({ path, blobId }) => [path, blobId]));
    const isMerged = changes.every(({ path, after }) => now.get(path) === after?.blobId);
    const isCreation = changes.every(({ before }) => before === undefined);
    if (!isMerged && !isCreation) return false;
    await writeBranch(this.#git, { branch, files: new Map(), source, message: "", nowMs, signal });
    this.#known.delete(branch);
    return true;
  }
}

/** `rollcall/hub/fleet/clusters.rollcall.dev/eu-1`: as kubectl names the object, within its workspace. */
function branchOf({ live, workspace }: HubChange): string {
  const type = resourceTypeOf(live);
  const kind = type === undefined ? live.kind.toLowerCase() : `${type.plural}.${type.group}`;
  const { name } = live.metadata;
  // No part of a reference of git ends so; no name of Kubernetes has an underscore.
  return `${branchPrefix}${workspace}/${kind}/${name.endsWith(".lock") ? `${name}_` : name}`;
}

function workspaceOf(branch: string): string {
  return branch.slice(branchPrefix.length).split("/", 1)[0] ?? "";
}

function count(counts: Map<string, number>, branch: string): void {
  counts.set(workspaceOf(branch), (counts.get(workspaceOf(branch)) ?? 0) + 1);
}

function digestOf({ object, live, path, file }: HubChange): string {
  return sha256Hex(JSON.stringify([object, live.metadata.uid, path, file]));
}
