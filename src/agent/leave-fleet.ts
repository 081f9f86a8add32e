import { backoffMs } from "../core/backoff.ts";
import { describeError, isAppError } from "../core/errors.ts";
import { agentClusterRoleName, agentNames } from "../model/dialects/rollcall.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { AgentContext } from "./agent-context.ts";
import { untilDone } from "./retry.ts";
import { writeReport } from "./write-report.ts";

const managedBy = "app.kubernetes.io/managed-by";
/** Deletions of an object while its API server restarts: the last one comes after half a minute. */
const mostDeletions = 7;

/**
 * Removes the agent from its cluster, as the hub requests it, and reports it. The Deployment is deleted late, and the
 * process outlives it for as long as a Pod may. The agent's rights are deleted last. It cannot remove one half of them
 * without the other, so it makes them dependents of the one object that it deletes at the end, and garbage collection
 * deletes them.
 */
export async function leaveFleet(context: AgentContext, commit: string, signal: AbortSignal): Promise<void> {
  const { state, log, settings } = context;
  state.isLeaving = true;
  log.warn("leaving the fleet: removing this agent", { commit });
  const left: string[] = [];
  const remove = async (...refs: ObjectRef[]) => {
    const results = await Promise.all(refs.map((ref) => removeOne(context, ref, signal)));
    for (const result of results) if (result !== undefined) left.push(result);
  };
  /**
   * Deletes the owner, and its dependents with it. An installation of an earlier version lacks the right to set owners: then
   * all are deleted by concurrent requests, most of which arrive before the agent's rights end.
   */
  const removeLast = async (owner: ObjectRef, ...dependents: ObjectRef[]) => {
    const isOwned = await makeOwned(context, { owner, dependents }, signal);
    await remove(owner, ...(isOwned ? [] : dependents));
  };
  const inNamespace = (type: ObjectRef["type"], name: string = agentNames.agent): ObjectRef => ({
    type,
    namespace: settings.namespace,
    name,
  });
  const clusterRole = agentClusterRoleName(settings.namespace);
  const wholeBinding = { type: resourceTypes.clusterRoleBinding, name: clusterRole };
  const wholeRole = { type: resourceTypes.clusterRole, name: clusterRole };

  await remove(inNamespace(resourceTypes.secret, agentNames.values));
  if (await isNamespaceOurs(context, signal)) {
    await removeLast({ type: resourceTypes.namespace, name: settings.namespace }, wholeBinding, wholeRole);
  } else {
    await remove(inNamespace(resourceTypes.deployment), inNamespace(resourceTypes.lease));
    await removeLast(wholeBinding, wholeRole);
    await removeLast(
      inNamespace(resourceTypes.roleBinding),
      inNamespace(resourceTypes.role),
      inNamespace(resourceTypes.serviceAccount),
      inNamespace(resourceTypes.secret, agentNames.identity),
    );
  }
  const message = left.length === 0 ? {} : { message: `Left downstream: ${left.join("; ")}`.slice(0, 4000) };
  const leave = { commit, done: true, ...message };
  await untilDone(() => writeReport(context, { leave }, { signal }), {
    ...context,
    signal,
    failure: "acknowledging the leave failed",
    backoff: { initialMs: 500, maximumMs: 5000 },
  });
  log.warn("left the fleet", { left });
}

/** Sets the owner of objects, so that garbage collection deletes them with it. False when a request failed. */
async function makeOwned(
  { downstreamApi, log }: AgentContext,
  { owner, dependents }: { readonly owner: ObjectRef; readonly dependents: readonly ObjectRef[] },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const live = await downstreamApi.get(owner, { signal });
    if (live?.metadata.uid === undefined) return false;
    const { apiVersion, kind, metadata } = live;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
    for (const ref of dependents) {
      await downstreamApi
        .mergePatch(ref, { metadata: { ownerReferences } }, { fieldManager: fieldManagers.agent, signal })
        .catch((error: unknown) => {
          if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
        });
    }
    return true;
  } catch (error) {
    signal.throwIfAborted();
    log.info("the last objects are deleted at once", { owner: describeRef(owner), error });
    return false;
  }
}

/** What could not be removed, as text; undefined when it is deleted or being deleted. A failure that may pass is tried again. */
async function removeOne(
  { downstreamApi, clock, random }: AgentContext,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let retries = 0; ; retries++) {
    try {
      await downstreamApi.delete(ref, { propagation: "Background", signal });
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (isAppError(error, "E_KUBE_NOT_FOUND")) return undefined;
      const mayPass = isAppError(error) && error.recovery === "transient" && retries + 1 < mostDeletions;
      if (!mayPass) return `${describeRef(ref)} (${describeError(error)})`;
    }
    await clock.sleep(backoffMs(retries, random), signal);
  }
}

/** A namespace that was there before the agent stays. */
async function isNamespaceOurs({ downstreamApi, settings }: AgentContext, signal: AbortSignal): Promise<boolean> {
  const namespace = await downstreamApi.get({ type: resourceTypes.namespace, name: settings.namespace }, { signal });
  return namespace?.metadata.labels?.[managedBy] === "rollcall";
}
