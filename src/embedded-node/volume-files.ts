import { appendAll } from "../core/append-all.ts";
import { AppError } from "../core/errors.ts";
import { ownValue } from "../core/own-value.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../core/read-json.ts";
import type { JsonObject } from "../core/json.ts";
import { downwardField, resourceField } from "./downward-fields.ts";
import type { NodeFacts } from "./downward-fields.ts";
import type { KubeObject } from "./node-types.ts";
import { isOptional, missingSource, notFoundText } from "./read-sources.ts";
import type { ReadSource } from "./read-sources.ts";
import { isVolumePath } from "./write-volume.ts";
import type { VolumeFile, VolumeFiles } from "./write-volume.ts";

/** Of files for which a volume names no mode. */
const ordinaryMode = 0o644;

export interface VolumeContext {
  readonly pod: KubeObject;
  readonly node: NodeFacts;
  readonly read: ReadSource;
  /** A token of the Pod's service account, bound to the Pod. */
  readonly token: (request: { readonly expirationSeconds: number; readonly audience: string }) => Promise<Buffer>;
}

/** What a volume is on the host. */
export type VolumeContent =
  | { readonly kind: "empty" }
  /** `isLive`: written again while the Pod runs when its sources change. */
  | { readonly kind: "files"; readonly isLive: boolean; readonly read: () => Promise<VolumeFiles> };

/** The content of a Pod's volume. Throws E_UNSUPPORTED for kinds that processes of this machine cannot be given. */
export function volumeContent(volume: JsonObject, context: VolumeContext): VolumeContent {
  if (objectAt(volume, "emptyDir") !== undefined) return { kind: "empty" };
  const secret = objectAt(volume, "secret");
  if (secret !== undefined) {
    const reference = { ...secret, name: textAt(secret, "secretName") ?? "" };
    return { kind: "files", isLive: true, read: () => sourceFiles(context, "secret", reference) };
  }
  const configMap = objectAt(volume, "configMap");
  if (configMap !== undefined) {
    return { kind: "files", isLive: true, read: () => sourceFiles(context, "configMap", configMap) };
  }
  const downward = objectAt(volume, "downwardAPI");
  if (downward !== undefined) {
    return { kind: "files", isLive: true, read: async () => downwardFiles(context, downward) };
  }
  const projected = objectAt(volume, "projected");
  if (projected !== undefined) {
    const sources = objectsAt(projected, "sources");
    // What the API server adds to each Pod is written again with its token.
    const isOwnAccess = textAt(volume, "name")?.startsWith("kube-api-access-") === true;
    const isLive = !isOwnAccess && sources.some((source) => objectAt(source, "serviceAccountToken") === undefined);
    const defaultMode = numberAt(projected, "defaultMode") ?? ordinaryMode;
    const read = () => projectedFiles(context, sources, defaultMode);
    return { kind: "files", isLive, read };
  }
  const kind = Object.keys(volume).find((key) => key !== "name") ?? "none";
  throw new AppError("E_UNSUPPORTED", `volumes of kind ${kind} cannot be given to a local process`);
}

async function projectedFiles(
  context: VolumeContext,
  sources: readonly JsonObject[],
  defaultMode: number,
): Promise<VolumeFiles> {
  const files: [string, VolumeFile][] = [];
  for (const source of sources) {
    appendAll(files, Object.entries(await projectedSource(context, source, defaultMode)));
  }
  return Object.fromEntries(files);
}

async function projectedSource(context: VolumeContext, source: JsonObject, defaultMode: number): Promise<VolumeFiles> {
  const token = objectAt(source, "serviceAccountToken");
  if (token !== undefined) {
    const expirationSeconds = numberAt(token, "expirationSeconds") ?? 3600;
    const content = await context.token({ expirationSeconds, audience: textAt(token, "audience") ?? "" });
    return { [safePath(textAt(token, "path") ?? "token")]: { content, mode: defaultMode } };
  }
  const secret = objectAt(source, "secret");
  if (secret !== undefined) return sourceFiles(context, "secret", { ...secret, defaultMode });
  const configMap = objectAt(source, "configMap");
  if (configMap !== undefined) return sourceFiles(context, "configMap", { ...configMap, defaultMode });
  const downward = objectAt(source, "downwardAPI");
  if (downward !== undefined) return downwardFiles(context, { ...downward, defaultMode });
  throw new AppError("E_UNSUPPORTED", `projected volumes cannot have ${Object.keys(source).join(", ")} here`);
}

async function sourceFiles(
  { read, pod }: VolumeContext,
  kind: "configMap" | "secret",
  reference: JsonObject,
): Promise<VolumeFiles> {
  const name = textAt(reference, "name") ?? "";
  const data = await read(kind, name);
  if (data === undefined) {
    if (isOptional(reference)) return {};
    throw missingSource(notFoundText(kind, name));
  }
  const items = objectsAt(reference, "items");
  if (items.length === 0) {
    const mode = modeOf({}, reference);
    const whole = Object.entries(data).map(([key, content]) => [safePath(key), { content, mode }] as const);
    return Object.fromEntries(whole);
  }
  const files: Record<string, VolumeFile> = {};
  for (const item of items) {
    const key = textAt(item, "key") ?? "";
    const content = ownValue(data, key);
    if (content !== undefined)
      files[safePath(textAt(item, "path") ?? key)] = { content, mode: modeOf(item, reference) };
    else if (!isOptional(reference)) {
      throw missingSource(`references non-existent ${kind} key: ${pod.metadata.namespace ?? ""}/${name}/${key}`);
    }
  }
  return files;
}

function downwardFiles({ pod, node }: VolumeContext, source: JsonObject): VolumeFiles {
  const files: Record<string, VolumeFile> = {};
  for (const item of objectsAt(source, "items")) {
    const path = safePath(textAt(item, "path") ?? "");
    const fieldPath = textAt(item, "fieldRef", "fieldPath");
    const resource = objectAt(item, "resourceFieldRef");
    const value =
      fieldPath === undefined ? resourceField(pod, resource ?? {}, node) : downwardField(pod, fieldPath, node);
    files[path] = { content: Buffer.from(value), mode: modeOf(item, source) };
  }
  return files;
}

function modeOf(item: JsonObject, source: JsonObject): number {
  return numberAt(item, "mode") ?? numberAt(source, "defaultMode") ?? ordinaryMode;
}

/** The API server's validation refuses such paths; a node must not rely on it. */
function safePath(path: string): string {
  if (!isVolumePath(path))
    throw new AppError("E_UNSAFE_PATH", `the volume path ${JSON.stringify(path)} leaves its volume`);
  return path;
}
