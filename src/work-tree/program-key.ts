import { statSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { sha256Hex } from "../core/digest.ts";
import { version } from "../core/version.ts";
import { fileSchemas } from "../model/generated/schemas.ts";

/** Whatever makes the same bytes read otherwise: the version, the schemas, and (while it is worked on) the program itself. */
export function programKey(): string {
  const { mtimeMs, size } = statSync(fileURLToPath(import.meta.url));
  return sha256Hex(JSON.stringify([version, process.version, fileSchemas, mtimeMs, size])).slice(0, 32);
}
