// A process that fetches a branch over http again and again, until it is killed.
// Arguments: the repository's address, the cache's folder. It prints a line after each fetch.
import { openGitEngine } from "../../src/git/engine/open-git-engine.ts";
import { realClock, realRandom } from "./real-time.ts";

const [url = "", cacheDir = ""] = process.argv.slice(2);
const engine = await openGitEngine({ url, cacheDir, isLocalAllowed: true, clock: realClock, random: realRandom });
process.stdout.write("opened\n");
for (;;) process.stdout.write(`${await engine.fetchHead("main")}\n`);
