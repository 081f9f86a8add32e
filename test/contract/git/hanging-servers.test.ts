import { writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { GitEngineOptions } from "../../../src/git/engine/open-git-engine.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { findSshd, startSshGitServer } from "../../support/ssh-git-server.ts";
import { statusRequest } from "./http-fixture.ts";

const sshd = findSshd();
const withoutSshd = sshd === undefined ? " (skipped: no sshd on this machine)" : "";
const slow = { code: "E_GIT_REMOTE", data: { reason: "slow" } };

async function openEngine(options: Partial<GitEngineOptions> & { readonly url: string }): Promise<GitEngine> {
  const { path, remove } = await makeTempFolder();
  onTestFinished(remove);
  const engine = await openGitEngine({
    cacheDir: join(path, "cache"),
    timeouts: { responseMs: 3000 },
    clock: realClock,
    random: realRandom,
    ...options,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/**
 * A server by ssh that sends no more than so many bytes in the answer to `service`, and then does this. Default: it keeps the
 * session open until the client ends it.
 */
async function openHanging(
  service: string,
  bytes: number,
  then = "tail --pid=$session -f /dev/null",
): Promise<{ repository: TestRepository; engine: GitEngine }> {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  const repository = await createRepository(join(folder, "fleet.git"));
  await repository.commit({ files: { "a.txt": randomBytes(1_000_000).toString("hex") } });
  const script = join(folder, "hang.sh");
  const git = `git-shell -c "$SSH_ORIGINAL_COMMAND"`;
  await writeFile(
    script,
    `case "$SSH_ORIGINAL_COMMAND" in ${service}*) ;; *) exec ${git} ;; esac
session=$PPID
exec 3<&0
${git} <&3 | { dd bs=1 count=${bytes} status=none; [ "$(dd bs=1 count=1 status=none | wc -c)" = 0 ] || ${then}; }
`,
  );
  const server = await startSshGitServer(sshd ?? "", join(folder, "sshd"), `sh '${script}'`);
  onTestFinished(() => server.close());
  return { repository, engine: await openEngine({ url: server.urlOf(repository.path), ssh: server }) };
}

describe("a server by http that hangs", () => {
  it.each([
    { backend: "auto", from: [1, 2, 3] },
    { backend: "native", from: [3, 4, 5] },
  ] as const)("is given up wherever it hangs, by the engine $backend", async ({ backend, from }) => {
    const { path: folder, remove } = await makeTempFolder();
    onTestFinished(remove);
    const repository = await createRepository(join(folder, "fleet.git"));
    await repository.commit({ files: { a: "1" } });
    const server = await startGitHttpServer({ root: folder });
    onTestFinished(() => server.close());
    for (const first of from) {
      server.clearRequests();
      server.setFault(() => (server.requests.length >= first ? { kind: "hang" } : undefined));
      const engine = await openEngine({ url: server.urlOf("fleet.git"), isLocalAllowed: true, backend });
      await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
      expect(server.requests.length).toBeGreaterThanOrEqual(first);
    }
  });
});

describe.skipIf(sshd === undefined)(`a server by ssh that hangs${withoutSshd}`, () => {
  it.each([
    { where: "in the advertisement", bytes: 20, command: "ls-remote" },
    { where: "after the list of refs", bytes: 400, command: "fetch" },
    { where: "in the middle of a pack", bytes: 200_000, command: "fetch" },
  ])("is given up when it sends nothing for a while: $where", async ({ bytes, command }) => {
    const { engine } = await openHanging("git-upload-pack", bytes);
    const message = expect.stringMatching(`^run git ${command}: `) as string;
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ ...slow, message });
  });

  it.each([
    { where: "after the list of refs", bytes: 400 },
    { where: "in the middle of a pack", bytes: 200_000 },
  ])("is not taken for one without the repository when the connection breaks: $where", async ({ bytes }) => {
    const { engine } = await openHanging("git-upload-pack", bytes, "true");
    const unreachable = { code: "E_GIT_REMOTE", recovery: "transient", data: { reason: "unreachable" } };
    await expect(engine.fetchHead("main")).rejects.toMatchObject(unreachable);
  });

  it("is given up by a push", async () => {
    const { repository, engine } = await openHanging("git-receive-pack", 190);
    const head = await engine.fetchHead("main");
    expect(head).toBe(await repository.head("main"));
    await expect(engine.commitAndPush(statusRequest(undefined, { a: "1" }))).rejects.toMatchObject({
      ...slow,
      message: expect.stringMatching("^run git push: ") as string,
    });
  });
});
