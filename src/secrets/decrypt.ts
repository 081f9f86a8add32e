import { tmpdir } from "node:os";
import { countOf } from "../core/count-of.ts";
import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonEqual, isJsonObject } from "../core/json.ts";
import type { Problem } from "../model/problem.ts";
import { openDataKey, readAgeIdentities } from "./age-keys.ts";
import { decryptTrees } from "./decrypt-sops.ts";
import type { SopsMetadata } from "./sops-metadata.ts";
import { readSopsMetadata } from "./sops-metadata.ts";
import type { SopsProgram } from "./sops-program.ts";
import { runSops } from "./sops-program.ts";
import type { SopsDocument } from "./sops-tree.ts";
import { jsonOfTree, malformed, readSopsDocuments } from "./sops-tree.ts";

export interface DecrypterOptions {
  /** Texts of age identity files, such as the entries of the Secret in Repository.spec.decryption. */
  readonly ageKeys: readonly string[];
  /** For files without a key that is opened here. Default: such files are refused. */
  readonly program?: SopsProgram;
  /** Where the program finds encrypted files while it reads them. Default: the system's folder for temporary files. */
  readonly tempDir?: string;
}

export interface EncryptedFile {
  /** Path in the repository. */
  readonly path: string;
  /** The whole file: what was encrypted together is checked together. */
  readonly text: string;
}

export type DecryptedFile =
  | {
      readonly kind: "documents";
      /** By the index of the document in its file; undefined for those that are not encrypted. Without the key `sops`. */
      readonly documents: readonly (JsonObject | undefined)[];
    }
  /** E_SOPS_FORMAT, E_SOPS_KEY, E_SOPS_MAC or E_SOPS_PROGRAM. Nothing of the file can be used. */
  | { readonly kind: "problem"; readonly problem: Problem };

/** Decrypts one file. Rejects only when the signal is aborted. */
export type Decrypter = (file: EncryptedFile, signal?: AbortSignal) => Promise<DecryptedFile>;

/**
 * Decrypts SOPS files (YAML and JSON): those with an age key here, any other by the sops program. Clear values are in
 * what is returned and nowhere else: problems never quote a file.
 * @throws E_SOPS_KEY when `ageKeys` holds something that is no age identity
 */
export function createDecrypter({ ageKeys, program, tempDir = tmpdir() }: DecrypterOptions): Decrypter {
  const identities = readAgeIdentities(ageKeys);
  return async ({ path, text }, signal) => {
    let documents: SopsDocument[] = [];
    try {
      documents = readSopsDocuments(text);
      const clear = new Map<number, JsonObject>();
      for (const group of groupsOf(documents)) {
        const objects = await decryptGroup(group, { text, identities, program, tempDir, signal });
        group.indexes.forEach((index, position) => clear.set(index, objects[position] ?? {}));
      }
      return { kind: "documents", documents: documents.map((_, index) => clear.get(index)) };
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      return { kind: "problem", problem: problemOf(error, path, documents) };
    }
  };
}

/** Documents that were encrypted together. */
interface Group {
  readonly documents: readonly SopsDocument[];
  readonly indexes: readonly number[];
  readonly sops: JsonObject;
  /** True when the group is the whole file. */
  readonly isFile: boolean;
}

/**
 * sops encrypts a file with several documents as one: each then has the same metadata. Documents that were encrypted one
 * by one and put together later have their own.
 */
function groupsOf(documents: readonly SopsDocument[]): Group[] {
  const encrypted = documents.flatMap((document, index) => {
    const sops = metadataOf(document);
    return sops === undefined ? [] : [{ document, index, sops }];
  });
  const [first] = encrypted;
  if (first === undefined) return [];
  const isFile = encrypted.length === documents.length && encrypted.every(({ sops }) => isJsonEqual(sops, first.sops));
  if (isFile) return [{ documents, indexes: encrypted.map(({ index }) => index), sops: first.sops, isFile }];
  return encrypted.map(({ document, index, sops }) => ({
    documents: [document],
    indexes: [index],
    sops,
    isFile: false,
  }));
}

function metadataOf({ tree }: SopsDocument): JsonObject | undefined {
  if (tree.kind !== "map") return undefined;
  const sops = tree.entries.find(([key]) => key === "sops")?.[1];
  const json = sops === undefined ? undefined : jsonOfTree(sops);
  return isJsonObject(json) ? json : undefined;
}

interface Means {
  readonly text: string;
  readonly identities: readonly string[];
  readonly program: SopsProgram | undefined;
  readonly tempDir: string;
  readonly signal: AbortSignal | undefined;
}

async function decryptGroup(
  group: Group,
  { text, identities, program, tempDir, signal }: Means,
): Promise<JsonObject[]> {
  const metadata = readSopsMetadata(group.sops);
  if (metadata.isMacOnlyEncrypted) {
    throw malformed("sops: has mac_only_encrypted, so that name and namespace could be changed; encrypt it without");
  }
  const isGrouped = metadata.otherKeys.includes("key_groups");
  const dataKey = isGrouped || metadata.hasCommentRules ? undefined : await openDataKey(metadata.ageKeys, identities);
  if (dataKey !== undefined) {
    const trees = decryptTrees(
      group.documents.map(({ tree }) => tree),
      metadata,
      dataKey,
    );
    return trees.map(objectOf);
  }
  if (program === undefined || (metadata.otherKeys.length === 0 && !metadata.hasCommentRules)) throw noKey(metadata);
  if (!group.isFile) throw malformed("documents were encrypted one by one; the sops program needs a file for each");
  const clear = readSopsDocuments(await runSops(text, { program, metadata, tempDir, signal }));
  // A document that is missing would be one without values.
  const counts = `${countOf(clear.length, "document")} of ${group.documents.length}`;
  if (clear.length !== group.documents.length)
    throw new AppError("E_SOPS_PROGRAM", `decrypt a file with the sops program: it printed ${counts}`);
  return clear.map(({ tree }) => objectOf(tree));
}

function objectOf(tree: SopsDocument["tree"]): JsonObject {
  const json = jsonOfTree(tree);
  if (!isJsonObject(json)) throw malformed("a document is no map");
  return json;
}

function noKey({ ageKeys, otherKeys, hasCommentRules }: SopsMetadata): AppError {
  if (otherKeys.length > 0 || hasCommentRules) {
    const what = otherKeys.length > 0 ? `its keys are ${otherKeys.join(", ")}` : "its rules depend on comments";
    return new AppError("E_SOPS_PROGRAM", `decrypt a file: ${what}, which need the sops program`);
  }
  const recipients = ageKeys.slice(0, 5).map(({ recipient }) => recipient.slice(0, 80));
  return new AppError(
    "E_SOPS_KEY",
    `decrypt a file: it is for ${recipients.join(", ") || "no key"}, and no key here opens it`,
  );
}

function problemOf(error: AppError, file: string, documents: readonly SopsDocument[]): Problem {
  const encrypted = documents.find((document) => metadataOf(document) !== undefined);
  const line = typeof error.data["line"] === "number" ? error.data["line"] : (encrypted?.line ?? 1);
  return { code: error.code, severity: "error", file, line, column: encrypted?.column ?? 1, message: error.message };
}
