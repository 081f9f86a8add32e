import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { isMissingProgram } from "../core/is-missing-program.ts";

/** Whether there is a work tree; where git could not make it, what git wrote about that. */
export interface WorkTree {
  readonly isThere: boolean;
  readonly failure?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Clones the repository to a work tree to play in, by the machine's own git. There is none without git: everything else works
 * without. `environment` is that of git; what it has of another repository is left out. Rules and hooks of the user's
 * configuration that would stop a clone of a folder have no effect.
 */
export async function cloneWorkTree(
  repositoryPath: string,
  workTreePath: string,
  environment: Environment,
): Promise<WorkTree> {
  if (existsSync(workTreePath)) return { isThere: true };
  const partial = `${workTreePath}.partial`;
  await rm(partial, { recursive: true, force: true });
  const git = (args: readonly string[]): Promise<string | undefined> => runGit(args, environment);
  try {
    const failure =
      (await git([
        ...["-c", "protocol.file.allow=always", "-c", "core.hooksPath=/dev/null"],
        ...["clone", "--quiet", "--", repositoryPath, partial],
      ])) ??
      (await git(["-C", partial, "config", "protocol.file.allow", "always"])) ??
      (await git(["-C", partial, "config", "user.name", "You"])) ??
      (await git(["-C", partial, "config", "user.email", "you@example.com"]));
    if (failure !== undefined) return { isThere: false, failure };
  } catch (error) {
    if (!isMissingProgram(error)) throw error;
    return { isThere: false };
  }
  await rename(partial, workTreePath);
  return { isThere: true };
}

/** What git wrote when it failed, else nothing. Throws when it cannot be started. */
async function runGit(args: readonly string[], environment: Environment): Promise<string | undefined> {
  const child = spawn("git", args, { stdio: ["ignore", "ignore", "pipe"], env: withoutRepository(environment) });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const [code, written] = await Promise.all([ended, text(child.stderr)]);
  return code === 0 ? undefined : written.trim();
}

/** Variables that name a repository or a part of it: a hook of git sets them, and git obeys them before all else. */
function withoutRepository(environment: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !ofRepository.test(name)));
}

/** Source: `git rev-parse --local-env-vars`. */
const ofRepository =
  /^GIT_(?:ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|CONFIG|CONFIG_(?:COUNT|PARAMETERS|KEY_\d+|VALUE_\d+)|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE|INTERNAL_SUPER_PREFIX|NAMESPACE|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)$/u;
