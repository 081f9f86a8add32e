import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256Hex } from "../core/digest.ts";
import { parseJson } from "../core/parse-json.ts";
import { isInWorkTree } from "./in-work-tree.ts";
import { makeFolder } from "./make-folder.ts";
import { readOwnFile } from "./own-file.ts";
import { writeFileAtomically } from "./write-file-atomically.ts";

/** JSON values that one command keeps for later ones. They may be deleted at any time. */
export interface KeptValues {
  /** The value written under this key; undefined when there is none, or another user or a commit may have written it. */
  read(key: string): Promise<unknown>;
  /** A folder that cannot be written costs only the time of the next command. */
  write(key: string, value: object): Promise<void>;
}

/** Where values are kept, for which program, and how much of them. */
export interface KeptValuesOptions {
  /** Made when something is written. Only this user may read it. In a work tree of git, nothing is read or written. */
  readonly folder: string;
  /** Another program of this name reads none of the values. */
  readonly program: string;
  /** Values beyond these are not kept, the oldest first. Default 16. */
  readonly mostValues?: number;
  /** A larger value is not kept. Default 4 MiB. */
  readonly mostBytes?: number;
}

const fileName = /^[0-9a-f]{64}\.json$/u;

/** A file for each value: the digest of the rest and of the key in its first line, then the value. */
export function openKeptValues(options: KeptValuesOptions): KeptValues {
  const { folder, program, mostValues = 16, mostBytes = 4 * 1024 * 1024 } = options;
  const nameOf = (key: string): string => JSON.stringify([program, key]);
  const pathOf = (key: string): string => join(folder, `${sha256Hex(nameOf(key))}.json`);
  return {
    async read(key) {
      if (isInWorkTree(folder)) return undefined;
      const bytes = await readOwnFile(pathOf(key), mostBytes);
      return bytes && valueOf(bytes.toString("utf8"), nameOf(key));
    },
    async write(key, value) {
      if (isInWorkTree(folder)) return;
      const body = JSON.stringify(value);
      const content = `${sha256Hex(nameOf(key) + body)}\n${body}`;
      if (Buffer.byteLength(content) > mostBytes) return;
      const path = pathOf(key);
      try {
        await makeFolder(folder, 0o700);
        await writeFileAtomically(path, content);
        await removeOldest(folder, mostValues);
      } catch {
        // No room, or no right to write there: the next command works without it.
      }
    },
  };
}

/** Undefined for a file that is damaged, or that was made for another key. */
function valueOf(content: string, name: string): unknown {
  const lineEnd = content.indexOf("\n");
  const body = content.slice(lineEnd + 1);
  return sha256Hex(name + body) === content.slice(0, lineEnd) ? parseJson(body) : undefined;
}

async function removeOldest(folder: string, mostValues: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name));
  const times = await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).mtimeMs] as const));
  const newestFirst = [...times].sort((a, b) => b[1] - a[1]);
  for (const [name] of newestFirst.slice(mostValues)) await rm(join(folder, name), { force: true });
}
