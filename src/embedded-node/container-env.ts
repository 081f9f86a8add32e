import { ownValue } from "../core/own-value.ts";
import { objectAt, textAt } from "../core/read-json.ts";
import type { JsonObject } from "../core/json.ts";
import { downwardField, resourceField } from "./downward-fields.ts";
import type { NodeFacts } from "./downward-fields.ts";
import { expandVariables } from "./expand-variables.ts";
import type { KubeObject } from "./node-types.ts";
import type { ContainerSpec } from "./pod-spec.ts";
import { isOptional, missingSource, notFoundText } from "./read-sources.ts";
import type { ReadSource } from "./read-sources.ts";

export interface EnvOptions {
  readonly pod: KubeObject;
  readonly container: ContainerSpec;
  readonly node: NodeFacts;
  readonly read: ReadSource;
  /** The API server's address for Pods. */
  readonly service: { readonly host: string; readonly port: string };
}

/**
 * A container's variables, in the order in which later ones win: the service's, envFrom, env with `$(NAME)` replaced.
 * Throws E_KUBE_NOT_FOUND when something that is not optional is missing.
 */
export async function containerEnv(options: EnvOptions): Promise<Record<string, string>> {
  const { container, service } = options;
  const values: Record<string, string> = {
    KUBERNETES_SERVICE_HOST: service.host,
    KUBERNETES_SERVICE_PORT: service.port,
    KUBERNETES_SERVICE_PORT_HTTPS: service.port,
  };
  for (const source of container.envFrom) Object.assign(values, await readAll(options, source));
  for (const variable of container.env) {
    const name = textAt(variable, "name") ?? "";
    const reference = objectAt(variable, "valueFrom");
    const value =
      reference === undefined
        ? expandVariables(textAt(variable, "value") ?? "", values)
        : await readReference(options, reference);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

async function readAll(options: EnvOptions, source: JsonObject): Promise<Record<string, string>> {
  const prefix = textAt(source, "prefix") ?? "";
  for (const [field, kind] of sourceKinds) {
    const reference = objectAt(source, `${field}Ref`);
    if (reference === undefined) continue;
    const name = textAt(reference, "name") ?? "";
    const data = await options.read(kind, name);
    if (data === undefined && !isOptional(reference)) throw missingSource(notFoundText(kind, name));
    const named = Object.entries(data ?? {}).map(
      ([key, value]) => [`${prefix}${key}`, value.toString("utf8")] as const,
    );
    // What is no variable name is left out, as kubelets do.
    return Object.fromEntries(named.filter(([variable]) => /^[-._a-zA-Z][-._a-zA-Z0-9]*$/u.test(variable)));
  }
  return {};
}

const sourceKinds = [
  ["configMap", "configMap"],
  ["secret", "secret"],
] as const;

async function readReference(options: EnvOptions, reference: JsonObject): Promise<string | undefined> {
  const field = objectAt(reference, "fieldRef");
  if (field !== undefined) return downwardField(options.pod, textAt(field, "fieldPath") ?? "", options.node);
  const resource = objectAt(reference, "resourceFieldRef");
  if (resource !== undefined) return resourceField(options.pod, resource, options.node, options.container.name);
  for (const [fieldName, kind] of sourceKinds) {
    const key = objectAt(reference, `${fieldName}KeyRef`);
    if (key !== undefined) return readKey(options, kind, key);
  }
  return undefined;
}

async function readKey(
  { pod, read }: EnvOptions,
  kind: "configMap" | "secret",
  reference: JsonObject,
): Promise<string | undefined> {
  const name = textAt(reference, "name") ?? "";
  const key = textAt(reference, "key") ?? "";
  const data = await read(kind, name);
  const value = data && ownValue(data, key);
  if (value !== undefined) return value.toString("utf8");
  if (isOptional(reference)) return undefined;
  if (data === undefined) throw missingSource(notFoundText(kind, name));
  const label = kind === "secret" ? "Secret" : "ConfigMap";
  throw missingSource(`couldn't find key ${key} in ${label} ${pod.metadata.namespace ?? ""}/${name}`);
}
