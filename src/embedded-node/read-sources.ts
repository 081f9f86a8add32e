import { AppError } from "../core/errors.ts";
import { objectAt, textMapAt } from "../core/read-json.ts";
import type { KubeApi } from "../kube/kube.ts";
import { nodeResources } from "./node-types.ts";

/** The bytes of a ConfigMap or a Secret by key, or undefined when it does not exist. */
export type ReadSource = (
  kind: "configMap" | "secret",
  name: string,
) => Promise<Readonly<Record<string, Buffer>> | undefined>;

/** Reads ConfigMaps and Secrets of one namespace from the cluster. */
export function sourceReader(api: Pick<KubeApi, "get">, namespace: string, signal: AbortSignal): ReadSource {
  return async (kind, name) => {
    const object = await api.get({ type: nodeResources[kind], namespace, name }, { signal });
    if (object === undefined) return undefined;
    if (kind === "secret") return buffers(textMapAt(object, "data"), "base64");
    return { ...buffers(textMapAt(object, "data"), "utf8"), ...buffers(textMapAt(object, "binaryData"), "base64") };
  };
}

/** What a container or a volume needs is not there (yet). The message is the kubelet's. */
export function missingSource(message: string): AppError {
  return new AppError("E_KUBE_NOT_FOUND", message, { recovery: "waiting" });
}

/** `secret "x" not found`, the message of kubelets. */
export function notFoundText(kind: "configMap" | "secret", name: string): string {
  return `${kind === "secret" ? "secret" : "configmap"} ${JSON.stringify(name)} not found`;
}

/** True when the reference declares that it is optional. */
export function isOptional(reference: unknown): boolean {
  return objectAt(reference)?.["optional"] === true;
}

function buffers(map: Readonly<Record<string, string>>, encoding: "utf8" | "base64"): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, Buffer.from(value, encoding)]));
}
