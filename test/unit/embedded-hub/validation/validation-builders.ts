import type { Json, JsonObject } from "../../../../src/core/json.ts";
import type { FieldError } from "../../../../src/embedded-hub/schema/schema.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

/** `Required spec.ports`: what is wrong, and where. */
export function problemsOf(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, reason }) => `${reason.replace("FieldValue", "")} ${field}`);
}

/** `spec.ports: Required value`, as an API server reports what is wrong. */
export function textsOf(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

/** A change of one place of an object: `spec.containers.0.image`, and its value; undefined takes it away. */
export type Change = readonly [path: string, value: Json | undefined];

/** A copy with the changes; objects on the way are made. */
export function changed<T extends JsonObject | KubeObject>(object: T, ...changes: readonly Change[]): T {
  return changes.reduce<Json>((one, [path, value]) => withValue(one, path.split("."), value), object as Json) as T;
}

function withValue(holder: Json, [key, ...rest]: readonly string[], value: Json | undefined): Json {
  if (key === undefined) return value ?? null;
  const inner = (holder as Record<string, Json> | null)?.[key] ?? {};
  const next = rest.length === 0 ? value : withValue(inner, rest, value);
  if (Array.isArray(holder)) {
    const list = [...(holder as readonly Json[])];
    list[Number(key)] = next ?? null;
    return list;
  }
  const copy = { ...(holder as Record<string, Json>) };
  if (next === undefined) delete copy[key];
  else copy[key] = next;
  return copy;
}

/** A spec of a Pod with everything that is defaulted. */
export const podSpec: JsonObject = {
  containers: [
    {
      name: "web",
      image: "nginx",
      imagePullPolicy: "Always",
      terminationMessagePolicy: "File",
      ports: [{ name: "http", containerPort: 80, protocol: "TCP" }],
    },
  ],
  restartPolicy: "Always",
  dnsPolicy: "ClusterFirst",
  terminationGracePeriodSeconds: 30,
};

export const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "shop" },
  spec: podSpec,
};
