import { countOf } from "../core/count-of.ts";
import { sha256Hex } from "../core/digest.ts";
import { escapeMarkdown } from "../core/escape-markdown.ts";
import type { GitEngine } from "../git/git.ts";
import type { HubChange } from "../model/hub-change.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import { hubTrailer } from "./change-message.ts";
import { changedFiles } from "./changed-files.ts";
import type { ProposedBranch } from "./proposals.ts";
import { statusAuthor } from "./write-back.ts";
import { writeBranch } from "./write-branch.ts";

const branchPrefix = "rollcall/registered/";

export interface AdmittedBranchInputs {
  readonly snapshot: SourceSnapshot;
  /** Files to propose, by token (`workspace/name`). */
  readonly changes: ReadonlyMap<string, readonly HubChange[]>;
  readonly hubId: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Keeps the branches `rollcall/registered/<workspace>/<token>`: each has the files of clusters that the token admitted. To merge
 * one changes no cluster; from then on its file is in force. A branch that is merged or not needed is deleted; commits of a
 * person on it stay, and nothing is forced.
 */
export class AdmittedBranches {
  readonly #git: GitEngine;
  readonly #known = new Map<string, { readonly digest: string; readonly proposed: ProposedBranch | undefined }>();
  #isSwept = false;

  constructor(git: GitEngine) {
    this.#git = git;
  }

  /** @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE */
  async sync(inputs: AdmittedBranchInputs): Promise<ProposedBranch[]> {
    const wanted = new Map([...inputs.changes].map(([token, changes]) => [`${branchPrefix}${token}`, changes]));
    for (const branch of [...this.#known.keys(), ...(await this.#leftBehind(inputs))])
      if (!wanted.has(branch)) wanted.set(branch, []);
    const branches: ProposedBranch[] = [];
    for (const [branch, changes] of wanted) {
      const digest = sha256Hex(
        JSON.stringify([inputs.snapshot.commit.id, changes.map(({ path, file }) => [path, file])]),
      );
      if (this.#known.get(branch)?.digest !== digest) {
        const commit = await this.#write(branch, changes, inputs);
        if (commit === undefined && changes.length === 0) this.#known.delete(branch);
        else
          this.#known.set(branch, {
            digest,
            proposed: commit === undefined ? undefined : { branch, commit, ...requestOf(branch, changes) },
          });
      }
      const proposed = this.#known.get(branch)?.proposed;
      if (proposed) branches.push(proposed);
    }
    return branches;
  }

  #write(
    branch: string,
    changes: readonly HubChange[],
    { snapshot, hubId, nowMs, signal }: AdmittedBranchInputs,
  ): Promise<string | undefined> {
    const files = changedFiles(changes, snapshot);
    const message = messageOf(branch, changes, hubId);
    return writeBranch(this.#git, { branch, files, source: snapshot.commit.id, message, nowMs, signal });
  }

  /** Branches that this hub made before this process started. */
  async #leftBehind({ snapshot, hubId, signal }: AdmittedBranchInputs): Promise<string[]> {
    if (this.#isSwept) return [];
    const names = [...(await this.#git.listBranches(signal)).keys()].filter((name) => name.startsWith(branchPrefix));
    const own: string[] = [];
    for (const name of names) {
      const tip = await this.#git.fetchHead(name, signal);
      if (tip === undefined) continue;
      const isMerged = await this.#git.isAncestor(tip, snapshot.commit.id);
      const commits = isMerged ? [] : await this.#git.listCommits({ from: snapshot.commit.id, to: tip });
      // Another hub that follows the same repository keeps its own branches.
      const isOwn = commits.every(
        ({ author, message }) =>
          author.email === statusAuthor.email && message.split("\n").includes(`${hubTrailer}: ${hubId}`),
      );
      if (isOwn) own.push(name);
    }
    this.#isSwept = true;
    return own;
  }
}

function messageOf(branch: string, changes: readonly HubChange[], hubId: string): string {
  const token = branch.slice(branchPrefix.length);
  const lines = changes.map(({ object, path }) => `- ${object}: ${path}`);
  return [
    `join: declare ${countOf(changes.length, "registered cluster")}`,
    "",
    `The token ${token} admitted them without a file. Merging this changes no cluster.`,
    "",
    ...lines,
    "",
    `${hubTrailer}: ${hubId}`,
    "",
  ].join("\n");
}

function requestOf(branch: string, changes: readonly HubChange[]): Pick<ProposedBranch, "title" | "body"> {
  const token = branch.slice(branchPrefix.length);
  return {
    title: `Declare clusters that token ${token} admitted`,
    body: [
      `The token ${escapeMarkdown(token)} admitted these clusters, and no file declares them:`,
      "",
      ...changes.map(({ workspace, live }) => `- ${escapeMarkdown(`${workspace}/${live.metadata.name}`)}`),
      "",
      "Merging this changes no cluster. From then on a change of the file changes the cluster, and its removal removes the cluster.",
      "To get no such requests, set `spec.proposals.clusters: Pending` of the Repository.",
    ].join("\n"),
  };
}
