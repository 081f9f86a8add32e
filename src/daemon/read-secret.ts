import { AppError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { KubeApi } from "../kube/kube.ts";
import { resourceTypes } from "../model/resource-types.ts";

export interface SecretEntries {
  /** Changes whenever the Secret does. */
  readonly version: string;
  /** By key, as text. */
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * Reads a Secret that a Repository names.
 * @throws E_KUBE_NOT_FOUND when it is not there
 */
export async function readSecret(
  hubApi: KubeApi,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<SecretEntries> {
  const secret = await hubApi.get({ type: resourceTypes.secret, namespace, name });
  if (!secret)
    throw new AppError("E_KUBE_NOT_FOUND", `read Secret/${namespace}/${name}: it is not on the hub`, {
      remedy: `Create it, or correct the name: \`kubectl --namespace ${namespace} get secrets\` lists what is there.`,
    });
  const { uid = "", resourceVersion = "" } = secret.metadata;
  const data = isJsonObject(secret["data"]) ? secret["data"] : {};
  const entries = Object.entries(data).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[key, Buffer.from(value, "base64").toString("utf8")]] : [],
  );
  return { version: `${uid} ${resourceVersion}`, entries: new Map(entries) };
}
