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

/** Opens the repository that the settings name; a folder or http is fine, since it comes from the command line. */
export async function openRepository(
  settings: Settings,
  url: string,
  environment: Environment,
  access: GitAccess = accessOfFlags(settings, url, environment),
): Promise<GitEngine> {
  return openGitEngine({
    url,
    cacheDir: copyFolderOf(settings, url, environment),
    isLocalAllowed: true,
    ...access,
    backend: gitBackend(settings),
    clock: realClock,
    random: realRandom,
  });
}
