import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";

/** One file of a commit; without `file` it is removed. */
export interface LooseChange {
  readonly path: string;
  readonly file?: { readonly mode: string; readonly content: string | Uint8Array };
}

/** A folder of a tree. Its entries are read when they are first needed; `id` goes when one of them changes. */
interface Folder {
  id: string | undefined;
  entries: Map<string, Entry> | undefined;
}
type Entry = Folder | { readonly mode: string; readonly id: string };

const isFolder = (entry: Entry | undefined): entry is Folder => entry !== undefined && "entries" in entry;

/**
 * The objects and branches of a bare folder of SHA-1, as git writes them without a pack. It reads loose objects alone, and throws
 * where git has packed one: then git itself has to do the work.
 */
export class LooseFolder {
  readonly #folder: string;
  #writeCount = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A tree with these changes over that of a commit; without one over nothing. */
  async writeTree(commit: string | undefined, changes: readonly LooseChange[]): Promise<string> {
    const text = commit === undefined ? "" : (await this.#read(commit)).toString("latin1");
    const root: Folder = { id: /^tree ([0-9a-f]{40})$/mu.exec(text)?.[1], entries: undefined };
    for (const { path, file } of changes) {
      const names = path.split("/");
      const entry = file && {
        mode: file.mode,
        id: file.mode === "160000" ? String(file.content) : await this.write("blob", Buffer.from(file.content)),
      };
      await this.#place(root, names, entry);
    }
    return (await this.#writeFolder(root)) ?? (await this.write("tree", Buffer.alloc(0)));
  }

  /** Resolves with the id. An object that is there stays. */
  async write(type: "blob" | "tree" | "commit", content: Uint8Array): Promise<string> {
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.byteLength}\0`), content]);
    const id = createHash("sha1").update(bytes).digest("hex");
    const path = this.#pathOf(id);
    if (await isThere(path)) return id;
    await mkdir(dirname(path), { recursive: true });
    const unfinished = join(this.#folder, "objects", `tmp_${id}_${this.#writeCount++}`);
    await writeFile(unfinished, deflateSync(bytes, { level: 1 }), { mode: 0o444 });
    await rename(unfinished, path);
    return id;
  }

  /** Moves a branch as git does: through a lock, so that who watches the folder sees it. */
  async moveBranch(branch: string, id: string): Promise<void> {
    const path = join(this.#folder, "refs/heads", branch);
    await mkdir(dirname(path), { recursive: true });
    const lock = await open(`${path}.lock`, "wx");
    await lock.writeFile(`${id}\n`);
    await lock.close();
    await rename(`${path}.lock`, path);
  }

  async #place(root: Folder, names: readonly string[], entry: Entry | undefined): Promise<void> {
    let folder = root;
    for (const name of names.slice(0, -1)) {
      const entries = await this.#entriesOf(folder);
      let next = entries.get(name);
      if (!isFolder(next)) {
        if (entry === undefined) return;
        next = { id: undefined, entries: new Map() };
        entries.set(name, next);
      }
      folder.id = undefined;
      folder = next;
    }
    const entries = await this.#entriesOf(folder);
    folder.id = undefined;
    if (entry === undefined) entries.delete(names.at(-1) ?? "");
    else entries.set(names.at(-1) ?? "", entry);
  }

  async #entriesOf(folder: Folder): Promise<Map<string, Entry>> {
    folder.entries ??= folder.id === undefined ? new Map() : readEntries(await this.#read(folder.id));
    return folder.entries;
  }

  /** Undefined for a folder that is left empty: git keeps none. */
  async #writeFolder(folder: Folder): Promise<string | undefined> {
    if (folder.id !== undefined) return folder.id;
    const parts: { readonly key: Buffer; readonly bytes: Buffer }[] = [];
    for (const [name, entry] of folder.entries ?? []) {
      const id = isFolder(entry) ? await this.#writeFolder(entry) : entry.id;
      if (id === undefined) continue;
      const mode = isFolder(entry) ? "40000" : entry.mode;
      const head = Buffer.from(`${mode} ${name}\0`);
      // Git orders a folder as if its name ended with a slash.
      const key = Buffer.from(isFolder(entry) ? `${name}/` : name);
      parts.push({ key, bytes: Buffer.concat([head, Buffer.from(id, "hex")]) });
    }
    if (parts.length === 0) return undefined;
    parts.sort((left, right) => left.key.compare(right.key));
    return this.write("tree", Buffer.concat(parts.map(({ bytes }) => bytes)));
  }

  async #read(id: string): Promise<Buffer> {
    const bytes = inflateSync(await readFile(this.#pathOf(id)));
    return bytes.subarray(bytes.indexOf(0) + 1);
  }

  #pathOf(id: string): string {
    return join(this.#folder, "objects", id.slice(0, 2), id.slice(2));
  }
}

function readEntries(tree: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < tree.byteLength;) {
    const end = tree.indexOf(0, at);
    const text = tree.toString("utf8", at, end);
    if (text.includes("\ufffd")) throw new Error("a name is not UTF-8");
    const [mode = "", ...name] = text.split(" ");
    const id = tree.toString("hex", end + 1, end + 21);
    entries.set(name.join(" "), mode === "40000" ? { id, entries: undefined } : { mode, id });
    at = end + 21;
  }
  return entries;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
