import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { createRepository, makeTempFolder } from "./git-repositories.ts";
import type { TestFile, TestRepository } from "./git-repositories.ts";

/** The entries between a pack's head and its checksum. */
export function packOf(entries: readonly Buffer[]): Buffer {
  const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** A type and a size, as a pack has them before each object. Source: git, gitformat-pack(5). */
export function entryHead(typeCode: number, sizeBytes: number): Buffer {
  const bytes = [(typeCode << 4) | (sizeBytes & 15)];
  for (let rest = Math.floor(sizeBytes / 16); rest > 0; rest = Math.floor(rest / 128))
    bytes.push((bytes.pop() ?? 0) | 128, rest & 127);
  return Buffer.from(bytes);
}

/** Blobs of zeros, packed as badly as a server can: 16 MiB become forty blobs of 95 MiB. */
export function zeroBlobs(count: number, sizeBytes: number): Buffer {
  const entry = Buffer.concat([entryHead(3, sizeBytes), deflateSync(Buffer.alloc(sizeBytes), { level: 1 })]);
  return packOf(Array.from({ length: count }, () => entry));
}

/** What native git packs of a repository with so many files in folders of a hundred, of which each commit changes ten. */
export async function honestPack(fileCount: number, commitCount: number): Promise<Buffer> {
  const { path, remove } = await makeTempFolder();
  try {
    const repository = await createRepository(join(path, "fleet.git"));
    const files: Record<string, string | TestFile> = {};
    for (let index = 0; index < fileCount; index++) files[pathOf(index)] = clusterFile(index, "first");
    await repository.commit({ files });
    for (let commit = 1; commit < commitCount; commit++) {
      const changed: Record<string, string> = {};
      for (let count = 0; count < 10; count++) {
        const index = (commit * 7919 + count * 104_729) % fileCount;
        changed[pathOf(index)] = clusterFile(index, `change ${commit}`);
      }
      await repository.commit({ files: changed });
    }
    return (await repack(repository)).pack;
  } finally {
    await remove();
  }
}

/** All of a repository in one pack with deltas, made by native git with this setting, and git's own index of it. */
export async function repack(
  repository: TestRepository,
  setting = "repack.useDeltaBaseOffset=true",
): Promise<{ readonly pack: Buffer; readonly index: Buffer }> {
  await repository.git("-c", setting, "repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=20");
  const folder = join(repository.path, "objects", "pack");
  const name = (await readdir(folder)).find((file) => file.endsWith(".pack")) ?? "";
  const [pack, index] = await Promise.all(
    [name, name.replace(/pack$/u, "idx")].map((file) => readFile(join(folder, file))),
  );
  return { pack: pack ?? Buffer.alloc(0), index: index ?? Buffer.alloc(0) };
}

function pathOf(index: number): string {
  return `clusters/${Math.floor(index / 100)}/c${index}.yaml`;
}

function clusterFile(index: number, text: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: c${index}\n  labels:\n    region: r${index % 17}\nspec:\n  displayName: Cluster ${index}, ${text}\n`;
}
