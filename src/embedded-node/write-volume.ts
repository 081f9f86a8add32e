import { lstat, mkdir, readdir, readlink, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { digestJson } from "../core/digest.ts";

export interface VolumeFile {
  readonly content: Buffer;
  /** As declared: of it, the bits of the owner count. */
  readonly mode: number;
}

/** By relative path. */
export type VolumeFiles = Readonly<Record<string, VolumeFile>>;

/**
 * Makes `files` the whole content of a folder in one step: readers see the old files or the new ones, never a mixture.
 * As kubelets do, the visible names are links into `..data`, a link that is replaced by rename. No file and no folder
 * is for other users of the machine. Source: Kubernetes, pkg/volume/util/atomic_writer.go (the layout that programs watch for).
 */
export async function writeVolume(folder: string, files: VolumeFiles): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const version = `..${digestOf(files)}`;
  const names = new Set(Object.keys(files).map((path) => path.split("/")[0] ?? path));
  const old = await readlink(join(folder, "..data")).catch(() => undefined); // none yet
  // A process may have ended before it made the links.
  if (old === version) return linkNames(folder, names);
  const versionFolder = join(folder, version);
  await rm(versionFolder, { recursive: true, force: true });
  await mkdir(versionFolder, { mode: 0o700 });
  for (const [path, { content, mode }] of Object.entries(files)) {
    const file = join(versionFolder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: mode & 0o700 });
  }
  await symlink(version, join(folder, "..data_tmp")).catch(async () => {
    await unlink(join(folder, "..data_tmp")); // left by a process that ended here
    await symlink(version, join(folder, "..data_tmp"));
  });
  await rename(join(folder, "..data_tmp"), join(folder, "..data"));
  await linkNames(folder, names);
  if (old !== undefined) await rm(join(folder, old), { recursive: true, force: true });
}

/** True for a path that stays inside its folder and does not touch the writer's own names. */
export function isVolumePath(path: string): boolean {
  const parts = path.split("/");
  return !path.startsWith("/") && !path.startsWith("..") && !parts.includes("..") && !parts.includes("");
}

async function linkNames(folder: string, names: ReadonlySet<string>): Promise<void> {
  const present = (await readdir(folder)).filter((name) => !name.startsWith(".."));
  for (const name of present) {
    if (!names.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
  for (const name of names) {
    const isThere = await lstat(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (!isThere) await symlink(join("..data", name), join(folder, name));
  }
}

function digestOf(files: VolumeFiles): string {
  const texts = Object.entries(files).map(([path, { content, mode }]) => [path, [mode, content.toString("base64")]]);
  return digestJson(Object.fromEntries(texts)).slice(0, 16);
}
