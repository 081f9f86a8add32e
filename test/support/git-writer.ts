// A process that commits to a local repository as fast as it can, until it is killed.
// Arguments: the repository's path, the branch, a name for its files. It prints a line after each commit.
import { openGitEngine } from "../../src/git/engine/open-git-engine.ts";
import { isAppError } from "../../src/core/errors.ts";
import { realClock, realRandom } from "./real-time.ts";

const [url = "", branch = "", name = ""] = process.argv.slice(2);
const engine = await openGitEngine({ url, cacheDir: url, isLocalAllowed: true, clock: realClock, random: realRandom });
for (;;) {
  const parent = await engine.fetchHead(branch);
  const done = parent === undefined ? 0 : (await engine.listFiles(parent, [name])).length;
  const changes = new Map([[`${name}/${String(done).padStart(5, "0")}`, `${process.pid}\n`]]);
  const author = { name, email: `${name}@example.org` };
  try {
    const message = `${name} ${done}\n`;
    await engine.commitAndPush({ branch, parent, changes, message, author, committedAtMs: realClock.nowMs() });
    process.stdout.write(`${done}\n`);
  } catch (error) {
    // Others push too: the next round is on top of theirs.
    if (!isAppError(error, "E_GIT_PUSH_RACE", "E_GIT_LOCKED")) throw error;
  }
}
