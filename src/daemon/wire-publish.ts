import { listingRetryMs } from "../hub/controller-queue.ts";
import { parseGoDuration } from "../core/formats/go-duration.ts";
import { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { silentLog } from "../core/log.ts";
import { quietRepeats } from "../core/quiet-repeats.ts";
import { WorkQueue } from "../core/work-queue.ts";
import { secretValue } from "../hub/issue-credential.ts";
import type { HubPorts } from "../hub/hub-ports.ts";
import { secretUsers } from "../hub/secret-users.ts";
import type { HubView } from "../hub/hub-view.ts";
import { WatchFailures } from "../hub/watch-failures.ts";
import { startKubeCache } from "../kube/kube-cache.ts";
import type { KubeApi, KubeCache, KubeCacheOptions } from "../kube/kube.ts";
import { readKubeconfig } from "../kube/read-kubeconfig.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import { hasPublishedSecret, publishCluster, publishedKinds } from "../publish/publish.ts";
import { publishedSelector } from "../publish/publish.ts";
import { createAddressClaims } from "../publish/published-address.ts";
import { createPublishedIndex, publishedKey } from "../publish/published-index.ts";
import type { NamedKubeconfig, PublishTargets } from "../publish/publish.ts";
import { requeueAfterMs } from "../publish/retire-secret.ts";
import type { ForcedRemoval, RemovalRules } from "../publish/retire-secret.ts";
import { createUserFinder } from "../publish/secret-users.ts";
import type { ClusterAccess } from "../model/inline-kubeconfig.ts";
import { realClock, realRandom } from "../system/real-clock.ts";
import type { Settings } from "../settings/settings.ts";

export function publishTargets(settings: Settings): PublishTargets {
  const argocd = settings.text("publish-argocd");
  const flux = settings.text("publish-flux");
  return {
    clusterProfiles: settings.isOn("publish-cluster-profiles"),
    ...(argocd === undefined ? {} : { argocd }),
    ...(flux === undefined ? {} : { flux }),
  };
}

/** @throws E_USAGE for a time that is none */
export function publishRemoval(settings: Settings): RemovalRules {
  const timeout = settings.requiredText("publish-removal-timeout");
  const timeoutMs = parseGoDuration(timeout);
  if (timeoutMs === undefined || timeoutMs < 0)
    throw new AppError("E_USAGE", `--publish-removal-timeout: ${timeout} is no duration such as 15m`);
  return { timeoutMs, unselects: settings.text("publish-argocd-removal") === "Unselect" };
}

export interface Publisher {
  /** See HubPorts.publishedHoldMs. */
  readonly holdMs: HubPorts["publishedHoldMs"];
  stop(): Promise<void>;
}

/** After the publisher's own deadline, an offboarding continues without waiting for the Secrets. */
const holdMarginMs = 120_000;
const holdAgainMs = 15_000;

export interface PublisherOptions {
  readonly hubApi: KubeApi;
  readonly view: HubView;
  readonly targets: PublishTargets;
  readonly removal: RemovalRules;
  readonly events?: HubPorts["events"];
  /** Called for each Cluster of which no Secret is published any more. */
  readonly onReleased: (workspace: string, name: string) => void;
  readonly log: Log;
}

/** Publishes every Cluster of the view, and again whatever changes, until it is stopped. Only the leader may. */
export function startPublisher(options: PublisherOptions): Publisher {
  const { hubApi, view, targets, removal } = options;
  const log = quietRepeats(options.log, realClock);
  const stopping = new AbortController();
  const { signal } = stopping;
  if (publishedKinds(targets).length === 0) return { holdMs: () => 0, stop: () => Promise.resolve() };
  const queue = new WorkQueue({
    clock: realClock,
    random: realRandom,
    concurrency: 4,
    work: async (key, workSignal) => {
      const [workspace = "", name = ""] = key.split("/");
      // A namespace that is no workspace (any more) is not watched: its published objects stay.
      if (!view.isWorkspace(workspace)) return undefined;
      return view.isBeingListed(workspace) ? listingRetryMs : publishCluster(context, { workspace, name }, workSignal);
    },
    onError: (key, error, retryInMs) => log.warn("publishing failed", { cluster: key, error, retryInMs }),
  });
  const state = { isListed: false };
  const index = createPublishedIndex();
  const published = watchPublished(options, ({ ref, object }) => {
    // Deleted objects are created again; a deletion does not name its Cluster.
    const key = index.record({ ref, object });
    if (key === undefined || !state.isListed) return;
    queue.add(key);
    if (object === undefined && !hasPublishedSecret(index, key)) options.onReleased(...splitKey(key));
  });
  const context = {
    hubApi,
    targets,
    clusterOf: (workspace: string, name: string) =>
      view.get({ type: resourceTypes.cluster, namespace: workspace, name }) as Cluster | undefined,
    kubeconfigOf: (cluster: Cluster) => kubeconfigOf(view, cluster),
    readAccess,
    published,
    publishedIndex: index,
    claims: createAddressClaims(),
    removal,
    usersOf: createUserFinder({ hubApi, clock: realClock, lifetimeMs: requeueAfterMs(removal) / 3 }),
    nowMs: () => realClock.nowMs(),
    onForced: (removed: ForcedRemoval) => reportForced(options, removed),
  };
  const unsubscribe = onClusterChange(view, (key) => {
    if (state.isListed) queue.add(key);
  });
  // Not before everything is listed: an unknown object must not be taken for a deleted one.
  const listed = Promise.all([view.whenSynced(signal), ...published.map((cache) => cache.whenSynced(signal))]).then(
    () => {
      state.isListed = true;
      for (const { metadata } of view.list(resourceTypes.cluster)) queue.add(`${metadata.namespace}/${metadata.name}`);
      for (const cache of published) for (const object of cache.list()) queue.add(publishedKey(object));
    },
    () => undefined, // stopped before
  );
  return {
    holdMs: ({ workspace, name, cluster }, beganMs) => {
      if (cluster.metadata.annotations?.[annotationKeys.revoked] !== undefined) return 0;
      if (realClock.nowMs() > beganMs + removal.timeoutMs + holdMarginMs) return 0;
      return state.isListed && !hasPublishedSecret(index, `${workspace}/${name}`) ? 0 : holdAgainMs;
    },
    stop: async () => {
      unsubscribe();
      stopping.abort();
      await queue.stop();
      await Promise.all(published.map((cache) => cache.stop()));
      await listed;
    },
  };
}

function watchPublished(
  { hubApi, targets, log }: PublisherOptions,
  onChange: NonNullable<KubeCacheOptions["onChange"]>,
): readonly KubeCache[] {
  const failures = new WatchFailures(log, realClock, silentLog);
  return publishedKinds(targets).map(({ type, namespace }) => {
    const selection = { ...(namespace === undefined ? {} : { namespace }), labelSelector: publishedSelector };
    const real = { clock: realClock, random: realRandom };
    return startKubeCache(hubApi, type, failures.loggedOptions(type, { ...selection, onChange }), real);
  });
}

/** Calls `onChange` with each Cluster that changes, or whose kubeconfig's Secret does. Returns what ends it. */
function onClusterChange(view: HubView, onChange: (key: string) => void): () => void {
  const named = secretUsers(view.list(resourceTypes.cluster), ({ spec }) =>
    spec?.kubeConfigSecretRef === undefined ? [] : [spec.kubeConfigSecretRef.name],
  );
  return view.subscribe(({ ref, object, before }) => {
    if (ref.type === resourceTypes.cluster) {
      named.record(before, object);
      onChange(`${ref.namespace}/${ref.name}`);
    }
    if (ref.type !== resourceTypes.secret) return;
    for (const name of named.of(ref.namespace ?? "", ref.name)) onChange(`${ref.namespace}/${name}`);
  });
}

/** A Secret that may be used was removed: in the log, and as an event of its Cluster. */
function reportForced({ view, events, log }: PublisherOptions, { ref, object, users }: ForcedRemoval): void {
  const [namespace, name] = splitKey(publishedKey(object));
  const used = users ?? "not known";
  log.warn("a published Secret is removed although it may be used", { object: describeRef(ref), users: used });
  const regarding = view.get({ type: resourceTypes.cluster, namespace, name });
  if (regarding === undefined) return;
  const by = users === undefined ? "the daemon may not see what uses it" : `it is used by ${users.join(", ")}`;
  const message = `${describeRef(ref)} is removed although ${by}: what it was given for may be left behind.`;
  events?.record({ regarding, type: "Warning", reason: "PublishedSecretRemoved", message });
}

function splitKey(key: string): [workspace: string, name: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}

function kubeconfigOf(view: HubView, { metadata, spec }: Cluster): NamedKubeconfig | undefined {
  const ref = spec?.kubeConfigSecretRef;
  if (ref === undefined) return undefined;
  const secret = view.get({ type: resourceTypes.secret, namespace: metadata.namespace ?? "", name: ref.name });
  const text = secret && secretValue(secret, ref.key ?? "value");
  return secret && text !== undefined ? { text, isClusterApis: isOfClusterApi(secret) } : undefined;
}

/** Source: cluster-api, contract of control plane providers, Cluster kubeconfig management. */
function isOfClusterApi(secret: KubeObject): boolean {
  return (
    secret["type"] === "cluster.x-k8s.io/secret" ||
    secret.metadata.labels?.["cluster.x-k8s.io/cluster-name"] !== undefined
  );
}

/** How a kubeconfig's cluster is reached. Throws E_KUBECONFIG. */
export async function readAccess(kubeconfig: string): Promise<ClusterAccess> {
  const connection = readKubeconfig(kubeconfig);
  const tls = await connection.getTls();
  return {
    server: connection.server,
    ...tls,
    token: await connection.getToken?.(),
    tlsServerName: connection.tlsServerName,
    proxyUrl: connection.proxyUrl,
    disableCompression: connection.disableCompression,
  };
}
