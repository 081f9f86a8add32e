import { createHash } from "node:crypto";
import type { Chunks } from "./chunks.ts";
import { partsOf } from "./chunks.ts";
import { memoizeWeak } from "./memoize-weak.ts";

/**
 * The id that git gives a text as a blob, in a repository where `otherId` is the id of an object: its length determines the hash.
 * Source: git, gitformat-pack(5) and hash-function-transition.
 */
export function blobIdOf(text: string, otherId: string): string {
  return hashBlob(Buffer.from(text, "utf8"), otherId.length === 64 ? "sha256" : "sha1");
}

/** The id of bytes that never change. It is remembered with them: lists of a whole fleet are hashed once. */
export const blobIdOfBytes = memoizeWeak(hashBlob);

function hashBlob(bytes: Uint8Array | Chunks, format: "sha1" | "sha256"): string {
  const hash = createHash(format).update(`blob ${bytes.byteLength}\0`);
  for (const part of partsOf(bytes)) hash.update(part);
  return hash.digest("hex");
}
