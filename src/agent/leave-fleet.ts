import { describeError, isAppError } from "../core/errors.ts";
import { agentClusterRoleName, agentNames } from "../model/dialects/rollcall.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import type { AgentContext } from "./agent-context.ts";
import { reportRefOf } from "./credentials.ts";
import { untilDone } from "./retry.ts";

const managedBy = "app.kubernetes.io/managed-by";

/**
 * Removes the agent from its cluster, on the hub's order, and says so. The Deployment goes late and the process outlives
 * it for as long as a Pod may: what removes the rights to go on comes last, role and binding at once.
 */
export async function leaveFleet(context: AgentContext, commit: string, signal: AbortSignal): Promise<void> {
  const { state, log, settings } = context;
  state.isLeaving = true;
  log.warn("leaving the fleet: removing this agent", { commit });
  const left: string[] = [];
  const remove = async (...refs: ObjectRef[]) => {
    const results = await Promise.all(refs.map((ref) => removeOne(context, ref, signal)));
    left.push(...results.flatMap((result) => (result === undefined ? [] : [result])));
  };
  const inNamespace = (type: ObjectRef["type"], name: string = agentNames.agent): ObjectRef => ({
    type,
    namespace: settings.namespace,
    name,
  });
  const clusterRole = agentClusterRoleName(settings.namespace);

  await remove(inNamespace(resourceTypes.secret, agentNames.values));
  if (await isNamespaceOurs(context, signal)) {
    await remove({ type: resourceTypes.namespace, name: settings.namespace });
  } else {
    await remove(inNamespace(resourceTypes.deployment), inNamespace(resourceTypes.lease));
    await remove(
      inNamespace(resourceTypes.serviceAccount),
      inNamespace(resourceTypes.secret, agentNames.identity),
      inNamespace(resourceTypes.roleBinding),
      inNamespace(resourceTypes.role),
    );
  }
  const rights = [
    { type: resourceTypes.clusterRoleBinding, name: clusterRole },
    { type: resourceTypes.clusterRole, name: clusterRole },
  ];
  // With the first of the two goes the right to remove the other: both must arrive together, over connections that are open.
  await Promise.allSettled(rights.map((ref) => context.downstreamApi.get(ref, { signal })));
  signal.throwIfAborted();
  await remove(...rights);
  const message = left.length === 0 ? {} : { message: `Left downstream: ${left.join("; ")}`.slice(0, 4000) };
  const patch = { spec: { leave: { commit, done: true, ...message } } };
  await untilDone(
    () =>
      context.link.call(
        (api) => api.mergePatch(reportRefOf(context), patch, { fieldManager: fieldManagers.agent, signal }),
        { signal },
      ),
    { ...context, signal, failure: "acknowledging the leave failed", backoff: { initialMs: 500, maximumMs: 5000 } },
  );
  log.warn("left the fleet", { left });
}

/** What could not be removed, in words; undefined when it is gone or going. */
async function removeOne(
  { downstreamApi }: AgentContext,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await downstreamApi.delete(ref, { propagation: "Background", signal });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, "E_KUBE_NOT_FOUND")) return undefined;
    return `${describeRef(ref)} (${describeError(error)})`;
  }
}

/** A namespace that was there before the agent stays. */
async function isNamespaceOurs({ downstreamApi, settings }: AgentContext, signal: AbortSignal): Promise<boolean> {
  const namespace = await downstreamApi.get({ type: resourceTypes.namespace, name: settings.namespace }, { signal });
  return namespace?.metadata.labels?.[managedBy] === "rollcall";
}
