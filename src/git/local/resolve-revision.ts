import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { shortCommit } from "../../core/short-commit.ts";
import type { GitEngine } from "../git.ts";
import { isMissingObject, taggedObject } from "../objects/git-object.ts";
import { readLocalRef, targetOfRef } from "./local-refs.ts";
import { idsBeginningWith } from "./ids-beginning-with.ts";
import { findGitDir, locateRepository } from "./local-repository.ts";

/** Tags that name tags. */
const mostTags = 10;

/** What is likely to be written as an id. */
const shortId = /^[0-9a-f]{7,63}$/iu;

/** As few digits as git takes. */
const beginningOfId = /^[0-9a-f]{4,63}$/iu;

const form = /^(?<name>[^~^: \t\r\n]+)(?<steps>(?:~\d{0,4}|\^\d?)*)$/u;

/**
 * The commit that a revision of a local repository means: an id or its beginning, `HEAD` or `@`, a tag, a branch, a branch of a
 * remote (`origin/main`, or `main` where only the remote has it), each with `~2` or `^1` behind it. A whole id that is not
 * here is returned as it is. Source: git, gitrevisions(7). What may be a tag or a branch, or also an id, is refused.
 * @throws E_GIT_BRANCH_MISSING when there is nothing of that name, several objects have it, or it is no commit
 */
export async function resolveRevision(
  revision: string,
  { path, git }: { readonly path: string; readonly git: Pick<GitEngine, "readCommit"> },
): Promise<string> {
  const { name: given = "", steps = "" } = form.exec(revision)?.groups ?? {};
  const name = given === "@" ? "HEAD" : given;
  const named = await resolveName(path, name);
  let id = named === undefined ? undefined : await peelTag(named, git);
  if (id === undefined) {
    if (name === "HEAD" && named === undefined) {
      throw new AppError(
        "E_GIT_BRANCH_MISSING",
        `find ${revision} in ${path}: the branch that is checked out has no commit yet`,
        {
          remedy: "Make the first commit, or check out a branch that has one.",
        },
      );
    }
    const reason = named === undefined ? await describeAbsent(name, path) : "it is no commit";
    throw new AppError("E_GIT_BRANCH_MISSING", `find ${revision} in ${path}: ${reason}`);
  }
  for (const [, kind, digits = ""] of steps.matchAll(/([~^])(\d*)/gu)) {
    const count = digits === "" ? 1 : Number(digits);
    for (let step = 0; step < (kind === "~" ? count : 1); step += 1) {
      const { parents } = await git.readCommit(id);
      const parent: string | undefined = kind === "~" ? parents[0] : count === 0 ? id : parents[count - 1];
      if (parent === undefined) {
        throw new AppError(
          "E_GIT_BRANCH_MISSING",
          `find ${revision} in ${path}: commit ${shortCommit(id)} has no such parent`,
          { remedy: "Name a commit of its history. In a clone without the whole history: `git fetch --unshallow`." },
        );
      }
      id = parent;
    }
  }
  return id;
}

/** In a clone of it, a branch of this repository has the name of the remote before its own. */
async function describeAbsent(name: string, path: string): Promise<string> {
  const absent = "there is no commit, branch or tag of that name";
  const branch = /^(?:refs\/remotes\/|remotes\/)?origin\/(?<branch>.+)$/u.exec(name)?.groups?.["branch"];
  const isHere = branch !== undefined && (await resolveName(path, `refs/heads/${branch}`)) !== undefined;
  return isHere ? `${absent}; it is ${branch} in this repository` : absent;
}

/** The commit that an annotated tag names, by way of other tags too; undefined where that is no commit. Else the id itself. */
async function peelTag(named: string, git: Pick<GitEngine, "readCommit">): Promise<string | undefined> {
  let id = named;
  for (let depth = 0; depth <= mostTags; depth += 1) {
    try {
      return (await git.readCommit(id)).id;
    } catch (error) {
      const tagged = taggedObject(error);
      // What reads the commit reports what is wrong with it.
      if (tagged === undefined) return id === named || isMissingObject(error) ? id : undefined;
      id = tagged;
    }
  }
  return undefined;
}

