import { chmod, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openNativeEngine } from "../../../../src/git/engine/native-engine.ts";
import type { NativeEngineOptions } from "../../../../src/git/engine/native-engine.ts";
import type { GitEngine } from "../../../../src/git/git.ts";
import { createRepository, makeTempFolder } from "../../../support/git-repositories.ts";
import type { TestRepository } from "../../../support/git-repositories.ts";
import { realRandom } from "../../../support/real-time.ts";

let folder = "";
let repository: TestRepository;

beforeEach(async () => {
  const made = await makeTempFolder();
  folder = made.path;
  repository = await createRepository(join(folder, "fleet"));
  await mkdir(join(folder, "bin"));
  // It records its command and the limit of a file, waits while there is a file `hold`, and becomes git.
  const lines = [
    "#!/bin/sh",
    `echo "$(ulimit -f) $*" >> '${folder}/ran'`,
    `case "$*" in *" ls-remote "*) while [ -e '${folder}/hold' ]; do sleep 0.05; done;; esac`,
    'PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"',
  ];
  await writeFile(join(folder, "bin", "git"), `${lines.join("\n")}\n`);
  await chmod(join(folder, "bin", "git"), 0o755);
  return made.remove;
});

async function open(options: Partial<NativeEngineOptions> = {}): Promise<GitEngine> {
  const address = { kind: "local", url: "/fleet", path: repository.path } as const;
  const searchPath = `${join(folder, "bin")}:/usr/local/bin:/usr/bin:/bin`;
  const given = { address, cacheDir: join(folder, "cache"), random: realRandom, searchPath, ...options };
  const engine = await openNativeEngine(given);
  onTestFinished(() => engine.close());
  return engine;
}

