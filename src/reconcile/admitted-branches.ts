import { countOf } from "../core/count-of.ts";
import { sha256Hex } from "../core/digest.ts";
import { escapeMarkdown } from "../core/escape-markdown.ts";
import type { GitEngine } from "../git/git.ts";
import type { HubChange } from "../model/hub-change.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { ProposedBranch } from "./branch-keeper.ts";
import { BranchKeeper } from "./branch-keeper.ts";
import type { BranchOwner } from "./branch-owner.ts";
import { changedFiles } from "./changed-files.ts";

export interface AdmittedBranchInputs {
  readonly snapshot: SourceSnapshot;
  /** Files to propose, by token (`workspace/name`). */
  readonly changes: ReadonlyMap<string, readonly HubChange[]>;
  readonly owner: BranchOwner;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/**
 * Keeps the branches `rollcall/registered/<workspace>/<token>`: each has the files of clusters that the token admitted. To merge
 * one changes no cluster; from then on its file is in force. A branch that is merged or not needed is deleted.
 */
export class AdmittedBranches {
  readonly #keeper: BranchKeeper;

  constructor(git: GitEngine) {
    this.#keeper = new BranchKeeper(git, { prefix: "rollcall/registered/" });
  }

  /** @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE */
  async sync({ snapshot, changes, owner, nowMs, signal }: AdmittedBranchInputs): Promise<readonly ProposedBranch[]> {
    const source = snapshot.commit.id;
    const wanted = [...changes].map(([token, files]) => ({
      name: token,
      digest: sha256Hex(JSON.stringify([source, files.map(({ path, file }) => [path, file])])),
      files: () => changedFiles(files, snapshot),
      message: messageOf(token, files),
      ...requestOf(token, files),
    }));
    return (await this.#keeper.sync(wanted, { source, owner, nowMs, signal })).branches;
  }
}

function messageOf(token: string, changes: readonly HubChange[]): string {
  const lines = changes.map(({ object, path }) => `- ${object}: ${path}`);
  return [
    `join: declare ${countOf(changes.length, "registered cluster")}`,
    "",
    `The token ${token} admitted them without a file. Merging this changes no cluster.`,
    "",
    ...lines,
    "",
  ].join("\n");
}

function requestOf(token: string, changes: readonly HubChange[]): Pick<ProposedBranch, "title" | "body"> {
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
