import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "../core/errors.ts";
import type { SopsMetadata } from "./sops-metadata.ts";
import type { SopsTree } from "./sops-tree.ts";
import { decryptValue } from "./sops-value.ts";

/** Starts the checksum when it leaves out what is not encrypted: the SHA-256 of `sops`. Source: SOPS, sops.go. */
const macOnlyEncryptedStart = createHash("sha256").update("sops").digest();

/**
 * Decrypts documents that were encrypted together, and checks that nothing of them was changed since, whether encrypted
 * or not. The trees are those of the file, with the key `sops` still in them; it is taken out.
 * @throws E_SOPS_FORMAT, E_SOPS_MAC
 */
export function decryptTrees(trees: readonly SopsTree[], metadata: SopsMetadata, dataKey: Uint8Array): SopsTree[] {
  const hash = createHash("sha512");
  if (metadata.isMacOnlyEncrypted) hash.update(macOnlyEncryptedStart);

  const decrypt = (tree: SopsTree, path: readonly string[]): SopsTree | undefined => {
    switch (tree.kind) {
      case "map":
        return {
          kind: "map",
          entries: tree.entries.flatMap(([key, value]) => {
            const clear = decrypt(value, [...path, key]);
            return clear === undefined ? [] : [[key, clear] as const];
          }),
        };
      case "list":
        // Items have the path of their list.
        return { kind: "list", items: tree.items.flatMap((item) => decrypt(item, path) ?? []) };
      case "null":
        return tree;
      case "leaf": {
        const isEncrypted = metadata.isEncrypted(path);
        if (!isEncrypted) {
          if (!metadata.isMacOnlyEncrypted) hash.update(tree.text);
          return tree;
        }
        const clear = decryptValue(typeof tree.value === "string" ? tree.value : "?", dataKey, contextOf(path));
        if (clear.kind === "comment") return undefined;
        hash.update(clear.text);
        return { kind: "leaf", value: clear.value, text: clear.text };
      }
    }
  };

  const clearTrees = trees.map((tree) => decrypt(withoutMetadata(tree), []) ?? tree);
  const stored = decryptValue(metadata.mac, dataKey, metadata.lastModified);
  const expected = Buffer.from(stored.kind === "value" ? String(stored.value) : "", "utf8");
  const actual = Buffer.from(hash.digest("hex").toUpperCase(), "utf8");
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) {
    throw new AppError("E_SOPS_MAC", "decrypt a file: it is not what was encrypted; something was changed since");
  }
  return clearTrees;
}

/** What a value is bound to: its path, each key with a colon behind it. */
export function contextOf(path: readonly string[]): string {
  return path.map((key) => `${key}:`).join("");
}

function withoutMetadata(tree: SopsTree): SopsTree {
  if (tree.kind !== "map") return tree;
  return { kind: "map", entries: tree.entries.filter(([key]) => key !== "sops") };
}