/**
 * The head of a branch of a local repository, also of one that only the remote has (`origin/main`, or `main`). No tag is read: in
 * a clone, those are of any account that may push one, also where the branch is protected.
 * @throws E_GIT_BRANCH_MISSING
 */
export async function resolveBranch(branch: string, path: string): Promise<string> {
  const isOdd = branch.includes("..") || branch.startsWith("/");
  const { commonDir } = await locateRepository(path);
  const refs = /^refs\/(?:heads|remotes)\//u.test(branch) ? [branch] : branchRefs(branch);
  const [found] = isOdd ? [] : await readRefs(commonDir, refs);
  if (found !== undefined) return found.id;
  throw new AppError("E_GIT_BRANCH_MISSING", `find branch ${branch} in ${path}: there is none of that name`);
}

async function resolveName(path: string, name: string): Promise<string | undefined> {
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(name)) return name;
  const { commonDir } = await locateRepository(path);
  if (name === "HEAD") return resolveHead(path, commonDir);
  if (name.includes("..") || name.startsWith("/")) return undefined;
  const found = await readRefs(commonDir, [
    ...(name.startsWith("refs/") ? [name] : []),
    `refs/${name}`,
    `refs/tags/${name}`,
    ...branchRefs(name),
  ]);
  const [first] = found;
  if (first === undefined) return beginningOfId.test(name) ? expandId(path, name) : undefined;
  const isTag = (ref: string): boolean => ref.startsWith("refs/tags/");
  const other = found.find(({ ref, id }) => isTag(ref) !== isTag(first.ref) && id !== first.id);
  if (other !== undefined) throw ambiguous(name, path, [first.ref, other.ref]);
  const id = shortId.test(name) ? await expandId(path, name) : undefined;
  if (id !== undefined && id !== first.id) throw ambiguous(name, path, [first.ref, id]);
  return first.id;
}

function branchRefs(name: string): string[] {
  return [`refs/heads/${name}`, `refs/remotes/${name}`, `refs/remotes/origin/${name}`];
}

async function readRefs(commonDir: string, refs: readonly string[]): Promise<{ ref: string; id: string }[]> {
  const found: { ref: string; id: string }[] = [];
  for (const ref of refs) {
    const id = await readLocalRef(commonDir, ref);
    if (id !== undefined) found.push({ ref, id });
  }
  return found;
}

/** git warns, and takes the tag, so an account that may push one would choose what a plan is compared with. */
function ambiguous(name: string, path: string, meanings: readonly [string, string]): AppError {
  return new AppError("E_GIT_BRANCH_MISSING", `find ${name} in ${path}: it may be ${meanings.join(" or ")}`, {
    remedy: "Name the one that you mean, as the message has it. Delete a tag that has the name of a branch.",
  });
}

/** The object whose id begins so, of the repository or of one that it borrows from. */
async function expandId(path: string, beginning: string): Promise<string | undefined> {
  const [id, ...others] = idsBeginningWith(beginning.toLowerCase(), await locateRepository(path));
  if (others.length === 0) return id;
  const reason = `several objects of the repository begin with ${beginning}`;
  throw new AppError("E_GIT_BRANCH_MISSING", `find ${beginning} in ${path}: ${reason}`);
}

/** A linked work tree has a HEAD of its own. */
async function resolveHead(path: string, commonDir: string): Promise<string | undefined> {
  const text = await readFile(join(await findGitDir(path), "HEAD"), "utf8");
  const ref = targetOfRef(text);
  return ref === undefined ? text.trim() : readLocalRef(commonDir, ref);
}

/** True when the repository at `path` was cloned without its whole history (`git clone --depth`). */
export async function isShallowClone(path: string): Promise<boolean> {
  const { commonDir } = await locateRepository(path);
  return access(join(commonDir, "shallow")).then(
    () => true,
    () => false,
  );
}
