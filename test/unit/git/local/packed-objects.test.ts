import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync, chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { objectIdOf } from "../../../../src/git/objects/git-object.ts";
import { openPackedObjects } from "../../../../src/git/local/packed-objects.ts";
import { makeTempFolder, runGit } from "../../../support/git-repositories.ts";

let folder: { path: string; remove: () => Promise<void> };
let dir: string;
let gitdir: string;

beforeEach(async () => {
  folder = await makeTempFolder();
  dir = join(folder.path, "tree");
  gitdir = join(dir, ".git");
  await runGit(folder.path, ["init", "-q", "-b", "main", dir]);
});
afterEach(() => folder.remove());

/** Versions of one long file and many short ones, so that native git makes deltas of several steps. */
async function commitVersions(count: number): Promise<void> {
  const lines = Array.from({ length: 2000 }, (_, line) => `line ${line} ${(line * 7919) % 1013}`);
  mkdirSync(join(dir, "clusters"));
  for (let version = 0; version < count; version += 1) {
    lines[version * 13] = `changed in version ${version}`;
    writeFileSync(join(dir, "long.yaml"), lines.join("\n"));
    for (let file = 0; file < 20; file += 1)
      writeFileSync(join(dir, `clusters/c-${file}.yaml`), `${version} ${file}\n`);
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "-m", `version ${version}`]);
  }
}

async function listObjects(): Promise<{ id: string; type: string }[]> {
  const text = await runGit(dir, ["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"]);
  return String(text)
    .trim()
    .split("\n")
    .map((line) => ({ id: line.slice(0, 40), type: line.slice(41) }));
}

function packFiles(ending: string): string[] {
  const packs = join(gitdir, "objects/pack");
  return readdirSync(packs).flatMap((name) => (name.endsWith(ending) ? [join(packs, name)] : []));
}

describe("openPackedObjects", () => {
  it.each([
    { form: "deltas that name the place of their base", options: ["-c", "repack.useDeltaBaseOffset=true"] },
    { form: "deltas that name their base by its id", options: ["-c", "repack.useDeltaBaseOffset=false"] },
  ])("reads every object of a pack with $form", async ({ options }) => {
    await commitVersions(8);
    await runGit(dir, [...options, "repack", "-q", "-a", "-d", "-f", "--depth=50"]);
    const objects = await listObjects();
    expect(objects.length).toBeGreaterThan(180);
    const packed = openPackedObjects([gitdir]);
    for (const { id, type } of objects) {
      const object = await packed.read(id);
      expect(object?.type).toBe(type);
      expect(object && objectIdOf(object.type, object.content, "sha1")).toBe(id);
    }
  });

  it("reads a blob that cannot be compressed, at the end of a window and over several", async () => {
    const noise = createHash("shake256", { outputLength: 700_000 }).digest();
    for (const size of [1, 255_900, 262_144, 700_000]) writeFileSync(join(dir, `f-${size}`), noise.subarray(0, size));
    await runGit(dir, ["add", "-A"]);
    await runGit(dir, ["commit", "-q", "-m", "noise"]);
    await runGit(dir, ["repack", "-q", "-a", "-d", "--window=0"]);
    const packed = openPackedObjects([gitdir]);
    for (const { id } of await listObjects()) {
      const object = await packed.read(id);
      expect(object && objectIdOf(object.type, object.content, "sha1")).toBe(id);
    }
  });

  it("does not have what is in no pack, and finds a new pack once it forgets", async () => {
    await commitVersions(1);
    const [first] = await listObjects();
    const packed = openPackedObjects([gitdir]);
    expect(await packed.read(first?.id ?? "")).toBeUndefined();
    await runGit(dir, ["repack", "-q", "-a", "-d"]);
    expect(await packed.read(first?.id ?? "")).toBeUndefined();
    packed.forget();
    expect(await packed.read(first?.id ?? "")).toBeDefined();
  });

  it("leaves a damaged, a cut and a missing pack, and an index of another form, to other readers", async () => {
    await commitVersions(2);
    await runGit(dir, ["repack", "-q", "-a", "-d"]);
    const ids = (await listObjects()).map(({ id }) => id);
    const [pack = ""] = packFiles(".pack");
    const [index = ""] = packFiles(".idx");
    for (const path of [pack, index]) chmodSync(path, 0o644);
    const whole = readFileSync(pack);
    const rightIndex = readFileSync(index);
    const readAll = async (): Promise<number> => {
      const packed = openPackedObjects([gitdir]);
      let right = 0;
      for (const id of ids) {
        const object = await packed.read(id);
        if (object && objectIdOf(object.type, object.content, "sha1") === id) right += 1;
      }
      return right;
    };
    expect(await readAll()).toBe(ids.length);
    writeFileSync(pack, whole.subarray(0, whole.length / 2));
    expect(await readAll()).toBeLessThan(ids.length);
    writeFileSync(pack, Buffer.concat([whole.subarray(0, 12), Buffer.alloc(whole.length - 12, 0xff)]));
    expect(await readAll()).toBe(0);
    writeFileSync(pack, "");
    expect(await readAll()).toBe(0);
    writeFileSync(pack, whole);
    for (const damaged of [Buffer.alloc(0), rightIndex.subarray(0, 1100), Buffer.alloc(rightIndex.length)]) {
      writeFileSync(index, damaged);
      expect(await readAll()).toBe(0);
    }
  });
});
