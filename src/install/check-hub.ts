import { AppError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { objectAt, objectsAt, textAt } from "../core/read-json.ts";
import { parseJson } from "../core/parse-json.ts";
import { refuseNewer } from "../core/refuse-newer.ts";
import type { KubeApi } from "../kube/kube.ts";
import { crds } from "../model/generated/crds.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";

/** The oldest minor version of Kubernetes 1 that a hub may have: the rules in CEL of our definitions need it. */
const oldestMinor = 29;
/** Of the data that this program keeps on a hub. Format 2 has a trust key that was replaced. */
export const knownDataFormat = 2;

/**
 * Refuses a hub that is too old. Call it before anything is written: an old hub accepts definitions that it cannot enforce.
 * @throws E_UNSUPPORTED
 */
export async function checkHubVersion(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  const { text } = await hubApi.getRaw("/version", { signal });
  checkVersion(hubApi.server, text);
}

/**
 * @throws E_KUBE_NOT_FOUND where definitions are missing, E_KUBE_DEFINITION where they are of another version, E_STORE_VERSION
 * where a newer version made what is there
 */
export async function checkDefinitions(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  await Promise.all(crds.map((crd) => checkDefinition(hubApi, crd, signal)));
}

/** @throws E_UNSUPPORTED for a version that is known to be too old */
export function checkVersion(server: string, text: string): void {
  // Another kind of answer is no reason to stop: the requests that follow report more.
  const version = textAt(parseJson(text), "gitVersion");
  const [, major, minor] = /^v(\d+)\.(\d+)/u.exec(version ?? "") ?? [];
  if (major === undefined || Number(major) > 1 || Number(minor) >= oldestMinor) return;
  const remedy = `Upgrade the hub to Kubernetes 1.${oldestMinor} or newer, or name another cluster as the hub.`;
  const message = `the hub ${server} runs Kubernetes ${version}; 1.${oldestMinor} is needed`;
  throw new AppError("E_UNSUPPORTED", message, { remedy });
}

async function checkDefinition(hubApi: KubeApi, crd: KubeObject, signal: AbortSignal): Promise<void> {
  const { name } = crd.metadata;
  const live = await hubApi.get({ type: resourceTypes.customResourceDefinition, name }, { signal });
  if (!live) {
    throw new AppError(
      "E_KUBE_NOT_FOUND",
      `CustomResourceDefinition/${name} is not on the hub ${hubApi.server}: install the chart, or start with --install-crds`,
    );
  }
  refuseNewerData(hubApi.server, live, crd);
  const difference = describeDifference(live, crd);
  if (difference !== undefined) {
    throw new AppError(
      "E_KUBE_DEFINITION",
      `CustomResourceDefinition/${name} on the hub ${hubApi.server} ${difference}`,
    );
  }
}

/**
 * The definitions carry the format of all that is kept on a hub: member states, the trust key, accounts of agents.
 * @throws E_STORE_VERSION when a newer version made them; E_KUBE_DEFINITION when they store a version unknown here
 */
export function refuseNewerData(server: string, live: KubeObject, ours: KubeObject): void {
  const format = live.metadata.annotations?.[annotationKeys.dataFormat];
  refuseNewer(`read what is on the hub ${server}`, { format, known: knownDataFormat });
  const difference = newerStorage(live, ours);
  if (difference === undefined) return;
  const text = `CustomResourceDefinition/${ours.metadata.name} on the hub ${server} ${difference}`;
  throw new AppError("E_KUBE_DEFINITION", text);
}

function newerStorage(live: KubeObject, ours: KubeObject): string | undefined {
  const stored = objectsAt(live, "spec", "versions").find((version) => version["storage"] === true);
  const storedName = textAt(stored, "name");
  const known = objectsAt(ours, "spec", "versions").map((version) => version["name"]);
  if (storedName === undefined || known.includes(storedName)) return undefined;
  return `stores ${storedName}, which a newer Rollcall made: this one is too old for it`;
}

/** Why a definition on the hub cannot serve this program; more fields than we know are fine. */
export function describeDifference(live: KubeObject, ours: KubeObject): string | undefined {
  const newer = newerStorage(live, ours);
  if (newer !== undefined) return newer;
  for (const version of objectsAt(ours, "spec", "versions")) {
    const served = objectsAt(live, "spec", "versions").find(({ name }) => name === version["name"]);
    const missing = firstMissing(objectAt(served, "schema", "openAPIV3Schema"), schemaOf(version));
    if (missing !== undefined) return `is older than this program: it has no ${missing}`;
  }
  return undefined;
}

function schemaOf(version: unknown): Json {
  return objectAt(version, "schema", "openAPIV3Schema") ?? {};
}

/** The path of the first field of `ours` that `live` does not have. */
function firstMissing(live: unknown, ours: unknown, path = ""): string | undefined {
  if (!isJsonObject(ours)) return undefined;
  for (const [name, schema] of Object.entries(objectAt(ours, "properties") ?? {})) {
    const below = `${path}${path === "" ? "" : "."}${name}`;
    const found = objectAt(live, "properties", name);
    if (found === undefined) return below;
    const missing = firstMissing(found, schema, below);
    if (missing !== undefined) return missing;
  }
  const items = ours["items"];
  return items === undefined ? undefined : firstMissing(objectAt(live, "items"), items, `${path}[]`);
}
