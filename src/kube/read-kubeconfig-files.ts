import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, resolve } from "node:path";
import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { objectsAt, textAt } from "../core/read-json.ts";
import { readCredentialFile } from "./credential-files.ts";
import { explainUnread } from "./explain-unread.ts";
import { parseKubeconfigText } from "./parse-kubeconfig.ts";

/** A kubeconfig, and the path that paths in it count from. */
export interface KubeconfigText {
  readonly text: string;
  readonly path: string;
}

const lists = ["clusters", "users", "contexts"] as const;
const pathFields = ["certificate-authority", "client-certificate", "client-key", "tokenFile"];

/**
 * Reads a kubeconfig, or the several that KUBECONFIG lists. Several become one as kubectl does it: files that are not there
 * are passed over, the first file that has a name or a current-context decides, paths are relative to their file.
 * @throws E_KUBECONFIG
 */
export async function readKubeconfigFiles(paths: string): Promise<KubeconfigText> {
  if (!paths.includes(delimiter) || existsSync(paths)) return { text: await readNamedFile(paths), path: paths };
  const present = paths.split(delimiter).filter((path) => path !== "" && existsSync(path));
  const [first, ...others] = present;
  if (first === undefined) {
    const remedy = "Correct the paths in --kubeconfig or KUBECONFIG.";
    throw new AppError("E_KUBECONFIG", `none of these files is there: ${paths}`, { remedy });
  }
  if (others.length === 0) return { text: await readNamedFile(first), path: first };
  const configs: JsonObject[] = [];
  for (const path of present) configs.push(await readWithAbsolutePaths(path));
  const contexts = configs.map((config) => textAt(config, "current-context") ?? "");
  const merged = {
    ...Object.fromEntries(lists.map((list) => [list, firstOfEachName(configs, list)])),
    "current-context": contexts.find((context) => context !== "") ?? "",
  };
  return { text: JSON.stringify(merged), path: first };
}

async function readWithAbsolutePaths(path: string): Promise<JsonObject> {
  const config = parseKubeconfigText(await readNamedFile(path), path);
  const folder = dirname(resolve(path));
  return {
    ...config,
    clusters: objectsAt(config, "clusters").map((entry) => withAbsolutePaths(entry, "cluster", folder)),
    users: objectsAt(config, "users").map((entry) => withAbsolutePaths(entry, "user", folder)),
  };
}

function withAbsolutePaths(entry: JsonObject, part: string, folder: string): JsonObject {
  const values = entry[part];
  if (!isJsonObject(values)) return entry;
  const absolute = Object.fromEntries(
    pathFields.flatMap((field) => {
      const path = textAt(values, field) ?? "";
      return path === "" || isAbsolute(path) ? [] : [[field, resolve(folder, path)]];
    }),
  );
  const { exec } = values;
  const command = textAt(exec, "command") ?? "";
  // A command without a slash is searched for in PATH.
  const program =
    isJsonObject(exec) && command.includes("/") ? { exec: { ...exec, command: resolve(folder, command) } } : {};
  return { ...entry, [part]: { ...values, ...absolute, ...program } };
}

function firstOfEachName(configs: readonly JsonObject[], list: string): readonly JsonObject[] {
  const taken = new Set<string | undefined>();
  return configs.flatMap((config) => {
    const entries = objectsAt(config, list).filter((entry) => !taken.has(textAt(entry, "name")));
    for (const entry of entries) taken.add(textAt(entry, "name"));
    return entries;
  });
}

/** A file that a person named: the reason why it was not read is in the message. */
async function readNamedFile(path: string): Promise<string> {
  try {
    return await readCredentialFile(path);
  } catch (error) {
    throw explainUnread(error, path);
  }
}
