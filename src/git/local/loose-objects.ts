import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../core/clock.ts";
import { fileErrorCode, writeFileDurably } from "./durable-files.ts";
import { objectHeader } from "../objects/git-object.ts";
import type { NewObject } from "../objects/git-object.ts";
import type { PieceDeflater } from "../objects/piece-deflater.ts";
import { scratchName } from "./local-ref-update.ts";

/**
 * Stores objects in a repository that others use too: each under another name, to the disk, then renamed, so that a torn
 * object never bears a valid name. Objects that are there already stay.
 */
export async function writeLooseObjects(
  commonDir: string,
  objects: readonly NewObject[],
  { random, deflater }: { readonly random: Random; readonly deflater: PieceDeflater },
): Promise<void> {
  for (const { id, type, content } of objects) {
    const folder = join(commonDir, "objects", id.slice(0, 2));
    const path = join(folder, id.slice(2));
    if (await exists(path)) continue;
    await mkdir(folder, { recursive: true });
    const bytes = deflater.deflate(content, objectHeader(type, content.byteLength));
    await writeFileDurably(path, bytes, { temporaryPath: objectScratch(commonDir, random), mode: 0o444 });
  }
}

/** Where no watch of refs sees it come and go. */
function objectScratch(commonDir: string, random: Random): string {
  return join(commonDir, "objects", scratchName(random));
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
