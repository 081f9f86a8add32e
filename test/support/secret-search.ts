import { readFile, readdir } from "node:fs/promises";
import { parse } from "yaml";
import { objectsAt, textAt, textsAt } from "../../src/core/read-json.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";

/** Something that must not be read anywhere, and what it is. */
export interface SecretValue {
  readonly what: string;
  readonly value: string;
}

export interface Place {
  readonly where: string;
  readonly text: string;
}

/** Keys of Secrets whose values are no secrets: what is public. */
const publicKeys = new Set(["ca.crt", "namespace", "epoch", "validFrom", "endpoint"]);

/** The secret values of a Secret; of what has a form that is known, the parts of it that are secret. */
export function secretValuesOf({ metadata, data }: KubeObject): SecretValue[] {
  const place = `${metadata.namespace}/${metadata.name}`;
  return Object.entries((data ?? {}) as Record<string, string>).flatMap(([key, encoded]) => {
    const text = Buffer.from(encoded, "base64").toString("utf8");
    if (publicKeys.has(key) || text === "") return [];
    return partsOf(key, text, encoded).map(([part, value]) => ({ what: `${place} ${key}${part}`, value }));
  });
}

function partsOf(key: string, text: string, encoded: string): [string, string][] {
  if (key === "proofKey") return [["", encoded]];
  const json = readYaml(text);
  if (key === "values") return partsAt(json, ["token", "credential"], ["token", "proofKey"]);
  if (key === "identity")
    return partsAt(
      json,
      ["keys", "signing", "private"],
      ["keys", "sealing", "private"],
      ["membership", "credential", "token"],
      ["membership", "recoveryToken"],
      ["former", "membership", "credential", "token"],
    );
  return textAt(json, "kind") === "Config" ? kubeconfigParts(json) : [["", text]];
}

/** The credentials of a kubeconfig. */
export function kubeconfigParts(kubeconfig: unknown): [string, string][] {
  return objectsAt(kubeconfig, "users").flatMap((user) =>
    partsAt(user["user"], ["token"], ["client-key-data"], ["password"]),
  );
}

function partsAt(value: unknown, ...paths: (readonly string[])[]): [string, string][] {
  return paths.flatMap((path): [string, string][] => {
    const text = textAt(value, ...path);
    return text === undefined || text === "" ? [] : [[` ${path.join(".")}`, text]];
  });
}

function readYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined; // no document: the text as it is
  }
}

/**
 * Where one of these values can be read: as it is, or in base64 wherever in a longer text. Of a token its signature is
 * searched for, of a PEM file a line of its body: what is left of a shortened one counts too.
 */
export function findSecrets(secrets: readonly SecretValue[], places: readonly Place[]): string[] {
  const found = new Set<string>();
  for (const { what, value } of secrets)
    for (const needle of needlesOf(value))
      for (const { where, text } of places) if (text.includes(needle)) found.add(`${what} in ${where}`);
  return [...found].sort();
}

function needlesOf(value: string): string[] {
  const core = coreOf(value);
  // Shorter ones would be found by chance.
  if (core.length < 16) throw new Error("a secret of this run is too short to be searched for");
  return [
    core,
    JSON.stringify(core).slice(1, -1),
    encodeURIComponent(core),
    ...[0, 1, 2].map((shift) => inBase64(core, shift)),
  ];
}

function coreOf(value: string): string {
  const trimmed = value.trim();
  const signature = /^[\w-]+\.[\w-]+\.([\w-]{30,})$/u.exec(trimmed)?.[1];
  if (signature !== undefined) return signature;
  const lines = trimmed.split("\n").filter((line) => /^[A-Za-z0-9+/=]{40,}$/u.test(line));
  return lines.at(-1) ?? trimmed;
}

/** The text as it is in base64 when so many bytes stand before it; what depends on its neighbours is cut off. */
function inBase64(text: string, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]).toString("base64");
  return encoded.slice(shift === 0 ? 0 : shift + 1, -4);
}

/** Every object of every kind that an API server has, but Secrets, as text. */
export async function placesOfApi(api: KubeApi, name: string): Promise<Place[]> {
  const groups = JSON.parse((await api.getRaw("/apis")).text) as unknown;
  const versions = objectsAt(groups, "groups").map((group) => textAt(group, "preferredVersion", "groupVersion") ?? "");
  const places: Place[] = [];
  for (const root of ["/api/v1", ...versions.map((version) => `/apis/${version}`)]) {
    const resources = objectsAt(JSON.parse((await api.getRaw(root)).text), "resources");
    for (const resource of resources) {
      const plural = textAt(resource, "name") ?? "";
      if (plural === "secrets" || plural.includes("/") || !textsAt(resource, "verbs").includes("list")) continue;
      const [, , group = "", version = ""] = root === "/api/v1" ? ["", "api", "", "v1"] : root.split("/");
      const kind = textAt(resource, "kind") ?? "";
      const isNamespaced = resource["namespaced"] === true;
      const { items } = await api.list({ group, version, kind, plural, isNamespaced });
      places.push({ where: `${plural} of ${name}`, text: JSON.stringify(items) });
    }
  }
  return places;
}

/** Command lines and environments of a process and of all that it started, as they are now. */
export async function placesOfProcesses(pids: readonly number[]): Promise<Place[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir("/proc")) {
    const stat = /^\d+$/u.test(entry) ? await readOf(entry, "stat") : undefined;
    // The name in brackets may hold anything; the parent is the second word after it.
    const parent = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    if (parent !== undefined) parents.set(Number(entry), Number(parent));
  }
  const wanted = new Set(pids);
  for (let size = 0; size !== wanted.size;) {
    size = wanted.size;
    for (const [pid, parent] of parents) if (wanted.has(parent)) wanted.add(pid);
  }
  const places: Place[] = [];
  for (const pid of wanted)
    for (const file of ["cmdline", "environ"]) {
      const text = await readOf(String(pid), file);
      if (text !== undefined) places.push({ where: `${file} of a process`, text });
    }
  return places;
}

async function readOf(pid: string, file: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined; // the process ended while it was read
  }
}
