import { join } from "node:path";
import { expect, it } from "vitest";
import { openGitEngine } from "../../src/git/engine/open-git-engine.ts";
import { statusAuthor } from "../../src/reconcile/status-branches.ts";
import { StatusHistory } from "../../src/reconcile/status-history.ts";
import type { HistoryReading } from "../../src/reconcile/status-history.ts";
import { startGitHttpServer } from "../support/git-http-server.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import { measureLoop } from "../support/measure-loop.ts";
import { realClock, realRandom } from "../support/real-time.ts";

const branch = "rollcall/status";
/** A year at one commit a minute has 525,600. */
const commitCount = Number(process.env.ROLLCALL_BENCH_COMMITS ?? "525600");
const lookCount = Math.ceil(commitCount / 5_000);

// A long history is read before the branch begins anew, and the branch does: what both cost the daemon.
it.each([
  { name: "own engine over http", transport: "http", backend: "auto" as const },
  { name: "own engine on a folder", transport: "folder", backend: "auto" as const },
  { name: "native git over http", transport: "http", backend: "native" as const },
])(`${commitCount} commits, $name`, { timeout: 1_800_000 }, async ({ name, transport, backend }) => {
  const { path, remove } = await makeTempFolder();
  const server = await startGitHttpServer({ root: path });
  try {
    const repository = await createRepository(join(path, "fleet.git"));
    await fillBranch(repository);
    const url = transport === "http" ? server.urlOf("fleet.git") : repository.path;
    const options = { url, backend, cacheDir: join(path, "cache"), isLocalAllowed: true };
    const git = await openGitEngine({ ...options, clock: realClock, random: realRandom });
    const fetched = await measureLoop(() => git.fetchHead(branch));
    const head = await repository.head(branch);
    const history = new StatusHistory(git);
    const request = {
      branch,
      head,
      days: 30,
      owner: { hubId: "h", repository: "r", adopted: undefined },
      nowMs: Date.now(),
    };
    const { signal } = new AbortController();
    const looks: Awaited<ReturnType<typeof measureLoop<HistoryReading>>>[] = [];
    for (let count = 0; count <= lookCount; count++)
      looks.push(await measureLoop(() => history.evaluate({ ...request, signal })));
    const last = looks.findLast(({ outcome }) => !(outcome instanceof Error) && outcome.due);
    expect(last).toBeDefined();
    const squashed = await measureLoop(async () => {
      await git.moveBranch({ branch: `${branch}-past`, from: undefined, to: head ?? "" });
      const commit = { branch, parent: head, isRoot: true, changes: new Map([["README.md", "new\n"]]) };
      await git.commitAndPush({ ...commit, message: "status\n", author: statusAuthor, committedAtMs: Date.now() });
    });
    await git.close();
    print(name, {
      fetch: costOf(fetched),
      looks: looks.length,
      cpuSecondsOfLooks: Math.round(looks.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 100) / 10,
      mostCpuMsOfALook: Math.max(...looks.map(({ cpuMs }) => cpuMs)),
      longestHoldMs: Math.max(...looks.map(({ longestHoldMs }) => longestHoldMs)),
      heldMiBOfALook: Math.max(...looks.map(({ heldMiB }) => heldMiB)),
      residentMiB: Math.round(process.memoryUsage().rss / 2 ** 20),
      squash: costOf(squashed),
    });
  } finally {
    await server.close();
    await remove();
  }
});

/** Commits of our own, a minute apart, with one tree. */
async function fillBranch(repository: TestRepository): Promise<void> {
  const startSeconds = Math.floor(Date.now() / 1000) - commitCount * 60;
  const commits = Array.from({ length: commitCount }, (_, index) => {
    const person = `${statusAuthor.name} <${statusAuthor.email}> ${startSeconds + index * 60} +0000`;
    const message = `status: ${index} of 525600 clusters ready [skip ci]\n`;
    const files = index === 0 ? "M 100644 inline README.md\ndata 4\nold\n\n" : "";
    return `commit refs/heads/${branch}\nauthor ${person}\ncommitter ${person}\ndata ${message.length}\n${message}${files}\n`;
  });
  await repository.gitWithInput(commits.join(""), "fast-import", "--quiet");
}

function costOf({ outcome, ...cost }: Awaited<ReturnType<typeof measureLoop>>): string {
  return JSON.stringify(outcome instanceof Error ? { ...cost, failed: outcome.message } : cost);
}

function print(name: string, facts: Record<string, unknown>): void {
  process.stdout.write(
    `${name}: ${Object.entries(facts)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(" ")}\n`,
  );
}
