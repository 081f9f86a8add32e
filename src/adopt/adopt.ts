// adopt: reads a hub with the controllers of another project, and returns the files that take over its objects. The hub
// is not changed. An object that no file can declare is refused by name, never dropped silently.
import { namespacedName } from "../model/namespaced-name.ts";
import { appendAll } from "../core/append-all.ts";
import { printableYaml } from "../core/yaml/printable-yaml.ts";
import { isAppError } from "../core/errors.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";
import type { AdoptSource, AdoptResult, AdoptedFile, Refusal } from "./adopt-source.ts";
import { checkAdopted } from "./check-adopted.ts";

export interface AdoptedHub {
  /** The version of the project's main kind that this hub has. */
  readonly mainType: ResourceType;
  /** All objects of that kind. */
  readonly mainObjects: readonly KubeObject[];
  /** In the order of their paths. */
  readonly files: readonly AdoptedFile[];
  readonly refusals: readonly Refusal[];
  readonly left: readonly { readonly object: string; readonly reason: string }[];
  /** The work of the project's own controllers on this hub that Rollcall does not do. */
  readonly unserved: readonly { readonly kind: string; readonly count: number; readonly meaning: string }[];
  /** Namespaces that the files write to and that are no workspaces yet. */
  readonly missingWorkspaces: readonly MissingWorkspace[];
}

export interface MissingWorkspace {
  readonly name: string;
  /** The namespace is on the hub, without the label. */
  readonly isThere: boolean;
}

export interface AdoptOptions {
  /** Workspace of what has no namespace on that hub. */
  readonly defaultWorkspace: string;
  readonly signal: AbortSignal;
}

/**
 * Reads the hub and makes the files. An object with an error is refused; all others proceed.
 * @throws E_KUBE_NOT_FOUND when the hub has no kind of this project, and what the API server answers
 */
export async function adoptHub(hubApi: KubeApi, source: AdoptSource, options: AdoptOptions): Promise<AdoptedHub> {
  const { signal } = options;
  const { type: mainType, objects: mainObjects } = await listMain(hubApi, source, signal);
  const objects = [...mainObjects];
  for (const type of source.otherTypes) appendAll(objects, await listIfThere(hubApi, type, signal));
  const adopted = await adoptObjects(hubApi, objects, { ...options, source });
  return { ...adopted, mainType, mainObjects, unserved: await countUnserved(hubApi, source, signal) };
}

/** What becomes of some objects. */
export type AdoptedObjects = Pick<AdoptedHub, "files" | "refusals" | "left" | "missingWorkspaces">;

/** The same of these objects alone. */
export async function adoptObjects(
  hubApi: KubeApi,
  objects: readonly KubeObject[],
  { source, defaultWorkspace, signal }: AdoptOptions & { readonly source: AdoptSource },
): Promise<AdoptedObjects> {
  const beside = source.conflictsWith === undefined ? [] : await listIfThere(hubApi, source.conflictsWith, signal);
  const taken = new Set(beside.map(namespacedName));
  const files: AdoptedFile[] = [];
  const refusals: Refusal[] = [];
  const left: { readonly object: string; readonly reason: string }[] = [];
  for (const live of objects) {
    const object = nameOf(live);
    const result = evaluate(live, source, taken);
    switch (result.kind) {
      case "file":
        files.push({ path: pathOf(result, defaultWorkspace), text: renderFile(result.object), object });
        break;
      case "left":
        left.push({ object, reason: result.reason });
        break;
      case "refused":
        refusals.push({ object, reason: result.reason, fix: result.fix });
    }
  }
  const checked = checkAdopted(files, { defaultWorkspace });
  return {
    files: checked.files,
    refusals: [...refusals, ...checked.refusals],
    left,
    missingWorkspaces: await readMissing(hubApi, checked.workspaces, signal),
  };
}

function evaluate(live: KubeObject, source: AdoptSource, taken: ReadonlySet<string>): AdoptResult {
  if (live.metadata.deletionTimestamp !== undefined) return { kind: "left", reason: "it is being deleted" };
  const { labels = {} } = live.metadata;
  // The checks of files pass over other kinds, with whatever name: it becomes a path.
  const isAsked = [...source.mainTypes, ...source.otherTypes].some(
    (type) => type.kind === live.kind && apiVersionOf(type) === live.apiVersion,
  );
  if (!isAsked) {
    const fix = "Check that the kubeconfig is that of the hub, and what answers at its address.";
    return { kind: "refused", reason: "it is of a kind that the hub was not asked for", fix };
  }
  const ownKeys = [labelKeys.repository, labelKeys.cluster, labelKeys.token];
  const isLabelled = ownKeys.some((key) => labels[key] !== undefined);
  if (isLabelled || taken.has(namespacedName(live))) return { kind: "left", reason: "Rollcall has it already" };
  return source.evaluate(live);
}

function pathOf({ folder, object }: Extract<AdoptResult, { kind: "file" }>, defaultWorkspace: string): string {
  const { namespace = defaultWorkspace, name } = object.metadata;
  return `${folder}/${namespace}/${name}.yaml`;
}

/** The object as a file. */
export function renderFile(object: KubeObject): string {
  return printableYaml(object);
}

/** `Kind/namespace/name`, as messages call an object. */
export function nameOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return [kind, namespace, name].filter((part) => part !== undefined).join("/");
}

/** In the first version that the hub has. */
async function listMain(
  hubApi: KubeApi,
  { mainTypes: [first, ...others] }: Pick<AdoptSource, "mainTypes">,
  signal: AbortSignal,
): Promise<{ readonly type: ResourceType; readonly objects: KubeObject[] }> {
  try {
    return { type: first, objects: (await hubApi.list(first, { signal })).items };
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || !isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
    return listMain(hubApi, { mainTypes: [next, ...rest] }, signal);
  }
}

/** A hub may lack what its project got later, or serves only on demand. */
async function listIfThere(hubApi: KubeApi, type: ResourceType, signal: AbortSignal): Promise<KubeObject[]> {
  try {
    return (await hubApi.list(type, { signal })).items;
  } catch (error) {
    if (isAppError(error, "E_KUBE_NOT_FOUND")) return [];
    throw error;
  }
}

async function countUnserved(
  hubApi: KubeApi,
  source: AdoptSource,
  signal: AbortSignal,
): Promise<AdoptedHub["unserved"]> {
  const counts = [];
  for (const { type, meaning } of source.unserved) {
    const count = (await listIfThere(hubApi, type, signal)).length;
    if (count > 0) counts.push({ kind: type.kind, count, meaning });
  }
  return counts;
}

async function readMissing(
  hubApi: KubeApi,
  names: readonly string[],
  signal: AbortSignal,
): Promise<MissingWorkspace[]> {
  const missing: MissingWorkspace[] = [];
  for (const name of names) {
    const found = await hubApi.get({ type: resourceTypes.namespace, name }, { signal });
    const isWorkspace = found?.metadata.labels?.[labelKeys.workspace] !== undefined;
    if (!isWorkspace) missing.push({ name, isThere: found !== undefined });
  }
  return missing;
}
