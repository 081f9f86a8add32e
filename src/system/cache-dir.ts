import { isAbsolute, join } from "node:path";
import { sha256Hex } from "../core/digest.ts";
import { AppError } from "../core/errors.ts";
import { homeFolder } from "./home-folder.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where the copy of a remote repository is kept: its own folder below the user's cache.
 * @throws E_USAGE for a user without a home folder
 */
export function defaultCacheDir(url: string, environment: Environment): string {
  const folder = userCacheDir(environment);
  if (folder !== undefined) return join(folder, sha256Hex(url).slice(0, 16));
  const remedy = "Set XDG_CACHE_HOME to the whole path of a folder, or HOME.";
  throw new AppError("E_USAGE", `there is no folder for copies: this user has no home folder. ${remedy}`);
}

/**
 * The program's folder in the user's cache. A relative XDG_CACHE_HOME counts as none, as its specification requires: it would
 * be in whatever folder the command is started in. Undefined: the user has no home folder.
 */
export function userCacheDir(environment: Environment): string | undefined {
  const base = environment["XDG_CACHE_HOME"];
  if (base !== undefined && isAbsolute(base)) return join(base, "rollcall");
  const home = homeFolder(environment);
  return home && join(home, ".cache", "rollcall");
}
