import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { AppError, isAppError } from "../../core/errors.ts";
import { startTimer } from "../../core/timer.ts";
import { silentLog } from "../../core/log.ts";
import { leastTotal } from "../../core/long-work.ts";
import { compareNames } from "../../core/compare-names.ts";
import { countOf, oneOrMany } from "../../core/count-of.ts";
import { isTrueAt } from "../../core/read-json.ts";
import { startHubControllers } from "../../hub/controllers/controllers.ts";
import { readTrustKey } from "../../hub/trust-key.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { runAsLeader } from "../../kube/leader-election.ts";
import type { KubeConnection } from "../../kube/connection.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { refOf } from "../../model/kubernetes.ts";
import { namespacedName } from "../../model/namespaced-name.ts";
import type { HubFacts } from "../../model/member.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../../model/well-known.ts";
import { createProgressBar } from "../render/progress-bar.ts";
import type { PlainContext } from "./command-context.ts";
import { announcedEndpoint } from "../../daemon/announced-endpoint.ts";
import { protocolsWith, servedProtocols } from "../../daemon/foreign-protocols.ts";
import { leadership, leaseNames } from "../../daemon/leadership.ts";
import { realClock, realRandom } from "../../system/real-clock.ts";
import { listIfServed } from "./uninstall-remains.ts";
import { ensureIdentity, openHubPorts } from "../../daemon/wire-hub.ts";

/** In the place of the commit that removed a file: these leaves come from no commit. */
export const noCommit = "0".repeat(40);
/** Each Lease of a daemon that was killed, or could not give it back any more, ends within this. */
const leaseWaitMs = 15_000;
const waitNoticeMs = 2_000;
const pollMs = 200;
const listEveryMs = 2_000;

export interface RemovalOptions {
  readonly hubApi: KubeApi;
  readonly connection: KubeConnection;
  readonly namespace: string;
  readonly clusters: readonly Cluster[];
  readonly timeoutMs: number;
}

/**
 * Removes every cluster, as the daemon does when its file is deleted, and uninstalls the agent with any deletion
 * policy. Resolves with the clusters that remain after the timeout, and those that joined meanwhile.
 * @throws E_USAGE while a daemon holds the Leases, also one without clusters, and before anything is removed for a cluster that
 * is none of these or is protected; E_KUBE_NOT_FOUND without the daemon's namespace; what the API server answers where the Leases
 * cannot be written
 */
export async function removeMembers(context: PlainContext, options: RemovalOptions): Promise<readonly Cluster[]> {
  const { hubApi, namespace, clusters } = options;
  const name = { type: resourceTypes.namespace, name: namespace };
  if ((await hubApi.get(name, { signal: context.signal })) === undefined) {
    if (clusters.length === 0) {
      await refuseChanged(options, context.signal);
      return [];
    }
    throw new AppError(
      "E_KUBE_NOT_FOUND",
      `Namespace/${namespace} is not on the hub: name the daemon's with --namespace`,
    );
  }
  return whileLeading(options, context, async (signal) => {
    await refuseChanged(options, signal);
    return clusters.length === 0 ? [] : leaveAll(context, options, signal);
  });
}

/** No daemon works on the fleet meanwhile: both Leases of the daemon are held. */
async function whileLeading<T>(
  { hubApi, namespace }: RemovalOptions,
  { signal, stdout }: PlainContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const waiting = new AbortController();
  const startDeadline = (): (() => void) => startTimer(leaseWaitMs, () => waiting.abort());
  let cancelDeadline = startDeadline();
  const cancelNotice = startTimer(waitNoticeMs, () =>
    stdout.write("Waiting for the Leases that a daemon left or holds, for half a minute at most.\n"),
  );
  const identity = `uninstall-${randomUUID().slice(0, 8)}`;
  let outcome: { readonly value: T } | undefined;
  let failure: Error | undefined;
  const elect = (name: string, until: AbortSignal, onLeading: (leading: AbortSignal) => Promise<void>): Promise<void> =>
    runAsLeader(hubApi, {
      ...leadership,
      namespace,
      name,
      identity,
      clock: realClock,
      random: realRandom,
      signal: until,
      onLeading,
      onError: (error) => {
        if (error instanceof Error) failure = error;
      },
    });
  try {
    await elect(leaseNames.repository, AbortSignal.any([signal, waiting.signal]), (first) => {
      // Only from now on is the second one watched for its end.
      cancelDeadline();
      cancelDeadline = startDeadline();
      return elect(leaseNames.hub, first, async (leading) => {
        cancelDeadline();
        cancelNotice();
        outcome = { value: await work(leading) };
      });
    });
  } finally {
    cancelDeadline();
    cancelNotice();
  }
  signal.throwIfAborted();
  if (outcome === undefined) {
    if (failure !== undefined) throw failure;
    throw new AppError(
      "E_USAGE",
      `a daemon in namespace ${namespace} still runs: remove it first, with helm uninstall; the fleet of \`rollcall up\` is removed with its folder`,
    );
  }
  return outcome.value;
}

