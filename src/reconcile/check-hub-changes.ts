import { appendAll } from "../core/append-all.ts";
import { sha256Hex } from "../core/digest.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { HubChange, RefusedHubChange } from "../model/hub-change.ts";
import type { Problem } from "../model/problem.ts";
import type { SourceSnapshot } from "../review/read-source.ts";
import type { RepositoryPlanner } from "../review/review.ts";
import { changedFiles } from "./changed-files.ts";

export interface CheckPorts {
  readonly planner: Pick<RepositoryPlanner, "readWithFiles" | "check" | "plan">;
  readonly repository: Repository;
  readonly snapshot: SourceSnapshot;
}

export interface CheckedHubChanges {
  readonly accepted: readonly HubChange[];
  readonly refused: readonly RefusedHubChange[];
  /** Whether some are left for the next run. */
  readonly isCut: boolean;
}

/** Checks in one run, each of the whole fleet. What they leave undecided is for the next run. */
const checksAtMost = 200;

/** Applies the checks of every file of the repository, its policies too, to the files that the changes come to. */
export class HubChangeChecker {
  /** By object: the change that was refused, and why. The same change in the same commit is refused again without a check. */
  readonly #refusals = new Map<string, { readonly digest: string; readonly message: string }>();

  async check(changes: readonly HubChange[], ports: CheckPorts): Promise<CheckedHubChanges> {
    const refused: RefusedHubChange[] = [];
    const unknown = changes.filter((change) => {
      const refusal = this.#refusals.get(change.object);
      if (refusal?.digest !== digestOf(change, ports)) return true;
      refused.push({ live: change.live, message: refusal.message });
      return false;
    });
    const present = new Set(changes.map(({ object }) => object));
    for (const object of this.#refusals.keys()) if (!present.has(object)) this.#refusals.delete(object);
    if (unknown.length === 0) return { accepted: [], refused, isCut: false };
    const before = await ports.planner.check(ports.repository, ports.snapshot);
    const known = new Set(before.problems.map(keyOf));
    const accepted: HubChange[] = [];
    let checks = 0;
    // Where some do not pass together, each half of them is checked: a few bad ones among many take few checks.
    const decide = async (part: readonly HubChange[]): Promise<void> => {
      const [first, second] = part;
      if (first === undefined || checks++ >= checksAtMost) return;
      const message = await refusalOf([...accepted, ...part], ports, known);
      if (message === undefined) return appendAll(accepted, part);
      if (second !== undefined) {
        const half = part.length >> 1;
        await decide(part.slice(0, half));
        return decide(part.slice(half));
      }
      this.#refusals.set(first.object, { digest: digestOf(first, ports), message });
      refused.push({ live: first.live, message });
    };
    await decide(unknown);
    return { accepted, refused, isCut: checks > checksAtMost };
  }
}

/** Why a commit with these changes would have an error that is not known of the one before; undefined when it would have none. */
async function refusalOf(
  changes: readonly HubChange[],
  { planner, repository, snapshot }: CheckPorts,
  known: ReadonlySet<string>,
): Promise<string | undefined> {
  const files = changedFiles(changes, snapshot);
  const { snapshot: changed, unread } = await planner.readWithFiles(snapshot, files);
  if (unread.length > 0)
    return `Its file would be ${unread[0] ?? ""}, which the Repository does not read. Change spec.proposals.path, spec.paths or .rollcallignore.`;
  const after = await planner.check(repository, changed);
  const problem = after.problems.find((each) => each.severity === "error" && !known.has(keyOf(each)));
  return problem && `Its file would be refused (${problem.code}): ${problem.message} ${problem.fix ?? ""}`.trim();
}

function digestOf({ file, path }: HubChange, { snapshot }: CheckPorts): string {
  return sha256Hex(JSON.stringify([snapshot.commit.id, path, file]));
}

function keyOf({ code, file, message, object }: Problem): string {
  return JSON.stringify([code, file, object, message]);
}
