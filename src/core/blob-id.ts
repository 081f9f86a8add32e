import { createHash } from "node:crypto";

/**
 * The id that git gives a text as a blob, in a repository where `otherId` is the id of an object: its length tells the hash.
 * Source: git, gitformat-pack(5) and hash-function-transition.
 */
export function blobIdOf(text: string, otherId: string): string {
  const bytes = Buffer.from(text, "utf8");
  const hash = createHash(otherId.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
