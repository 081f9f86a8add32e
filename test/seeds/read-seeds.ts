import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "./extract-blocks.ts";
import { extractBlocks } from "./extract-blocks.ts";

/** The folder with the source documents; they are no part of this repository. */
const folder = process.env["ROLLCALL_SEEDS"];

/** Why tests of the source documents are skipped; undefined: they run. */
export const whyNoSeeds = folder === undefined ? "ROLLCALL_SEEDS does not name the folder of the documents" : undefined;

/** The blocks of every document, by the three digits that its name begins with. */
export function readSeeds(): ReadonlyMap<string, readonly Block[]> {
  if (folder === undefined) return new Map();
  const names = readdirSync(folder).filter((name) => /^\d{3}-.*\.txt$/u.test(name));
  return new Map(
    names.sort().map((name) => [name.slice(0, 3), extractBlocks(readFileSync(join(folder, name), "utf8"))]),
  );
}
