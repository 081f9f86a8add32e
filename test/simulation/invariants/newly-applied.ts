import { textAt } from "../../../src/core/read-json.ts";
import { repositoryKey } from "../mirror.ts";
import type { RowChange } from "./invariant.ts";

/** The commit that this write of the Repository calls applied, when the one before called another so. */
export function newlyApplied({ key, before, after }: RowChange): string | undefined {
  if (key !== repositoryKey) return undefined;
  const [was, is] = [before, after].map((repository) => textAt(repository, "status", "appliedCommit"));
  return is === was ? undefined : is;
}
