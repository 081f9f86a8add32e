import { appendAll } from "../core/append-all.ts";
import type { Clock } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";

/**
 * The objects of other tools that use a published Secret, as `Kind/namespace/name`; undefined when that may not be read.
 * With `isFresh`, of lists that were read after the call; else of lists that may be a moment old.
 */
export type UsersOf = (
  secret: KubeObject,
  options: { readonly isFresh: boolean; readonly signal: AbortSignal },
) => Promise<readonly string[] | undefined>;

/**
 * Lists Applications of Argo CD in all namespaces, and Kustomizations and HelmReleases of Flux in the namespace of
 * the Secret, which is the only one that they can name. A kind that the hub does not serve has no objects.
 */
export function createUserFinder({
  hubApi,
  clock,
  lifetimeMs,
}: {
  readonly hubApi: Pick<KubeApi, "list">;
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">;
  /** A list serves all Secrets that ask within this time; those that need a new one wait for it together. */
  readonly lifetimeMs: number;
}): UsersOf {
  const lists = new Map<string, Lists>();

  function list(type: ResourceType, namespace: string | undefined, options: { isFresh: boolean; signal: AbortSignal }) {
    const key = `${type.plural}.${type.group}/${namespace ?? ""}`;
    const nowMs = clock.monotonicMs();
    const known = lists.get(key);
    if (known?.next !== undefined) return known.next;
    const ageMs = known === undefined ? Infinity : nowMs - known.atMs;
    if (known !== undefined && !options.isFresh && ageMs < lifetimeMs) return known.items;
    const begin = (): Promise<Items> => {
      const items = read(type, namespace, options.signal);
      lists.set(key, { atMs: clock.monotonicMs(), items });
      items.catch(() => lists.delete(key)); // the callers get the error
      return items;
    };
    if (known === undefined || ageMs >= lifetimeMs) return begin();
    const next = clock.sleep(lifetimeMs - ageMs, options.signal).then(begin);
    lists.set(key, { ...known, next });
    next.catch(() => lists.delete(key)); // the callers get the error
    return next;
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

  return async (secret, options) => {
    const { namespace = "", name } = secret.metadata;
    if (isArgoSecret(secret)) {
      const applications = await list(resourceTypes.argoApplication, undefined, options);
      return applications?.filter((one) => isDestination(one, secret)).map(nameOf(resourceTypes.argoApplication));
    }
    const found: string[] = [];
    for (const type of [resourceTypes.fluxKustomization, resourceTypes.fluxHelmRelease]) {
      const items = await list(type, namespace, options);
      if (items === undefined) return undefined;
      const users = items.filter((one) => textAt(one, "spec", "kubeConfig", "secretRef", "name") === name);
      appendAll(found, users.map(nameOf(type)));
    }
    return found;
  };
}

type Items = readonly KubeObject[] | undefined;

interface Lists {
  /** When (monotonic ms) the newest list was begun. */
  readonly atMs: number;
  readonly items: Promise<Items>;
  /** The one that begins when this one is old enough. */
  readonly next?: Promise<Items>;
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
