import { isAppError } from "../core/errors.ts";
import type { FormerHold, LeaveStep } from "../join/join.ts";
import type { ObjectRef } from "../model/kubernetes.ts";
import { refOf } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { resourceTypeOf } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import { readKubeconfig, uninstallAgent } from "./downstream.ts";
import type { HubContext } from "./hub-context.ts";
import { writeStatus } from "./hub-context.ts";
import { stripHolds } from "./strip-holds.ts";

/** Takes one step; true when it is done, false when it has to be taken again. */
export async function takeStep(
  context: HubContext,
  step: Exclude<LeaveStep, { kind: "wait" | "tell-agent" }>,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<boolean> {
  switch (step.kind) {
    case "ask-agent":
      await writeStatus(context, step.write, signal);
      return step.isDone;
    case "delete":
      for (const ref of step.refs) {
        const held = context.view.get(ref);
        if (!held) continue;
        await stripHolds(context, [held], signal);
        const { uid, resourceVersion } = (context.view.get(ref) ?? held).metadata;
        await context.hubApi.delete(ref, {
          ...(uid ? { uid } : {}),
          ...(resourceVersion ? { resourceVersion } : {}),
          signal,
        });
        context.view.noteDeleted(ref);
      }
      return true;
    case "release":
      for (const ref of step.refs) await releaseObject(context, ref, signal);
      return true;
    case "uninstall":
      return uninstallByKubeconfig(context, step, { member, signal });
  }
}

/** Milliseconds that a step is still to be waited for; whatever the agent answers wakes the member before. */
export async function waitForStep(
  context: HubContext,
  step: Extract<LeaveStep, { kind: "wait" | "tell-agent" }>,
  signal: AbortSignal,
): Promise<number> {
  const remainingMs = Math.max(0, step.untilMs - context.hubFacts().nowMs);
  if (step.kind === "wait" || remainingMs === 0) return remainingMs;
  for (const object of step.objects) {
    const type = resourceTypeOf(object);
    const live = type && context.view.get(refOf(type, object));
    if (!type || !live || diffOwnedFields(object, live, { manager: fieldManagers.hub }).length === 0) continue;
    const written = await context.hubApi.apply(object, { fieldManager: fieldManagers.hub, signal });
    context.view.noteWritten(type, written);
  }
  return step.isDone ? 0 : remainingMs;
}

/** Takes finalizers and owner references of a former hub away. */
export async function releaseHolds(
  context: HubContext,
  holds: readonly FormerHold[],
  signal: AbortSignal,
): Promise<void> {
  for (const { ref, finalizers, ownerReferences } of holds) {
    const live = context.view.get(ref);
    if (live === undefined) continue;
    const { uid = "", resourceVersion = "" } = live.metadata;
    // The precondition: these lists go by what the object was then.
    const lists = { finalizers: [...finalizers], ownerReferences: ownerReferences.map((owner) => ({ ...owner })) };
    const patch = { metadata: { uid, resourceVersion, ...lists } };
    const written = await context.hubApi.mergePatch(ref, patch, { fieldManager: fieldManagers.hub, signal });
    context.view.noteWritten(ref.type, written);
  }
}

async function releaseObject(context: HubContext, ref: ObjectRef, signal: AbortSignal): Promise<void> {
  const live = context.view.get(ref);
  if ((live?.metadata.finalizers ?? []).length === 0) return;
  const patch = { metadata: { uid: live?.metadata.uid ?? "", finalizers: null } };
  try {
    const written = await context.hubApi.mergePatch(ref, patch, { fieldManager: fieldManagers.hub, signal });
    context.view.noteWritten(ref.type, written);
  } catch (error) {
    if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
  }
}

async function uninstallByKubeconfig(
  context: HubContext,
  step: Extract<LeaveStep, { kind: "uninstall" }>,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<boolean> {
  const kubeconfig = readKubeconfig(context, member);
  if (kubeconfig.kind !== "found") return false;
  try {
    const downstreamApi = context.connectDownstream(kubeconfig.text);
    try {
      return await uninstallAgent(downstreamApi, step.refs, signal);
    } finally {
      await downstreamApi.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error) || error.recovery === "bug") throw error;
    context.log.warn("removing an agent failed", { cluster: `${member.workspace}/${member.name}`, error });
    return false;
  }
}