async function leaveAll(
  { environment, settings, stdout }: PlainContext,
  options: RemovalOptions,
  signal: AbortSignal,
): Promise<readonly Cluster[]> {
  const { hubApi, namespace, clusters, timeoutMs } = options;
  setMaxListeners(0, signal);
  const known = await readTrustKey({ hubApi, namespace, signal });
  const endpoint = (known && (await announcedEndpoint(hubApi, known, signal))) ?? (await ownEndpoint(options));
  const identity = known ?? (await ensureIdentity({ hubApi, namespace, endpoint, signal }));
  const used = new Set(clusters.map(({ spec }) => spec?.protocol ?? "rollcall"));
  const progress = createRemovalProgress(stdout, clusters.length);
  const running: { controllers?: ReturnType<typeof startHubControllers> } = {};
  const hub = await openHubPorts({
    hubApi,
    namespace,
    identity,
    endpoint,
    agentImage: "rollcall",
    protocols: protocolsWith(servedProtocols(settings, (name) => used.has(name))),
    repositories: () => [],
    environment,
    enqueueMember: (workspace, name) => running.controllers?.enqueueMember(workspace, name),
    log: silentLog,
    signal,
  });
  try {
    running.controllers = startHubControllers(hub.ports, { random: realRandom, onProposal: () => undefined });
    for (const cluster of clusters) await orderOffboarding(hubApi, cluster, signal);
    const deadlineMs = realClock.monotonicMs() + timeoutMs;
    for (;;) {
      const isLate = realClock.monotonicMs() > deadlineMs;
      const seen = remaining(hub.ports.view.list(resourceTypes.cluster), clusters);
      // The watch shows the work; the list, which costs a large fleet's hub seconds, shows its end.
      const isDone = isLate || seen.length === 0;
      const all = isDone ? (await hubApi.list(resourceTypes.cluster, { signal })).items : [];
      const left = isDone ? remaining(all, clusters) : seen;
      progress.show(clusters.length - left.length);
      if (left.length === 0 || isLate) return all as readonly unknown[] as readonly Cluster[];
      await realClock.sleep(isDone ? listEveryMs : pollMs, signal);
    }
  } finally {
    progress.end();
    await running.controllers?.stop();
    await hub.stop();
  }
}

/** @throws E_USAGE for a cluster that was not there when its removal was confirmed, and as {@link refuseProtected} */
async function refuseChanged({ hubApi, clusters }: RemovalOptions, signal: AbortSignal): Promise<void> {
  const found = (await listIfServed(hubApi, resourceTypes.cluster, {
    signal,
  })) as readonly unknown[] as readonly Cluster[];
  refuseProtected(found);
  const known = new Set(clusters.map(({ metadata }) => metadata.uid));
  const names = namesOf(found.filter(({ metadata }) => !known.has(metadata.uid)));
  if (names === "") return;
  throw new AppError("E_USAGE", `nothing was removed: ${names} was not there before; run the command again`);
}

/** @throws E_USAGE */
export function refuseProtected(clusters: readonly Cluster[]): void {
  const names = namesOf(clusters.filter((cluster) => isTrueAt(cluster, "spec", "deletionProtection")));
  if (names === "") return;
  throw new AppError("E_USAGE", `deletionProtection is on for ${names}: take it off first, by a commit`);
}

function namesOf(clusters: readonly Cluster[]): string {
  return clusters.map(namespacedName).sort(compareNames).join(", ");
}

async function orderOffboarding(hubApi: KubeApi, cluster: Cluster, signal: AbortSignal): Promise<void> {
  const annotations = { [annotationKeys.leave]: noCommit, [annotationKeys.reconcile]: null };
  const spec = { deletionPolicy: "Uninstall", deletionGracePeriod: null };
  const ref = refOf(resourceTypes.cluster, cluster);
  try {
    await hubApi.mergePatch(ref, { metadata: { annotations }, spec }, { fieldManager: fieldManagers.operator, signal });
  } catch (error) {
    // The controllers work already: one that a stopped run had ordered to leave may have left.
    if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
  }
}

/** Those of `found` that are among the clusters to be removed. */
function remaining(found: readonly KubeObject[], clusters: readonly Cluster[]): readonly Cluster[] {
  const uids = new Set(clusters.map(({ metadata }) => metadata.uid));
  return (found as readonly unknown[] as readonly Cluster[]).filter(({ metadata }) => uids.has(metadata.uid));
}

/** A bar on a terminal and a line at each tenth elsewhere; of a small fleet a line whenever clusters have left. */
function createRemovalProgress(stdout: PlainContext["stdout"], total: number) {
  const bar = createProgressBar(stdout, "Removed", "cluster");
  const isLarge = total >= leastTotal;
  let reported = 0;
  return {
    show: (removed: number): void => {
      if (isLarge) return bar.show(removed, total);
      if (removed > reported)
        stdout.write(`${removed} of ${countOf(total, "cluster")} ${oneOrMany(total, "has", "have")} left\n`);
      reported = removed;
    },
    end: () => bar.end(),
  };
}

async function ownEndpoint({ connection }: RemovalOptions): Promise<HubFacts["endpoint"]> {
  return { url: connection.server, caBundle: (await connection.getTls()).caPem ?? "" };
}
