import { isAppError } from "../core/errors.ts";
import type { GitEngine } from "../git/git.ts";
import { openGitEngine } from "../git/engine/open-git-engine.ts";
import { defaultCacheDir } from "../system/cache-dir.ts";
import type { GitAccess } from "./wire-git.ts";
import { accessOfFlags } from "./wire-git.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import type { Settings } from "../settings/settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The value of --git-backend, for every repository that this process opens. */
export function gitBackend(settings: Settings): "auto" | "native" {
  return settings.text("git-backend") === "native" ? "native" : "auto";
}

/** Where the copy of a remote repository is. */
export function copyFolderOf(settings: Settings, url: string, environment: Environment): string {
  return settings.text("cache-dir") ?? defaultCacheDir(url, environment);
}

/** Processes of one user that have copies of one repository at the same time. */
const mostCopies = 16;

/**
 * Opens the repository that the settings name; a folder or http is fine, since it comes from the command line. A process has its
 * copy for itself: beside a daemon, or another command, the next one of the user's cache is taken.
 * @throws E_DIR_LOCKED when another process uses the folder of --cache-dir
 */
export async function openRepository(
  settings: Settings,
  url: string,
  environment: Environment,
  access: GitAccess = accessOfFlags(settings, url, environment),
): Promise<GitEngine> {
  const first = copyFolderOf(settings, url, environment);
  const copies = settings.text("cache-dir") === undefined ? mostCopies : 1;
  for (let copy = 1; ; copy += 1) {
    try {
      return await openGitEngine({
        url,
        cacheDir: copy === 1 ? first : `${first}-${copy}`,
        isLocalAllowed: true,
        ...access,
        backend: gitBackend(settings),
        clock: realClock,
        random: realRandom,
      });
    } catch (error) {
      if (copy === copies || !isAppError(error, "E_DIR_LOCKED")) throw error;
    }
  }
}
