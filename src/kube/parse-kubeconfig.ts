import { AppError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { objectAt, objectsAt, textAt } from "../core/read-json.ts";
import { readYamlDocument } from "../core/yaml/read-document.ts";

/** The parts of a kubeconfig that its context selects. Nothing in it was evaluated yet. */
export interface ParsedKubeconfig {
  readonly context: string;
  readonly clusterName: string;
  readonly userName: string;
  readonly cluster: JsonObject;
  readonly user: JsonObject;
  readonly namespace: string | undefined;
}

/** Parses a kubeconfig and picks `context`, or its current-context. Throws E_KUBECONFIG; never repeats the text. */
export function parseKubeconfig(text: string, context?: string): ParsedKubeconfig {
  const config = parseKubeconfigText(text);
  const contextName = context ?? textAt(config, "current-context") ?? "";
  if (contextName === "") fail("it has no current-context: set one");
  const selected = namedEntry(config, "contexts", "context", contextName);
  const clusterName = textAt(selected, "cluster") ?? fail(`context ${quote(contextName)} names no cluster`);
  const userName = textAt(selected, "user") ?? "";
  return {
    context: contextName,
    clusterName,
    userName,
    cluster: namedEntry(config, "clusters", "cluster", clusterName),
    user: userName === "" ? {} : namedEntry(config, "users", "user", userName),
    namespace: textAt(selected, "namespace") || undefined,
  };
}

/** PEM text of a base64 field. Throws E_KUBECONFIG; never repeats the value. */
export function decodePem(value: unknown, field: string): string {
  const text = typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
  if (!text.includes("-----BEGIN ")) fail(`${field} is not PEM in base64`);
  return text;
}

/** The map that a kubeconfig is. Throws E_KUBECONFIG, which names it as `name`; never repeats the text. */
export function parseKubeconfigText(text: string, name = "the kubeconfig"): JsonObject {
  // Of UTF-16, as the shell of Windows writes it, every second byte of a name is 0.
  if (text.includes("\0")) fail("it is UTF-16 text or no text: save it as UTF-8", name);
  const read = readYamlDocument(text);
  if (read.problem !== undefined) fail(`${read.problem} (line ${read.line})`, name);
  const { value } = read;
  if (!isJsonObject(value)) return fail("it is not a map", name);
  if (textAt(value, "kind") !== undefined && textAt(value, "kind") !== "Config") fail("its kind is not Config", name);
  return value;
}

function namedEntry(config: JsonObject, list: string, field: string, name: string): JsonObject {
  const entries = objectsAt(config, list).filter((entry) => textAt(entry, "name") === name);
  if (entries.length > 1) fail(`${list} has two entries named ${quote(name)}`);
  return objectAt(entries[0], field) ?? fail(`${list} has no entry named ${quote(name)}`);
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function fail(what: string, name = "the kubeconfig"): never {
  throw new AppError("E_KUBECONFIG", `${name} cannot be used: ${what}`);
}
