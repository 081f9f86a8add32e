import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import type { Iterator } from "classic-level";
import { AppError, errorCodeOf } from "../../core/errors.ts";
import { isDiskFull } from "../../core/is-disk-full.ts";
import { numberAt } from "../../core/read-json.ts";
import { refuseNewer } from "../../core/refuse-newer.ts";
import type { CompactionRows, LoadedRows, Persistence } from "./persistence.ts";
import type { Row } from "./row-format.ts";
import { decodeRow, encodeRow } from "./row-format.ts";

export interface LevelPersistenceOptions {
  readonly dir: string;
  /** Who we are, for the message another process gets while we hold the folder: `rollcall hub, process 42`. */
  readonly owner: string;
  /** Makes the database, unopened. Default: LevelDB in a folder. */
  readonly makeLevel?: (folder: string) => Level;
}

export type Level = ClassicLevel<string, Buffer>;

/** What a clean or compacting stop knew; JSON under the key `meta`. */
interface Meta {
  readonly format: 1;
  readonly compactedRevision: number;
  readonly rowCount: number;
  /** The newest revision at the last clean close or compaction: less than that on disk means that rows were lost. */
  readonly leastRevision: number;
}

const metaKey = "meta";
const rowPrefix = "r";
const pageRows = 1000;

/**
 * Rows in LevelDB, synced before they count. Throws E_DIR_LOCKED when another process has the folder, E_DISK_WRITE when the
 * disk is full, E_ACCESS when the folder takes no file, E_STORE_DAMAGED when LevelDB cannot read its files, and E_STORE_VERSION
 * when a newer version wrote them.
 */
export async function openLevelPersistence(options: LevelPersistenceOptions): Promise<Persistence> {
  const { dir, owner, makeLevel = makeClassicLevel } = options;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const ownerFile = join(dir, "owner");
  const level = makeLevel(join(dir, "log"));
  const open = (): Promise<void> => level.open({ cacheSize: 1024 * 1024 });
  try {
    await open();
  } catch (error) {
    throw await openFailure(error, dir, ownerFile);
  }
  await writeFile(ownerFile, `${owner}\n`, { mode: 0o600 });
  const meta = await readMeta(level, dir).catch(async (error: unknown) => {
    await level.close();
    throw error;
  });
  let { compactedRevision, rowCount, leastRevision } = meta;
  const saveMeta = (): { type: "put"; key: string; value: Buffer } => ({
    type: "put",
    key: metaKey,
    value: Buffer.from(JSON.stringify({ format: 1, compactedRevision, rowCount, leastRevision } satisfies Meta)),
  });
  return {
    load: async () => ({ compactedRevision, rows: checkedRows(level, meta) }),
    append: (rows) =>
      level.batch(
        rows.map((row) => ({ type: "put", key: rowKey(row.record.modRevision), value: encodeRow(row) })),
        { sync: true },
      ),
    compact: async (compaction: CompactionRows) => {
      ({ revision: compactedRevision, rowCount } = compaction);
      leastRevision = Math.max(leastRevision, compactedRevision);
      const deletes = compaction.obsolete.map((revision) => ({ type: "del" as const, key: rowKey(revision) }));
      await level.batch([...deletes, saveMeta()], { sync: true });
    },
    recover: async (lastRevision) => {
      // LevelDB takes nothing more after a failed write, until it is opened again.
      await level.close();
      await open();
      const late = await level.keys({ gt: rowKey(lastRevision), lt: `${rowPrefix}~` }).all();
      await level.batch(
        late.map((key) => ({ type: "del" as const, key })),
        { sync: true },
      );
    },
    close: async (lastRevision) => {
      if (lastRevision !== undefined) {
        leastRevision = lastRevision;
        await level.batch([saveMeta()], { sync: true });
      }
      await level.close();
    },
  } satisfies Persistence & { load(): Promise<LoadedRows> };
}

export function makeClassicLevel(folder: string): Level {
  return new ClassicLevel(folder, { keyEncoding: "utf8", valueEncoding: "buffer" });
}

