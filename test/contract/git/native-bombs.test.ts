import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { openNativeEngine } from "../../../src/git/engine/native-engine.ts";
import type { ProcessLimits } from "../../../src/git/engine/native-git.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { parseRemoteUrl } from "../../../src/git/wire/remote-url.ts";
import { entryHead, packOf } from "../../support/git-packs.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { measureLoop } from "../../support/measure-loop.ts";
import { realRandom } from "../../support/real-time.ts";

const mebibyte = 1024 ** 2;

interface Fixture {
  readonly repository: TestRepository;
  readonly cacheDir: string;
  readonly open: (processLimits?: ProcessLimits) => Promise<GitEngine>;
}

async function setUp(): Promise<Fixture> {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  const repository = await createRepository(join(folder, "fleet.git"));
  const server = await startGitHttpServer({ root: folder });
  onTestFinished(() => server.close());
  const cacheDir = join(folder, "cache");
  const open = async (processLimits?: ProcessLimits): Promise<GitEngine> => {
    const address = parseRemoteUrl(server.urlOf("fleet.git"), { isLocalAllowed: true });
    const limits = processLimits ? { processLimits } : {};
    const engine = await openNativeEngine({ address, cacheDir, random: realRandom, ...limits });
    onTestFinished(() => engine.close());
    return engine;
  };
  return { repository, cacheDir, open };
}

async function filesOfPacks(cacheDir: string): Promise<string[]> {
  return readdir(join(cacheDir, "repository.git", "objects", "pack"));
}

/** Gives a repository a blob of so many MiB of zeros that is stored as a delta of some hundred bytes, and a commit with it. */
async function plantDelta(repository: TestRepository, mebibytes: number): Promise<void> {
  const base = Buffer.alloc(8 * mebibyte);
  const delta = Buffer.from([
    ...varint(base.length),
    ...varint(mebibytes * mebibyte),
    // From the base's start, 8 MiB each.
    ...Array.from({ length: mebibytes / 8 }, () => [0xc0, 0x80]).flat(),
  ]);
  const whole = Buffer.concat([entryHead(3, base.length), deflateSync(base)]);
  const onIt = Buffer.concat([entryHead(6, delta.length), offsetOf(whole.length), deflateSync(delta)]);
  await repository.gitWithInput(packOf([whole, onIt]), "index-pack", "--stdin");
  const ids = (
    await repository.git("cat-file", "--batch-all-objects", "--batch-check=%(objectsize) %(objectname)")
  ).split("\n");
  const idOf = (sizeBytes: number): string => ids.find((line) => line.startsWith(`${sizeBytes} `))?.split(" ")[1] ?? "";
  // With its base, so that the server sends the delta as it is.
  const files = `100644 blob ${idOf(base.length)}\tbase\n100644 blob ${idOf(mebibytes * mebibyte)}\tbomb\n`;
  const tree = (await repository.gitWithInput(files, "mktree")).trim();
  const commit = (await repository.git("commit-tree", "-m", "bomb", tree)).trim();
  await repository.git("update-ref", "refs/heads/main", commit);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [128 | (value & 127), ...varint(Math.floor(value / 128))];
}

function offsetOf(distance: number): Buffer {
  const bytes = [distance & 127];
  for (let rest = distance >> 7; rest > 0; rest >>= 7) bytes.unshift(((rest -= 1) & 127) | 128);
  return Buffer.from(bytes);
}

describe("native git and a server that sends too much", () => {
  it("A57 ends at its limit of memory, by a delta of some hundred bytes, and leaves nothing behind", async () => {
    const { repository, cacheDir, open } = await setUp();
    await plantDelta(repository, 256);
    const engine = await open({ memoryBytes: 96 * mebibyte });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    expect(await filesOfPacks(cacheDir)).toEqual([]);
  });

  it("A57 ends at its limit of processor time", async () => {
    const { repository, cacheDir, open } = await setUp();
    await plantDelta(repository, 640);
    const engine = await open({ cpuSeconds: 1 });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    expect(await filesOfPacks(cacheDir)).toEqual([]);
  });

  it("A57 ends at its limit of a pack, and fetches what is smaller", async () => {
    const { repository, cacheDir, open } = await setUp();
    const noise = Buffer.concat(Array.from({ length: 64 * 1024 }, () => realRandom.bytes(32)));
    await repository.commit({ files: { noise: { content: noise } } });
    const engine = await open({ fileBytes: mebibyte });
    await expect(engine.fetchHead("main")).rejects.toMatchObject({ code: "E_GIT_REMOTE" });
    expect(await filesOfPacks(cacheDir)).toEqual([]);
    const small = await repository.commit({ files: { a: "1" }, from: null });
    expect(await engine.fetchHead("main")).toBe(small);
  });

  it("A57 passes over a file of 128 MiB without reading it, and reads what was asked for after it", async () => {
    const { repository, open } = await setUp();
    await plantDelta(repository, 128);
    const head = await repository.commit({ files: { "a.yaml": "a" } });
    const engine = await open();
    expect(await engine.fetchHead("main")).toBe(head);
    const files = await engine.listFiles(head);
    const idOf = (path: string): string => files.find((file) => file.path === path)?.blobId ?? "";
    const maximumBytes = 256 * 1024;
    const { outcome, heldMiB } = await measureLoop(() =>
      Promise.allSettled([
        engine.readBlob(idOf("bomb"), { maximumBytes }),
        engine.readBlob(idOf("a.yaml"), { maximumBytes }),
      ]),
    );
    expect(outcome).toMatchObject([
      { reason: { code: "E_FILE_TOO_LARGE", data: { sizeBytes: 128 * mebibyte } } },
      { value: Buffer.from("a") },
    ]);
    expect(heldMiB).toBeLessThan(64);
  });
});
