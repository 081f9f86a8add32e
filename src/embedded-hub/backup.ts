// A backup of an embedded hub is one file: its keys and certificates, and a snapshot of what it holds.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import { parseJson } from "../core/parse-json.ts";
import { numberAt, objectAt, textAt } from "../core/read-json.ts";
import { refuseNewer } from "../core/refuse-newer.ts";
import { silentLog } from "../core/log.ts";
import { openLevelPersistence } from "./store/level-persistence.ts";
import { openStore } from "./store/open-store.ts";
import { encodeSnapshot, restoreSnapshot } from "./store/snapshot.ts";

/** Where a running hub answers with a snapshot of its store, for who has the right to `get` this path: administrators. */
export const snapshotPath = "/rollcall/snapshot";

const digestBytes = 32;
const pkiFolder = "pki";
const storeFolder = "store";

/**
 * The snapshot of a hub that does not run.
 * @throws E_DIR_LOCKED while it runs: then it answers `snapshotPath`
 */
export async function snapshotOfStopped(dir: string, owner: string): Promise<Buffer> {
  const persistence = await openLevelPersistence({ dir: join(dir, storeFolder), owner });
  const store = await openStore({ persistence, log: silentLog });
  try {
    return encodeSnapshot(store);
  } finally {
    await store.close();
  }
}

/** A backup of the hub in `dir`, of which `snapshot` was taken. It contains every secret of the hub. */
export async function makeBackup(dir: string, snapshot: Buffer): Promise<Buffer> {
  const files: Record<string, string> = {};
  for (const name of (await readdir(join(dir, pkiFolder))).sort())
    files[name] = (await readFile(join(dir, pkiFolder, name))).toString("base64");
  const head = Buffer.from(`${JSON.stringify({ kind: "RollcallHubBackup", format: 1, files })}\n`);
  const body = Buffer.concat([head, snapshot]);
  return Buffer.concat([body, digestOf(body)]);
}

/**
 * Makes a hub's folder from a backup: the same authority, the same objects. `dir` must not hold a hub. It is made beside
 * `dir`, as `dir.restoring`, and is there all at once: a restore that was cut off is simply done again. Two at a time for
 * one folder are not for this.
 * @throws E_STORE_DAMAGED, E_STORE_VERSION, before anything is written; E_USAGE when there is a hub
 */
export async function restoreBackup(dir: string, backup: Buffer, owner: string): Promise<void> {
  const { files, snapshot } = readBackup(backup);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const there = await readdir(dir);
  if (there.length > 0) throw new AppError("E_USAGE", `restore a hub into ${dir}: the folder is not empty`);
  const made = `${resolve(dir)}.restoring`;
  await rm(made, { recursive: true, force: true });
  try {
    await mkdir(made, { mode: 0o700 });
    const persistence = await openLevelPersistence({ dir: join(made, storeFolder), owner });
    await restoreSnapshot(persistence, snapshot);
    await mkdir(join(made, pkiFolder), { mode: 0o700 });
    for (const [name, content] of files)
      await writeFile(join(made, pkiFolder, name), content, { mode: 0o600, flush: true });
    // Takes the place of the empty folder.
    await rename(made, dir);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

function readBackup(backup: Buffer): { readonly files: ReadonlyMap<string, Buffer>; readonly snapshot: Buffer } {
  const body = backup.subarray(0, Math.max(0, backup.length - digestBytes));
  if (!digestOf(body).equals(backup.subarray(body.length))) throw damaged("its checksum is wrong");
  const headEnd = body.indexOf(10);
  const head = parseJson(body.toString("utf8", 0, Math.max(0, headEnd)));
  if (head === undefined) throw damaged("its head is no JSON");
  if (textAt(head, "kind") !== "RollcallHubBackup") throw damaged("it is no backup of a hub");
  refuseNewer("read the backup", { format: numberAt(head, "format"), known: 1 });
  const files = Object.entries(objectAt(head, "files") ?? {}).map(([name, text]): [string, Buffer] => {
    if (typeof text !== "string" || !/^[\w.-]+$/u.test(name) || name.startsWith(".")) throw damaged(`it names ${name}`);
    return [name, Buffer.from(text, "base64")];
  });
  return { files: new Map(files), snapshot: body.subarray(headEnd + 1) };
}

function digestOf(body: Buffer): Buffer {
  return createHash("sha256").update(body).digest();
}

function damaged(reason: string): AppError {
  return new AppError("E_STORE_DAMAGED", `read the backup: ${reason}`);
}
