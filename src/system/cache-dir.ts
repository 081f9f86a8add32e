import { homedir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "../core/digest.ts";

/** Where the copy of a remote repository is kept: its own folder below the user's cache. */
export function defaultCacheDir(url: string, environment: Readonly<Record<string, string | undefined>>): string {
  const base = environment["XDG_CACHE_HOME"];
  return join(
    base !== undefined && base !== "" ? base : join(homedir(), ".cache"),
    "rollcall",
    sha256Hex(url).slice(0, 16),
  );
}
