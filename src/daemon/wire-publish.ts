import type { Log } from "../core/log.ts";
import { WorkQueue } from "../core/work-queue.ts";
import { secretValue } from "../hub/mint-credential.ts";
import type { HubView } from "../hub/hub-view.ts";
import { startKubeCache } from "../kube/kube-cache.ts";
import type { KubeApi } from "../kube/kube.ts";
import { readKubeconfig } from "../kube/read-kubeconfig.ts";
import type { Cluster } from "../model/generated/cluster.ts";
import { describeRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { publishCluster, publishedKey, publishedKinds, publishedSelector } from "../publish/publish.ts";
import type { PublishTargets } from "../publish/publish.ts";
import type { ClusterAccess } from "../publish/published-objects.ts";
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

/** Publishes every Cluster of the view, and again whatever changes, until it is stopped. Only the leader may. */
export function startPublisher(options: {
  readonly hubApi: KubeApi;
  readonly view: HubView;
  readonly targets: PublishTargets;
  readonly log: Log;
}): { stop(): Promise<void> } {
  const { hubApi, view, targets, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const kinds = publishedKinds(targets);
  if (kinds.length === 0) return { stop: () => Promise.resolve() };
  const real = { clock: realClock, random: realRandom };
  const queue = new WorkQueue({
    ...real,
    concurrency: 4,
    work: async (key, workSignal) => {
      const [workspace = "", name = ""] = key.split("/");
      // Of a namespace that is no workspace (any more) nothing is known: what tells of it stays.
      if (view.workspaces.includes(workspace)) await publishCluster(context, { workspace, name }, workSignal);
      return undefined;
    },
    onError: (key, error, retryInMs) => log.warn("publishing failed", { cluster: key, error, retryInMs }),
  });
  const state = { isListed: false };
  const keys = new Map<string, string>();
  const published = kinds.map(({ type, namespace }) =>
    startKubeCache(
      hubApi,
      type,
      {
        ...(namespace === undefined ? {} : { namespace }),
        labelSelector: publishedSelector,
        onChange: ({ ref, object }) => {
          // What somebody deletes is made again; a deletion does not say whom it was of.
          const key = object ? publishedKey(object) : keys.get(describeRef(ref));
          if (key === undefined) return;
          keys.set(describeRef(ref), key);
          if (state.isListed) queue.add(key);
        },
        onError: (error) => log.warn("watching what is published failed", { kind: type.kind, error }),
      },
      real,
    ),
  );
  const context = {
    hubApi,
    targets,
    clusterOf: (workspace: string, name: string) =>
      view.get({ type: resourceTypes.cluster, namespace: workspace, name }) as Cluster | undefined,
    kubeconfigOf: (cluster: Cluster) => kubeconfigOf(view, cluster),
    readAccess,
    published,
  };
  const wake = (): void => {
    for (const { metadata } of view.list(resourceTypes.cluster)) queue.add(`${metadata.namespace}/${metadata.name}`);
    for (const cache of published) for (const object of cache.list()) queue.add(publishedKey(object));
  };
  const unsubscribe = view.subscribe(({ ref }) => {
    if (!state.isListed) return;
    if (ref.type === resourceTypes.cluster) queue.add(`${ref.namespace}/${ref.name}`);
    if (ref.type !== resourceTypes.secret) return;
    for (const { metadata, spec } of view.list(resourceTypes.cluster) as readonly Cluster[]) {
      const isNamed = metadata.namespace === ref.namespace && spec?.kubeConfigSecretRef?.name === ref.name;
      if (isNamed) queue.add(`${metadata.namespace}/${metadata.name}`);
    }
  });
  // Not before everything is listed: what is not known yet must not look as if it were gone.
  const listed = Promise.all([view.whenSynced(signal), ...published.map((cache) => cache.whenSynced(signal))]).then(
    () => {
      state.isListed = true;
      wake();
    },
    () => undefined, // stopped before
  );
  return {
    stop: async () => {
      unsubscribe();
      stopping.abort();
      await queue.stop();
      await Promise.all(published.map((cache) => cache.stop()));
      await listed;
    },
  };
}

function kubeconfigOf(view: HubView, { metadata, spec }: Cluster): string | undefined {
  const ref = spec?.kubeConfigSecretRef;
  if (ref === undefined) return undefined;
  const secret = view.get({ type: resourceTypes.secret, namespace: metadata.namespace ?? "", name: ref.name });
  return secret && secretValue(secret, ref.key ?? "value");
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
