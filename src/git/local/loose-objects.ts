import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Random } from "../../core/clock.ts";
import { fileErrorCode, writeFileDurably } from "./durable-files.ts";
import { objectHeader } from "../objects/git-object.ts";
import type { NamedObject } from "../objects/git-object.ts";
import { scratchName } from "./local-ref-update.ts";

/** Checksums and ids become hardly smaller by more. Source: git-config(1), core.looseCompression, whose default it is. */
const level = 1;

/**
 * Stores objects in a repository that others use too: each under another name, to the disk, then renamed, so that a torn
 * object never bears a valid name. Objects that are there already stay.
 */
export async function writeLooseObjects(
  commonDir: string,
  objects: readonly NamedObject[],
  random: Random,
): Promise<void> {
  for (const { id, type, content } of objects) {
    const folder = join(commonDir, "objects", id.slice(0, 2));
    const path = join(folder, id.slice(2));
    if (await exists(path)) continue;
    await mkdir(folder, { recursive: true });
    const bytes = deflateSync(Buffer.concat([objectHeader(type, content.byteLength), content]), { level });
    await writeFileDurably(path, bytes, { temporaryPath: join(commonDir, scratchName(random)), mode: 0o444 });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}
