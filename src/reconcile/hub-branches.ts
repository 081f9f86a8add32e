import { sha256Hex } from "../core/digest.ts";
import type { GitEngine } from "../git/git.ts";
import type { HubChange } from "../model/hub-change.ts";
import { resourceTypeOf } from "../model/resource-types.ts";
import { authorOf } from "../planning/written-by.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { BranchState, ProposedBranch, WantedBranch } from "./branch-keeper.ts";
import { BranchKeeper } from "./branch-keeper.ts";
import type { BranchOwner } from "./branch-owner.ts";
import { changedFiles } from "./changed-files.ts";
import { changeMessage, describeRequest } from "./change-message.ts";

const rules = { prefix: "rollcall/hub/", openAtMost: 20, isUpdated: true, areEditsKept: true };

export interface HubBranchInputs {
  readonly changes: readonly HubChange[];
  readonly snapshot: SourceSnapshot;
  readonly owner: BranchOwner;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export interface HubProposal {
  readonly change: HubChange;
  readonly state: BranchState;
  readonly branch: string;
}

export interface HubBranchResult {
  readonly branches: readonly ProposedBranch[];
  readonly proposals: readonly HubProposal[];
}

/**
 * Keeps the branches `rollcall/hub/<workspace>/<kind>/<name>`: each has the change of one object. A branch that is merged is
 * deleted, and so is that of a new object which no longer exists. The branch of a change that was reverted on the hub stays
 * until it is merged or a person deletes it.
 */
export class HubBranches {
  readonly #keeper: BranchKeeper;

  constructor(git: GitEngine) {
    this.#keeper = new BranchKeeper(git, rules);
  }

  /** @throws E_GIT_PUSH_DENIED, E_GIT_PUSH_RACE, E_GIT_AUTH, E_GIT_REMOTE */
  async sync({ changes, snapshot, owner, nowMs, signal }: HubBranchInputs): Promise<HubBranchResult> {
    const wanted = changes.map((change) => wantedOf(change, snapshot, owner));
    const { branches, states } = await this.#keeper.sync(wanted, { source: snapshot.commit.id, owner, nowMs, signal });
    const proposals = changes.flatMap((change) => {
      const kept = states.get(nameOf(change));
      return kept === undefined ? [] : [{ change, ...kept }];
    });
    return { branches, proposals };
  }
}

function wantedOf(change: HubChange, snapshot: SourceSnapshot, { hubId }: BranchOwner): WantedBranch {
  const { object, live, path, file } = change;
  return {
    name: nameOf(change),
    digest: sha256Hex(JSON.stringify([object, live.metadata.uid, path, file])),
    files: () => changedFiles([change], snapshot),
    message: changeMessage([change], hubId),
    author: authorOf(change.users),
    ...describeRequest(change),
  };
}

/** `fleet/clusters.rollcall.dev/eu-1`: as kubectl names the object, within its workspace. */
function nameOf({ live, workspace }: HubChange): string {
  const type = resourceTypeOf(live);
  const kind = type === undefined ? live.kind.toLowerCase() : `${type.plural}.${type.group}`;
  return `${workspace}/${kind}/${live.metadata.name}`;
}
