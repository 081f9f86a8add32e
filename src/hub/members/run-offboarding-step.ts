import { isAppError } from "../../core/errors.ts";
import type { OffboardingStep } from "../../join/join.ts";
import type { ObjectRef } from "../../model/kubernetes.ts";
import { refOf } from "../../model/kubernetes.ts";
import type { Member } from "../../model/member.ts";
import { resourceTypeOf } from "../../model/resource-types.ts";
import { fieldManagers } from "../../model/well-known.ts";
import { diffOwnedFields } from "../../planning/owned-fields.ts";
import type { HubPorts } from "../hub-ports.ts";
import type { HubWriter } from "../hub-writer.ts";
import { removeFinalizers } from "../remove-finalizers.ts";
import { readKubeconfig, uninstallAgent } from "./downstream.ts";

/** What a step reads and writes. */
export interface StepPorts extends Pick<HubPorts, "connectDownstream" | "log"> {
  readonly view: Pick<HubPorts["view"], "get">;
  readonly write: HubWriter;
}

/** Runs one step. True when it is done, false when it has to be run again. */
export async function runStep(
  ports: StepPorts,
  step: Exclude<OffboardingStep, { kind: "wait" | "notify-agent" | "remove-placed" }>,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<boolean> {
  switch (step.kind) {
    case "ask-agent":
      await ports.write.applyStatus(step.write);
      return step.isDone;
    case "delete":
      await deleteObjects(ports, step.refs);
      return true;
    case "release":
      for (const ref of step.refs) await releaseObject(ports, ref);
      return true;
    case "uninstall":
      return uninstallByKubeconfig(ports, step, { member, signal });
  }
}

/** Deletes these objects if they are there, and removes the finalizers that an agent set on them. */
export async function deleteObjects(
  { view, write, log }: Pick<StepPorts, "view" | "write" | "log">,
  refs: readonly ObjectRef[],
): Promise<void> {
  for (const ref of refs) {
    const held = view.get(ref);
    if (!held) continue;
    await removeFinalizers({ write, log }, [held]);
    const { uid, resourceVersion } = (view.get(ref) ?? held).metadata;
    await write.delete(ref, { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) });
  }
}

/** Milliseconds for which the step is still to be waited for; an answer of the agent enqueues the member before. */
export async function waitForStep(
  { view, write }: Pick<StepPorts, "view" | "write">,
  step: Extract<OffboardingStep, { kind: "wait" | "notify-agent" }>,
  nowMs: number,
): Promise<number> {
  const remainingMs = Math.max(0, step.untilMs - nowMs);
  if (step.kind === "wait" || remainingMs === 0) return remainingMs;
  for (const object of step.objects) {
    const type = resourceTypeOf(object);
    const live = type && view.get(refOf(type, object));
    if (!live || diffOwnedFields(object, live, { manager: fieldManagers.hub }).length === 0) continue;
    await write.apply(object);
  }
  return step.isDone ? 0 : remainingMs;
}

async function releaseObject({ view, write }: Pick<StepPorts, "view" | "write">, ref: ObjectRef): Promise<void> {
  const live = view.get(ref);
  if ((live?.metadata.finalizers ?? []).length === 0) return;
  try {
    await write.patch(ref, { metadata: { uid: live?.metadata.uid ?? "", finalizers: null } });
  } catch (error) {
    if (!isAppError(error, "E_KUBE_NOT_FOUND")) throw error;
  }
}

async function uninstallByKubeconfig(
  { view, connectDownstream, log }: StepPorts,
  step: Extract<OffboardingStep, { kind: "uninstall" }>,
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<boolean> {
  const kubeconfig = readKubeconfig(view, member);
  if (kubeconfig.kind !== "found") return false;
  try {
    const downstreamApi = connectDownstream(kubeconfig.text);
    try {
      return await uninstallAgent(downstreamApi, step.refs, signal);
    } finally {
      await downstreamApi.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error) || error.recovery === "bug") throw error;
    log.warn("removing an agent failed", { cluster: `${member.workspace}/${member.name}`, error });
    return false;
  }
}
