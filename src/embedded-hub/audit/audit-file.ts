import { open, readdir, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../core/errors.ts";

export interface AuditFileOptions {
  readonly path: string;
  /** The file is renamed before it would be larger. */
  readonly maxBytes: number;
  /** Renamed files that stay; the oldest are removed. */
  readonly maxBackups: number;
  readonly nowMs: () => number;
  /** Lines are lost: the disk does not take them. */
  readonly onFailure: (error: unknown, lostLines: number) => void;
}

export interface AuditFile {
  /** Called in the order of the lines. Never throws. */
  readonly append: (line: string) => void;
  /** Undefined: there is room for further lines. Otherwise resolves when there is. */
  readonly whenRoomy: () => Promise<void> | undefined;
  /** Resolves when all lines are written. */
  readonly close: () => Promise<void>;
}

/** Bytes of lines that wait to be written: beyond them requests wait. */
const pendingLimitBytes = 16 * 1024 * 1024;

interface Current {
  handle: FileHandle;
  sizeBytes: number;
}

/** Opens a file that only its owner can read, to append lines. Throws E_DISK_WRITE when that is not possible. */
export async function openAuditFile(options: AuditFileOptions): Promise<AuditFile> {
  const current = await openCurrent(options.path);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    // Lines of one turn of the event loop are written together.
    await Promise.resolve();
    while (pending.length > 0) {
      const lines = pending;
      pending = [];
      await writeLines(options, current, lines).catch((error: unknown) => options.onFailure(error, lines.length));
      for (const { length } of lines) pendingBytes -= length;
    }
    writing = undefined;
  };
  return {
    append: (line) => {
      const bytes = Buffer.from(line, "utf8");
      pending.push(bytes);
      pendingBytes += bytes.length;
      writing ??= writeAll();
    },
    whenRoomy: () => (pendingBytes > pendingLimitBytes ? writing : undefined),
    close: async () => {
      await writing;
      await current.handle.close();
    },
  };
}

async function openCurrent(path: string): Promise<Current> {
  try {
    const handle = await open(path, "a", 0o600);
    return { handle, sizeBytes: (await handle.stat()).size };
  } catch (error) {
    throw new AppError(
      "E_DISK_WRITE",
      `write the audit log ${path}: ${String((error as NodeJS.ErrnoException).code)}`,
      {
        cause: error,
      },
    );
  }
}

async function writeLines(options: AuditFileOptions, current: Current, lines: readonly Buffer[]): Promise<void> {
  let batch: Buffer[] = [];
  let batchBytes = 0;
  const flush = async (): Promise<void> => {
    if (batchBytes === 0) return;
    await current.handle.appendFile(Buffer.concat(batch));
    current.sizeBytes += batchBytes;
    [batch, batchBytes] = [[], 0];
  };
  for (const line of lines) {
    const isFull = current.sizeBytes + batchBytes + line.length > options.maxBytes;
    if (isFull && current.sizeBytes + batchBytes > 0) {
      await flush();
      await rotate(options, current);
    }
    batch.push(line);
    batchBytes += line.length;
  }
  await flush();
}

/** Names as kube-apiserver gives them: `audit-2026-01-31T12-00-00.000.log` beside `audit.log`. */
async function rotate({ path, maxBackups, nowMs }: AuditFileOptions, current: Current): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const backups = (await readdir(folder)).filter((each) => isBackup(each, stem, extension)).sort();
  const newest = backups.at(-1);
  // A clock that was set back, or two files in one millisecond: names stay in the order of the files.
  const leastMs = newest === undefined ? 0 : timeOfStamp(newest.slice(stem.length + 1)) + 1;
  const backup = `${stem}-${stampOf(Math.max(nowMs(), leastMs))}${extension}`;
  await rename(path, join(folder, backup));
  const { handle } = current;
  Object.assign(current, await openCurrent(path));
  await handle.close();
  const excess = [...backups, backup].slice(0, Math.max(0, backups.length + 1 - maxBackups));
  for (const old of excess) await rm(join(folder, old), { force: true });
}

function stampOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, -1).replaceAll(":", "-");
}

/** Of a text that begins with a stamp. */
function timeOfStamp(text: string): number {
  return Date.parse(`${text.slice(0, 13)}:${text.slice(14, 16)}:${text.slice(17, 23)}Z`);
}

function isBackup(name: string, stem: string, extension: string): boolean {
  if (!name.startsWith(`${stem}-`) || !name.endsWith(extension)) return false;
  const stamp = name.slice(stem.length + 1, name.length - extension.length);
  return /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/u.test(stamp);
}
