import { describe, expect, it } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { packCounts, setUpHttp } from "./http-fixture.ts";
import type { HttpFixture } from "./http-fixture.ts";

const mebibyte = 1024 ** 2;
const clusterFile = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: a\n";

/** A repository of one file that is ours and a large one, which is not needed. */
async function commitBoth({ repository }: HttpFixture, largeBytes: number): Promise<string> {
  const image = { content: Buffer.alloc(largeBytes, "0123456789abcdef") };
  return repository.commit({ files: { "clusters/a.yaml": clusterFile, "images/disk.img": image } });
}

async function readFile(engine: GitEngine, commitId: string, path: string): Promise<string> {
  const [file] = await engine.listFiles(commitId, [path]);
  return Buffer.from(await engine.readBlob(file?.blobId ?? "", { maximumBytes: 256 * 1024 })).toString();
}

const settings: readonly {
  readonly server: string;
  readonly isVersion2: boolean;
  readonly config: string[][];
  readonly mebibytes?: number;
}[] = [
  { server: "that leaves nothing out", isVersion2: true, config: [], mebibytes: 100 },
  { server: "that leaves nothing out, in version 1", isVersion2: false, config: [] },
  { server: "that leaves large files out", isVersion2: true, config: [["uploadpack.allowFilter", "true"]] },
  {
    server: "that leaves large files out, in version 1",
    isVersion2: false,
    config: [["uploadpack.allowFilter", "true"]],
  },
  {
    server: "that offers it and refuses",
    isVersion2: true,
    config: [
      ["uploadpack.allowFilter", "true"],
      ["uploadpackfilter.blob:limit.allow", "false"],
    ],
  },
];

describe("a repository with a file of 40 or 100 MiB", () => {
  it.each(settings)(
    "A57 is read from a server $server, the large file excepted",
    async ({ isVersion2, config, mebibytes = 40 }) => {
      const fixture = await setUpHttp({ isVersion2 });
      for (const setting of config) await fixture.repository.git("config", ...setting);
      const first = await commitBoth(fixture, mebibytes * mebibyte);
      const engine = await fixture.open();
      expect(await engine.fetchHead("main")).toBe(first);
      expect((await engine.listFiles(first)).map(({ path }) => path)).toEqual(["clusters/a.yaml", "images/disk.img"]);
      expect(await readFile(engine, first, "clusters/a.yaml")).toBe(clusterFile);
      const tooLarge = { code: "E_FILE_TOO_LARGE" };
      await expect(readFile(engine, first, "images/disk.img")).rejects.toMatchObject(tooLarge);
      await engine.close();
      // What is left out stays left out after a restart, and takes nothing from what comes after it.
      const again = await fixture.open();
      const second = await fixture.repository.commit({ files: { "clusters/b.yaml": "b", "images/disk.img": "small" } });
      expect(await again.fetchHead("main")).toBe(second);
      expect(await readFile(again, second, "clusters/a.yaml")).toBe(clusterFile);
      expect(await readFile(again, second, "images/disk.img")).toBe("small");
      await expect(readFile(again, first, "images/disk.img")).rejects.toMatchObject(tooLarge);
      expect(await packCounts(fixture.packFolder)).toHaveLength(2);
    },
  );

  it("A57 asks for no byte of it where the server leaves it out", async () => {
    const fixture = await setUpHttp();
    await fixture.repository.git("config", "uploadpack.allowFilter", "true");
    const head = await commitBoth(fixture, 40 * mebibyte);
    const engine = await fixture.open({ maximumPackBytes: 2000 });
    expect(await engine.fetchHead("main")).toBe(head);
  });

  it("A57 still misses an object that was never there", async () => {
    const fixture = await setUpHttp();
    await fixture.repository.commit({ files: { "a.yaml": "a" } });
    const engine = await fixture.open();
    await engine.fetchHead("main");
    await expect(engine.readBlob("aa".padStart(40, "0"))).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
  });
});
