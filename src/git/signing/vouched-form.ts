import { isAppError } from "../../core/errors.ts";
import type { GitEngine } from "../git.ts";
import type { AllowedSigner } from "./allowed-signers.ts";
import { hasCopy } from "./has-copy.ts";
import { verifySignature } from "./verify-commit.ts";
import { unverifiedPaths } from "./verify-paths.ts";
import type { SignaturePolicy } from "./verify-paths.ts";

export interface FormRequest {
  readonly commit: string;
  readonly path: string;
  readonly policy: SignaturePolicy;
  readonly signers: readonly AllowedSigner[];
  /** The time at which the commits were first seen. Milliseconds since the epoch. */
  readonly atMs: number;
}

type Reader = Pick<GitEngine, "readCommit" | "readSignature" | "listCommits" | "listFiles" | "isAncestor">;

/** So many commits are read; a signature further back vouches for nothing. */
const mostCommits = 1000;

interface Step {
  readonly id: string;
  /** Of the merge by which the first parents were left: its first parent. */
  readonly mergedInto: string | undefined;
}

/**
 * Whether a listed key vouches for the form that a file has in a commit: going back as long as the file has this form, there is
 * a signed commit among the first parents, or one on a merged branch that brought the file into this form and came with that
 * merge. Always true for a path that no rule protects.
 */
export async function isVouchedForm(engine: Reader, request: FormRequest): Promise<boolean> {
  const { path, policy, signers, atMs } = request;
  if (unverifiedPaths([{ path }], policy, { kind: "refused", reason: "unsigned", message: "" }).length === 0)
    return true;
  const form = await formAt(engine, request.commit, path);
  const open: Step[] = [{ id: request.commit, mergedInto: undefined }];
  const seen = new Set<string>();
  // The list grows while it is read.
  for (const { id, mergedInto } of open) {
    const key = `${id} ${mergedInto ?? ""}`;
    if (seen.has(key) || (await formAt(engine, id, path)) !== form) continue;
    if (seen.size >= mostCommits) return false;
    seen.add(key);
    const { parents } = await engine.readCommit(id);
    const signature = verifySignature(await engine.readSignature(id), signers, atMs);
    const isFor = unverifiedPaths([{ path }], policy, signature).length === 0;
    const isSigned = isFor && !(await hasCopy(engine, id, request.commit));
    if (isSigned && mergedInto === undefined) return true;
    if (isSigned && mergedInto !== undefined && !(await engine.isAncestor(id, mergedInto))) {
      const before = await Promise.all(parents.map((parent) => formAt(engine, parent, path)));
      if (!before.includes(form)) return true;
    }
    const [first] = parents;
    for (const parent of parents)
      open.push({ id: parent, mergedInto: mergedInto ?? (parent === first ? undefined : first) });
  }
  return false;
}

/** The file's blob; empty where the commit has no such file, undefined where the commit is not here. */
async function formAt(engine: Reader, commit: string, path: string): Promise<string | undefined> {
  try {
    const files = await engine.listFiles(commit, [path]);
    // A name with a slash in it has the path of a file in a folder, and is never read.
    return files.find((file) => file.path === path && file.isUnsafe !== true)?.blobId ?? "";
  } catch (error) {
    // A shallow clone ends here.
    if (isAppError(error, "E_GIT_OBJECT")) return undefined;
    throw error;
  }
}
