import { AppError, describeError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { Declared } from "../model/declared-fleet.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { Problem } from "../model/problem.ts";
import type { ParsedFile } from "../model/source.ts";

/** Decrypts a file as a whole; never rejects because of the file's content. */
export type DecryptFile = (file: { readonly path: string; readonly blobId: string; readonly text: string }) => Promise<
  | {
      readonly kind: "documents";
      /** By the index of the document in its file. */
      readonly documents: readonly (JsonObject | undefined)[];
    }
  | { readonly kind: "problem"; readonly problem: Problem }
>;

export interface DecryptedSecrets {
  /** With every value in `data`, in base64: as an API server keeps them. */
  readonly secrets: readonly Declared<KubeObject>[];
  readonly problems: readonly Problem[];
  /** Secrets (`Secret/namespace/name`) that cannot be read: what is on the hub under their names stays. */
  readonly brokenObjects: readonly string[];
}

/**
 * Makes encrypted Secrets of files readable. One that cannot be decrypted is a problem (E_SOPS_KEY, E_SOPS_MAC,
 * E_SOPS_FORMAT, E_SOPS_PROGRAM, E_SCHEMA) and hurts no other; no problem holds a value. `openKeys` is asked once, and only
 * when there is a Secret.
 */
export async function decryptSecrets(
  encrypted: readonly Declared<KubeObject>[],
  context: { readonly files: readonly ParsedFile[]; readonly openKeys: () => Promise<DecryptFile> },
): Promise<DecryptedSecrets> {
  const secrets: Declared<KubeObject>[] = [];
  const problems: Problem[] = [];
  const brokenObjects: string[] = [];
  if (encrypted.length === 0) return { secrets, problems, brokenObjects };
  const files = new Map(context.files.map((file) => [`${file.path}\n${file.blobId}`, file]));
  const decrypt = await openOrExplain(context.openKeys);
  const results = new Map<ParsedFile, Awaited<ReturnType<DecryptFile>>>();
  for (const declared of encrypted) {
    const { metadata } = declared.object;
    const file = files.get(`${declared.position.file}\n${declared.blobId}`);
    const reading = await readSecret(declared, file, async (wanted) => {
      const known = results.get(wanted);
      const result = known ?? (await decrypt(wanted));
      results.set(wanted, result);
      if (!known && result.kind === "problem") problems.push(result.problem);
      return result;
    });
    if (reading.problem) problems.push(reading.problem);
    if (reading.data === undefined) brokenObjects.push(`Secret/${metadata.namespace}/${metadata.name}`);
    else secrets.push({ ...declared, object: secretObject(declared.object, reading.data) });
  }
  return { secrets, problems, brokenObjects };
}

/** Keys that cannot be had make a problem at each file. */
async function openOrExplain(openKeys: () => Promise<DecryptFile>): Promise<DecryptFile> {
  try {
    return await openKeys();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return async ({ path }) => ({
      kind: "problem",
      problem: {
        code: "E_SOPS_KEY",
        severity: "error",
        file: path,
        line: 1,
        column: 1,
        message: `the keys for encrypted Secrets cannot be had: ${describeError(error)}`,
        fix: "Name a Secret with age keys in decryption.ageKeySecretRef of the Repository, and make it in the daemon's namespace.",
      },
    });
  }
}

async function readSecret(
  declared: Declared<KubeObject>,
  file: ParsedFile | undefined,
  decrypt: (file: ParsedFile) => ReturnType<DecryptFile>,
): Promise<{ readonly data?: Readonly<Record<string, string>>; readonly problem?: Problem }> {
  const { position } = declared;
  const document = file?.documents.find(
    (candidate) => candidate.position.line === position.line && candidate.position.column === position.column,
  );
  // A version that is kept because of another problem, and whose file is not available, stays as it is on the hub.
  if (!file || !document) return {};
  const result = await decrypt(file);
  if (result.kind === "problem") return {};
  const clear = result.documents[document.index];
  const data: Record<string, string> = {};
  for (const [field, isText] of [
    ["data", false],
    ["stringData", true],
  ] as const) {
    const values = clear?.[field] ?? {};
    for (const [key, value] of Object.entries(isJsonObject(values) ? values : {})) {
      const encoded = typeof value === "string" ? encodedValue(value, isText) : undefined;
      if (encoded === undefined) {
        const what = isText ? "is no text" : "is not base64";
        return { problem: valueProblem(declared, `${field}: the value of ${JSON.stringify(key)} ${what}`) };
      }
      data[key] = encoded;
    }
  }
  return { data };
}

function valueProblem({ object, position }: Declared<KubeObject>, message: string): Problem {
  const { namespace, name } = object.metadata;
  return { code: "E_SCHEMA", severity: "error", ...position, message, object: `Secret/${namespace}/${name}` };
}

/** As an API server returns it; undefined when it is not base64. Go leaves out the ends of lines. Source: Go, encoding/base64. */
function encodedValue(value: string, isText: boolean): string | undefined {
  if (isText) return Buffer.from(value).toString("base64");
  const line = value.replaceAll(/[\r\n]/gu, "");
  return Buffer.from(line, "base64").toString("base64") === line ? line : undefined;
}

function secretObject({ metadata }: KubeObject, data: Readonly<Record<string, string>>): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data };
}
