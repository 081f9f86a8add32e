import { userInfo } from "node:os";
import { AppError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { isTrueAt } from "../../core/read-json.ts";
import { shortCommit } from "../../core/short-commit.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Cluster } from "../../model/generated/cluster.ts";
import type { Repository } from "../../model/generated/repository.ts";
import type { KubeObject, ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../../model/well-known.ts";
import { checkApproval } from "../../planning/check-approval.ts";
import { toTime } from "../../planning/conditions.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import { pickCluster } from "./pick-cluster.ts";
import type { PlainContext } from "./command-context.ts";
import { readTimeout } from "./read-timeout.ts";
import { waitForRun } from "./wait-for-run.ts";
import { realClock } from "../../system/real-clock.ts";

// What a person sets by command: annotations and one field, written by manager rollcall-operator. Git is the source of truth
// for everything else.

/** `rollcall suspend [cluster]`: suspends one cluster, or the whole repository, until `resume`. */
export async function runSuspend(context: PlainContext): Promise<number> {
  return setSuspended(context, true);
}

/** `rollcall resume [cluster]` */
export async function runResume(context: PlainContext): Promise<number> {
  return setSuspended(context, false);
}

/**
 * `rollcall reconcile`: asks the daemon for a run now, and waits for it unless --no-wait is on. Exit code 1 when the run left the
 * Repository not ready. @throws E_WAIT_TIMEOUT
 */
export async function runReconcile(context: PlainContext): Promise<number> {
  const { settings, stdout, signal } = context;
  const { timeout, timeoutMs } = readTimeout(settings);
  return withHub(context, async (hubApi) => {
    const requested = new Date(realClock.nowMs()).toISOString();
    const ref = repositoryRef(context);
    const { spec } = await patch(hubApi, ref, annotate(annotationKeys.requestedAt, requested), signal);
    const isSuspended = isTrueAt(spec, "suspend");
    const next = isSuspended ? "It is suspended: nothing happens before rollcall resume." : "The daemon runs now.";
    stdout.write(`${describeRef(ref)} is asked to reconcile (request ${requested}). ${next}\n`);
    if (isSuspended || !settings.isOn("wait")) return 0;
    const onCommit = (commit: string): void => void stdout.write(`Commit ${shortCommit(commit)} is read.\n`);
    const run = await waitForRun(hubApi, ref, { request: requested, timeout, timeoutMs, signal, onCommit });
    stdout.write(`${run.text}\n`);
    return run.isReady ? 0 : 1;
  });
}

/**
 * `rollcall revoke <cluster>`: ends its credentials at once; git's file brings it back only when it changes. One that leaves
 * is not waited for any more.
 */
export async function runRevoke(context: PlainContext): Promise<number> {
  return withHub(context, async (hubApi) => {
    const cluster = await findCluster(hubApi, context);
    await confirm(context, `Revoke ${describeRef(clusterRef(cluster))}? Its agent loses its access at once.`);
    // The daemon fills in which version of the file this outranks.
    const value = `-/${operator()}/${toTime(realClock.nowMs())}`;
    await patch(hubApi, clusterRef(cluster), annotate(annotationKeys.revoked, value), context.signal);
    const isLeaving = cluster.metadata.annotations?.[annotationKeys.leave] !== undefined;
    const next = isLeaving
      ? "Its offboarding does not wait for its agent."
      : "To admit it again, change its file; install its agent again if it does not return.";
    context.stdout.write(`${describeRef(clusterRef(cluster))} is revoked. ${next}\n`);
  });
}

/**
 * `rollcall approve-deletions <commit> <count>`: lets withheld removals of one commit through.
 * @throws E_APPROVAL when it would let nothing through; then nothing is written
 */
export async function runApproveDeletions(context: PlainContext): Promise<number> {
  const [commit = "", count = ""] = context.args;
  if (!/^[0-9a-f]{7,64}$/u.test(commit) || !/^\d{1,6}$/u.test(count)) {
    throw new AppError("E_USAGE", "approve-deletions needs a commit (at least 7 digits) and a count");
  }
  return withHub(context, async (hubApi) => {
    const ref = repositoryRef(context);
    const repository = (await hubApi.get(ref, { signal: context.signal })) as Repository | undefined;
    if (!repository) throw new AppError("E_KUBE_NOT_FOUND", `read ${describeRef(ref)}: it does not exist`);
    const approval = checkApproval(repository, { commit, count: Number(count) });
    // The time makes each approval one of its own: the same one again is not spent already.
    const value = `${approval.commit} ${count} ${toTime(realClock.nowMs())}`;
    await patch(hubApi, ref, annotate(annotationKeys.approvedDeletions, value), context.signal);
    context.stdout.write(`${approval.message}\n`);
  });
}

async function setSuspended(context: PlainContext, isSuspended: boolean): Promise<number> {
  return withHub(context, async (hubApi) => {
    if (context.args[0] === undefined) {
      const ref = repositoryRef(context);
      if (isSuspended) await confirm(context, `Suspend ${describeRef(ref)}, and with it every cluster of its files?`);
      await patch(hubApi, ref, { spec: { suspend: isSuspended } }, context.signal);
      context.stdout.write(`${describeRef(ref)} is ${isSuspended ? "suspended" : "resumed"}.\n`);
      return;
    }
    const ref = clusterRef(await findCluster(hubApi, context));
    await patch(hubApi, ref, annotate(annotationKeys.reconcile, isSuspended ? "disabled" : null), context.signal);
    context.stdout.write(`${describeRef(ref)} is ${isSuspended ? "suspended until rollcall resume" : "resumed"}.\n`);
  });
}

/** A person at a terminal is asked; a script is not. @throws E_USAGE for any answer but yes */
async function confirm({ settings, stdout, readLine }: PlainContext, question: string): Promise<void> {
  if (settings.isOn("yes") || stdout.isTTY !== true) return;
  stdout.write(`${question} Type yes to go on: `);
  if ((await readLine()).trim() !== "yes")
    throw new AppError("E_USAGE", "nothing was changed; without a question: --yes");
}

/** The exit code is 0 unless `work` gives another. */
async function withHub(context: PlainContext, work: (hubApi: KubeApi) => Promise<number | void>): Promise<number> {
  const { hubApi } = await connectHub(context.settings, context.environment);
  try {
    return (await work(hubApi)) ?? 0;
  } finally {
    await hubApi.close();
  }
}

async function findCluster(hubApi: KubeApi, { args, signal }: PlainContext): Promise<Cluster> {
  const [wanted] = args;
  if (wanted === undefined) throw new AppError("E_USAGE", "name the cluster: its name, or workspace/name");
  const { items } = await hubApi.list(resourceTypes.cluster, { signal });
  return pickCluster(items as unknown[] as Cluster[], wanted);
}

async function patch(hubApi: KubeApi, ref: ObjectRef, body: JsonObject, signal: AbortSignal): Promise<KubeObject> {
  return hubApi.mergePatch(ref, body, { fieldManager: fieldManagers.operator, signal });
}

function annotate(key: string, value: string | null): JsonObject {
  return { metadata: { annotations: { [key]: value } } };
}

function repositoryRef({ settings }: PlainContext): ObjectRef {
  return {
    type: resourceTypes.repository,
    namespace: settings.requiredText("namespace"),
    name: settings.requiredText("repository"),
  };
}

function clusterRef({ metadata }: Cluster): ObjectRef {
  return { type: resourceTypes.cluster, namespace: metadata.namespace ?? "", name: metadata.name };
}

/** The user's name, in characters that stay one part of an annotation. */
function operator(): string {
  return userInfo().username.replaceAll(/[^A-Za-z0-9._-]/gu, "_");
}
