import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { shortCommit } from "../../core/short-commit.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import type { Operator } from "../../operations/operations.ts";
import {
  approveDeletions,
  requestRun,
  revokeCluster,
  suspendCluster,
  suspendRepository,
} from "../../operations/operations.ts";
import { realClock } from "../../system/real-clock.ts";
import { userName } from "../../system/user-name.ts";
import type { PlainContext } from "./command-context.ts";
import { confirm } from "./confirm.ts";
import { findCluster } from "./list-objects.ts";
import { readTimeout } from "./read-timeout.ts";
import { waitForRun } from "./wait-for-run.ts";

// The operations of a person, as commands: they find the object, ask at a terminal, and print the result.

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
  return withHub(context, async (operator) => {
    const ref = repositoryRef(context);
    const { request, isSuspended, message } = await requestRun(operator, ref);
    print(context, message);
    if (isSuspended || !settings.isOn("wait")) return 0;
    const onCommit = (commit: string): void => print(context, `Commit ${shortCommit(commit)} is read.`);
    const run = await waitForRun(operator.hubApi, ref, { request, timeout, timeoutMs, signal, onCommit });
    stdout.write(`${run.text}\n`);
    return run.isReady ? 0 : 1;
  });
}

/**
 * `rollcall revoke <cluster>`: ends its credentials at once; git's file brings it back only when it changes. One that leaves
 * is not waited for any more.
 */
export async function runRevoke(context: PlainContext): Promise<number> {
  return withHub(context, async (operator) => {
    const ref = await clusterRef(operator.hubApi, context);
    await confirm(context, `Revoke ${describeRef(ref)}? Its agent loses its access at once.`);
    print(context, await revokeCluster(operator, ref));
  });
}

/**
 * `rollcall approve-deletions <commit> <count>`: lets withheld removals of one commit through.
 * @throws E_APPROVAL when it would let nothing through; then nothing is written
 */
export async function runApproveDeletions(context: PlainContext): Promise<number> {
  const [commit = "", count = ""] = context.args;
  if (!/^[0-9a-f]{7,64}$/u.test(commit))
    throw new AppError("E_USAGE", `${printable(commit)} is no id of a commit: at least 7 of its digits are needed`);
  if (!/^\d{1,6}$/u.test(count))
    throw new AppError("E_USAGE", `${printable(count)} is no number of removals: write how many are withheld`);
  return withHub(context, async (operator) => {
    const request = { repository: repositoryRef(context), commit, count: Number(count) };
    print(context, await approveDeletions(operator, request));
  });
}

async function setSuspended(context: PlainContext, isSuspended: boolean): Promise<number> {
  return withHub(context, async (operator) => {
    if (context.args[0] === undefined) {
      const repository = repositoryRef(context);
      const question = `Suspend ${describeRef(repository)}, and with it every cluster of its files?`;
      if (isSuspended) await confirm(context, question);
      print(context, await suspendRepository(operator, { repository, isSuspended }));
      return;
    }
    const cluster = await clusterRef(operator.hubApi, context);
    print(context, await suspendCluster(operator, { cluster, isSuspended }));
  });
}

/** A sentence with names that the hub answered. */
function print({ stdout }: PlainContext, sentence: string): void {
  stdout.write(`${printable(sentence)}\n`);
}

/** The exit code is 0 unless `work` gives another. */
async function withHub(context: PlainContext, work: (operator: Operator) => Promise<number | void>): Promise<number> {
  const { hubApi } = await connectHub(context.settings, context.environment);
  const user = userName();
  try {
    return (await work({ hubApi, user, nowMs: realClock.nowMs(), signal: context.signal })) ?? 0;
  } finally {
    await hubApi.close();
  }
}

async function clusterRef(hubApi: KubeApi, context: PlainContext): Promise<ObjectRef> {
  const [wanted] = context.args;
  if (wanted === undefined) throw new AppError("E_USAGE", "name the cluster: its name, or workspace/name");
  const { metadata } = await findCluster(hubApi, context, wanted);
  return { type: resourceTypes.cluster, namespace: metadata.namespace ?? "", name: metadata.name };
}

function repositoryRef({ settings }: PlainContext): ObjectRef {
  return {
    type: resourceTypes.repository,
    namespace: settings.requiredText("namespace"),
    name: settings.requiredText("repository"),
  };
}
