import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { sha256Hex } from "../core/digest.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the copy of a remote repository is kept: its own folder below the user's cache. */
export function defaultCacheDir(url: string, environment: Environment): string {
  return join(userCacheDir(environment), sha256Hex(url).slice(0, 16));
}

/**
 * The program's folder in the user's cache. A relative XDG_CACHE_HOME counts as none, as its specification requires: it would
 * be in whatever folder the command is started in.
 */
export function userCacheDir(environment: Environment): string {
  const base = environment["XDG_CACHE_HOME"];
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), ".cache"), "rollcall");
}
