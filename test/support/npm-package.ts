import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** What `npm pack` lists of a package. */
export interface PackedPackage {
  readonly path: string;
  /** Of the archive, compressed. */
  readonly sizeBytes: number;
  /** Of all files. */
  readonly unpackedBytes: number;
  readonly files: readonly string[];
}

/** Packs what was built last into `folder`, as a release does; nothing is built and nothing is downloaded. */
export async function packPackage(folder: string): Promise<PackedPackage> {
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
    maxBuffer: 16 << 20,
  });
  const [packed] = JSON.parse(stdout) as [
    { filename: string; size: number; unpackedSize: number; files: readonly { readonly path: string }[] },
  ];
  return {
    path: join(folder, packed.filename),
    sizeBytes: packed.size,
    unpackedBytes: packed.unpackedSize,
    files: packed.files.map(({ path }) => path),
  };
}

/** Installs a package for all, without a registry and with an empty cache. Resolves with what npm printed. */
export async function installPackage(path: string, folder: string): Promise<string> {
  const prefix = join(folder, "prefix");
  const flags = ["--global", "--offline", "--prefix", prefix, "--cache", join(folder, "cache")];
  const { stdout, stderr } = await run("npm", ["install", ...flags, "--no-audit", "--no-fund", path], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
  });
  return stdout + stderr;
}
