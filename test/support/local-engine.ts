import type { GitEngine } from "../../src/git/git.ts";
import { openGitEngine } from "../../src/git/engine/open-git-engine.ts";
import { realClock, realRandom } from "../../src/system/real-clock.ts";

/** The default back-end on a repository of this machine. */
export function openLocalEngine(url: string, cacheDir: string): Promise<GitEngine> {
  return openGitEngine({ url, cacheDir, isLocalAllowed: true, clock: realClock, random: realRandom });
}