/** Fixed width, so that the order of keys is the order of revisions. */
function rowKey(revision: number): string {
  return `${rowPrefix}${revision.toString(16).padStart(14, "0")}`;
}

async function* checkedRows(level: Level, meta: Meta): AsyncIterable<Row> {
  let early = 0;
  let last = meta.compactedRevision;
  const iterator = level.iterator({ gt: rowPrefix, lt: `${rowPrefix}~`, highWaterMarkBytes: 1024 * 1024 });
  try {
    for (let page = await nextPage(iterator); page.length > 0; page = await nextPage(iterator)) {
      for (const [key, value] of page) {
        const revision = Number.parseInt(key.slice(rowPrefix.length), 16);
        if (revision <= meta.compactedRevision) early += 1;
        last = Math.max(last, revision);
        yield decodeRow(revision, value);
      }
    }
  } finally {
    await iterator.close();
  }
  if (early !== meta.rowCount || last < meta.leastRevision) {
    throw new AppError("E_STORE_DAMAGED", "rows are missing from the hub's store", {
      data: { expectedRows: meta.rowCount, foundRows: early, leastRevision: meta.leastRevision, lastRevision: last },
    });
  }
}

async function nextPage(iterator: Iterator<Level, string, Buffer>): Promise<[string, Buffer][]> {
  try {
    return await iterator.nextv(pageRows);
  } catch (error) {
    throw new AppError("E_STORE_DAMAGED", "read the hub's store", { cause: error });
  }
}

async function readMeta(level: Level, dir: string): Promise<Meta> {
  const none: Meta = { format: 1, compactedRevision: 0, rowCount: 0, leastRevision: 0 };
  try {
    const text = await level.get(metaKey);
    if (text === undefined) return none;
    const meta: unknown = JSON.parse(text.toString("utf8"));
    if (isMeta(meta)) return meta;
    refuseNewer(`open the hub's store in ${dir}`, { format: numberAt(meta, "format"), known: 1 });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("E_STORE_DAMAGED", `read the hub's store in ${dir}`, { cause: error });
  }
  throw new AppError("E_STORE_DAMAGED", `the hub's store in ${dir} has another format`);
}

function isMeta(value: unknown): value is Meta {
  if (typeof value !== "object" || value === null) return false;
  const { format, compactedRevision, rowCount, leastRevision } = value as Partial<Record<keyof Meta, unknown>>;
  return format === 1 && [compactedRevision, rowCount, leastRevision].every((item) => Number.isSafeInteger(item));
}

async function openFailure(error: unknown, dir: string, ownerFile: string): Promise<AppError> {
  const cause = error instanceof Error ? error.cause : undefined;
  if (errorCodeOf(cause) === "LEVEL_LOCKED") {
    // The file exists only to name the holder; without it the lock alone is sufficient.
    const owner = await readFile(ownerFile, "utf8").catch(() => "another process");
    return new AppError("E_DIR_LOCKED", `${dir} is in use by ${owner.trim()}`, { data: { dir, owner: owner.trim() } });
  }
  const refusal = await refusalOfWrites(dir);
  if (refusal !== undefined) {
    const code = isDiskFull(refusal) ? "E_DISK_WRITE" : "E_ACCESS";
    return new AppError(code, `open the hub's store in ${dir}: ${errorCodeOf(refusal)}`, { cause: refusal });
  }
  return new AppError("E_STORE_DAMAGED", `open the hub's store in ${dir}`, { cause: cause ?? error });
}

/** More than LevelDB writes when it opens a store. */
const probeBytes = 16 * 1024;

/** The system's error when the folder takes no file: LevelDB has one code for these and for a damaged store. */
async function refusalOfWrites(dir: string): Promise<unknown> {
  const probe = join(dir, "probe");
  try {
    await writeFile(probe, Buffer.alloc(probeBytes), { mode: 0o600 });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined); // where nothing can be written, nothing can be removed
  }
}
