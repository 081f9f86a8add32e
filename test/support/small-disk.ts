import { execFile } from "node:child_process";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A file system that a test can fill. */
export interface SmallDisk {
  readonly path: string;
  /** Uses up all that is left. */
  fill(): Promise<void>;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
  remove(): Promise<void>;
}

/** Mounts a file system in memory; undefined where this process may not mount. */
export async function mountSmallDisk(path: string, sizeKiB: number): Promise<SmallDisk | undefined> {
  await mkdir(path, { recursive: true });
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${sizeKiB}k`, "tmpfs", path]);
  } catch {
    return undefined; // no root, or no mount program: the caller skips its test and reports it
  }
  const filler = join(path, "filler");
  return {
    path,
    fill: async () => {
      // Until it takes nothing more: the last blocks go one by one.
      for (const bytes of [64 * 1024, 4096, 1]) {
        for (;;) {
          const sizeBytes = await sizeOf(filler);
          try {
            await writeFile(filler, Buffer.alloc(bytes), { flag: "a" });
          } catch {
            break; // full
          }
          if ((await sizeOf(filler)) === sizeBytes) break;
        }
      }
    },
    free: () => rm(filler, { force: true }),
    remove: async () => {
      await run("umount", ["-l", path]);
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0; // not made yet
  }
}
