import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { ForgeState } from "../../support/forge/forge-state.ts";
import { repositoryKey } from "../mirror.ts";
import { forgeTokenOnHub } from "./forge-token.ts";
import type { Invariant, Scene } from "./invariant.ts";

/** Of what the commit of a branch would do, and of what became of a commit of main. */
export const planContext = "rollcall/rollcall-system.fleet";

const states: ReadonlyMap<string, string> = new Map([
  ["Applied", "success"],
  ["Partial", "failure"],
  ["Withheld", "pending"],
  ["Failed", "error"],
]);

/** The newest status of a commit. */
export function statusOf(
  { statuses }: ForgeState,
  wanted: { readonly commit: string; readonly context: string },
): string {
  const found = statuses.findLast(({ commit, context }) => commit === wanted.commit && context === wanted.context);
  return found?.state ?? "none";
}

/** At rest the forge knows what became of the newest commit, as the Repository reports it. */
export function commitsHaveStatuses({ world, mirror, violate }: Scene): Invariant {
  const name = "at rest the newest commit has the status of its outcome";
  return {
    name,
    atRest: () => {
      const { forge } = world;
      if (forge === undefined || forgeTokenOnHub(mirror) !== forge.token) return;
      const [newest] = objectsAt(mirror.get(repositoryKey), "status", "recentCommits");
      const [commit, outcome] = [textAt(newest, "commit") ?? "", textAt(newest, "outcome") ?? ""];
      const state = statusOf(forge.state, { commit, context: planContext });
      if (commit !== "" && state !== states.get(outcome))
        violate(name, `${commit.slice(0, 8)} is ${outcome}, and its status is ${state}`);
    },
  };
}
