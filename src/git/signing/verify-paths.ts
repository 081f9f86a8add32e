import type { PathPatterns } from "../../core/path-patterns.ts";
import { compilePaths } from "../../core/path-patterns.ts";
import type { PathChange } from "../git.ts";
import type { CommitResult } from "./verify-commit.ts";

/** Which files need a signature, and whose. */
export interface SignatureRule {
  /** Patterns like those of .gitignore. Unset: every file. */
  readonly paths?: readonly string[];
  /** Names exactly as in the list of allowed signers; one of them must have signed. Unset: any of the list. */
  readonly principals?: readonly string[];
}

/** A file must satisfy every rule that is for it. */
export interface SignaturePolicy {
  readonly rules: readonly SignatureRule[];
}

/** The changed paths that the result does not cover, in the order given. Empty: the changes may be applied. */
export function unverifiedPaths(
  changes: readonly Pick<PathChange, "path">[],
  policy: SignaturePolicy,
  result: CommitResult,
): string[] {
  const rules = policy.rules.map((rule) => ({ rule, paths: rule.paths && compilePaths(rule.paths) }));
  const isFor = (paths: PathPatterns | undefined, path: string) => paths === undefined || paths.matches(path);
  return changes
    .map(({ path }) => path)
    .filter((path) => rules.some(({ rule, paths }) => !isSatisfied(rule, result) && isFor(paths, path)));
}

/** True when the result covers every file, whatever its path. */
export function satisfiesAll(policy: SignaturePolicy, result: CommitResult): boolean {
  return policy.rules.every((rule) => isSatisfied(rule, result));
}

function isSatisfied({ principals }: SignatureRule, result: CommitResult): boolean {
  if (result.kind !== "verified") return false;
  return principals === undefined || result.principals.some((principal) => principals.includes(principal));
}
