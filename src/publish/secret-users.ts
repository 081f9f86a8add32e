import { appendAll } from "../core/append-all.ts";
import type { Clock } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";

/** The objects of other tools that use a published Secret, as `Kind/namespace/name`; undefined when that may not be read. */
export type UsersOf = (secret: KubeObject, signal: AbortSignal) => Promise<readonly string[] | undefined>;

/**
 * Looks for Applications of Argo CD in all namespaces, and for Kustomizations and HelmReleases of Flux in the namespace of
 * the Secret, which is the only one that they can name. A kind that the hub does not serve has no objects.
 */
export function createUserFinder({
  hubApi,
  clock,
  lifetimeMs,
}: {
  readonly hubApi: Pick<KubeApi, "list">;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** A list serves all Secrets that ask within this time. */
  readonly lifetimeMs: number;
}): UsersOf {
  const lists = new Map<
    string,
    { readonly atMs: number; readonly items: Promise<readonly KubeObject[] | undefined> }
  >();

  function list(type: ResourceType, namespace: string | undefined, signal: AbortSignal) {
    const key = `${type.plural}.${type.group}/${namespace ?? ""}`;
    const nowMs = clock.monotonicMs();
    const known = lists.get(key);
    if (known !== undefined && nowMs - known.atMs < lifetimeMs) return known.items;
    const items = read(type, namespace, signal);
    lists.set(key, { atMs: nowMs, items });
    items.catch(() => lists.delete(key)); // whoever asked gets the error
    return items;
  }

  async function read(type: ResourceType, namespace: string | undefined, signal: AbortSignal) {
    try {
      const { items } = await hubApi.list(type, { ...(namespace === undefined ? {} : { namespace }), signal });
      return items;
    } catch (error) {
      if (isAppError(error, "E_KUBE_NOT_FOUND")) return [];
      if (isAppError(error, "E_KUBE_FORBIDDEN")) return undefined;
      throw error;
    }
  }

  return async (secret, signal) => {
    const { namespace = "", name } = secret.metadata;
    if (isArgoSecret(secret)) {
      const applications = await list(resourceTypes.argoApplication, undefined, signal);
      return applications?.filter((one) => isDestination(one, secret)).map(nameOf(resourceTypes.argoApplication));
    }
    const found: string[] = [];
    for (const type of [resourceTypes.fluxKustomization, resourceTypes.fluxHelmRelease]) {
      const items = await list(type, namespace, signal);
      if (items === undefined) return undefined;
      const users = items.filter((one) => textAt(one, "spec", "kubeConfig", "secretRef", "name") === name);
      appendAll(found, users.map(nameOf(type)));
    }
    return found;
  };
}

/** True for a Secret by which Argo CD knows a cluster. */
export function isArgoSecret({ metadata }: KubeObject): boolean {
  return metadata.labels?.["argocd.argoproj.io/secret-type"] === "cluster";
}

/** An Application names its destination by address or by name. Source: Argo CD, ApplicationDestination. */
function isDestination(application: KubeObject, secret: KubeObject): boolean {
  const server = textAt(application, "spec", "destination", "server");
  if (server !== undefined && server !== "") return withoutSlash(server) === withoutSlash(decoded(secret, "server"));
  return textAt(application, "spec", "destination", "name") === decoded(secret, "name");
}

function withoutSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}

function decoded(secret: KubeObject, key: string): string {
  return Buffer.from(textAt(secret, "data", key) ?? "", "base64").toString("utf8");
}

function nameOf(type: ResourceType): (object: KubeObject) => string {
  return (object) => describeRef(refOf(type, object));
}