/** What git ran with one of its commands. */
async function runsOf(command: string): Promise<string[]> {
  const text = await readFile(join(folder, "ran"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line.includes(` ${command} `));
}

const author = { name: "Rollcall", email: "rollcall@example.org" };
const draft = { changes: new Map([["s", "of status"]]), message: "m\n", author, committedAtMs: 1_800_000_000_000 };

describe("the native engine", () => {
  it("takes its folder, and leaves it when it is closed or was not opened", async () => {
    const elsewhere = { kind: "local", url: "/none", path: join(folder, "none") } as const;
    await expect(open({ address: elsewhere })).rejects.toMatchObject({ code: "E_GIT_FOLDER" });
    const engine = await open();
    await expect(open()).rejects.toMatchObject({ code: "E_DIR_LOCKED" });
    await engine.close();
    expect(await (await open()).fetchHead("main")).toBeUndefined();
  });

  it("ends what it was asked for before it is closed", async () => {
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await writeFile(join(folder, "hold"), "");
    const order: string[] = [];
    const fetched = engine.fetchHead("main").then((head) => order.push(`fetched ${head}`));
    await expect.poll(() => runsOf("ls-remote")).toHaveLength(1);
    const closed = engine.close().then(() => order.push("closed"));
    await rm(join(folder, "hold"));
    await Promise.all([fetched, closed]);
    expect(order).toEqual([`fetched ${id}`, "closed"]);
  });

  it("A57 runs git within the given limits", async () => {
    await repository.commit({ files: { a: "1" } });
    const engine = await open({ processLimits: { fileBytes: 4 * 1024 ** 2 } });
    await engine.fetchHead("main");
    for (const command of ["ls-remote", "fetch"])
      expect(
        (await runsOf(command)).map((line) => line.split(" ")[0]),
        command,
      ).toEqual(["8192"]);
  });

  it("fetches nothing that it has pushed or moved itself", async () => {
    const [older, head] = [
      await repository.commit({ files: { a: "1" } }),
      await repository.commit({ files: { a: "2" } }),
    ];
    const engine = await open();
    await engine.fetchHead("main");
    const fetches = await runsOf("fetch");
    const pushed = await engine.commitAndPush({ ...draft, branch: "main", parent: head });
    expect(await engine.fetchHead("main")).toBe(pushed);
    await engine.moveBranch({ branch: "main", from: pushed, to: older });
    expect(await engine.fetchHead("main")).toBe(older);
    await engine.moveBranch({ branch: "main", from: older, to: older });
    expect(await runsOf("fetch")).toEqual(fetches);
    expect(await runsOf("push")).toHaveLength(2);
    expect(await repository.head("main")).toBe(older);
  });

  it("makes the first commit, and deletes a branch, without a copy", async () => {
    const first = await (await open()).commitAndPush({ ...draft, branch: "status", parent: undefined });
    expect(await repository.head("status")).toBe(first);
    const other = await open({ cacheDir: join(folder, "other") });
    const wrong = "1".repeat(40);
    await expect(other.deleteBranch("status", wrong)).rejects.toMatchObject({
      code: "E_GIT_PUSH_RACE",
      data: { expected: wrong, actual: first },
    });
    for (const _time of [1, 2]) await other.deleteBranch("status", first);
    expect(await repository.head("status")).toBeUndefined();
  });

  it("empties a copy in which a read found damage, at the next fetch", async () => {
    const id = await repository.commit({ files: { a: "1" } });
    const engine = await open();
    await engine.fetchHead("main");
    const status = await engine.commitAndPush({ ...draft, branch: "status", parent: undefined });
    const blob = (await repository.git("rev-parse", `${status}:s`)).trim();
    const loose = join(folder, "cache/repository.git/objects", blob.slice(0, 2), blob.slice(2));
    await chmod(loose, 0o644);
    await writeFile(loose, await readFile(join(repository.path, "objects", id.slice(0, 2), id.slice(2))));
    await expect(engine.readBlob(blob)).rejects.toMatchObject({ code: "E_GIT_CORRUPT" });
    expect(await engine.fetchHead("status")).toBe(status);
    expect(Buffer.from(await engine.readBlob(blob)).toString()).toBe("of status");
  });

  const endsSilently = "read ssh://git@127.0.0.1/fleet.git: the connection ended without a reason";
  const advice = "Please make sure you have the correct access rights\nand the repository exists.";
  const unreachable = { code: "E_GIT_REMOTE", recovery: "transient", data: { reason: "unreachable" } };
  it.each([
    ["is not reached", "ssh: connect to host 127.0.0.1 port 22: Connection refused", 255, unreachable],
    ["takes the connection and never answers", "Connection timed out during banner exchange", 255, unreachable],
    ["ends the connection without a word", "", 255, { ...unreachable, message: endsSilently }],
    ["refuses the key", "git@127.0.0.1: Permission denied (publickey).", 255, { code: "E_GIT_AUTH" }],
    ["has no such repository", "ERROR: no repository", 1, { code: "E_GIT_REMOTE", data: { reason: "repository" } }],
  ])("names why a server %s by ssh, and removes the key when it is closed", async (_what, words, exitCode, error) => {
    for (const [name, code] of [["git", 128] as const, ["ssh", exitCode] as const]) {
      await writeFile(
        join(folder, "bin", name),
        `#!/bin/sh\ncat >&2 <<END\n${words}\nfatal: Could not read from remote repository.\n\n${advice}\nEND\nexit ${code}\n`,
      );
      await chmod(join(folder, "bin", name), 0o755);
    }
    const address = { kind: "ssh", url: "ssh://git@127.0.0.1/fleet.git", host: "127.0.0.1" } as const;
    const engine = await open({ address, ssh: async () => ({ identity: "key", knownHosts: "hosts" }) });
    const message = expect.not.stringContaining("Please make sure") as unknown;
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ recovery: "stalled", message, ...error });
    expect((await readdir(join(folder, "cache", "ssh"))).sort()).toEqual(["identity", "known_hosts"]);
    await engine.close();
    expect(await readdir(join(folder, "cache"))).not.toContain("ssh");
  });
});
