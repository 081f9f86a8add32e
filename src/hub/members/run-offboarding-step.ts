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
import { callDownstream } from "./call-downstream.ts";
import { readKubeconfig, uninstallAgent } from "./downstream.ts";
import type { MemberPorts } from "./member-scope.ts";

/** What a step reads and writes. */
export interface StepPorts extends Pick<MemberPorts, "connectDownstream" | "log" | "clock" | "callAside"> {
  readonly view: Pick<HubPorts["view"], "get">;
  readonly write: HubWriter;
}

/** Whose step it is. */
export interface StepRun {
  readonly member: Member;
  readonly signal: AbortSignal;
}

/** Runs one step. True when it is done, false when it has to be run again. */
export async function runStep(
  ports: StepPorts,
  step: Exclude<OffboardingStep, { kind: "wait" | "notify-agent" | "remove-placed" }>,
  { member, signal }: StepRun,
): Promise<boolean> {
  switch (step.kind) {
    case "ask-agent":
      await tryWrite(ports, { member, signal }, () => ports.write.applyStatus(step.write));
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

/**
 * Runs a write to an object that the agent of a leaving member writes, too, and logs that it is refused. The agent can leave no
 * room in the object, and so have each write to it refused: the hub waits for such an agent as for one that does not answer.
 */
export async function tryWrite(
  { log }: Pick<StepPorts, "log">,
  { member, signal }: StepRun,
  write: () => Promise<unknown>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error, "E_KUBE_INVALID", "E_KUBE_SERVER")) throw error;
    log.warn("a write for a leaving cluster failed", { cluster: `${member.workspace}/${member.name}`, error });
  }
}

/** Milliseconds for which the step is still to be waited for; an answer of the agent enqueues the member before. */
export async function waitForStep(
  { view, write, log }: Pick<StepPorts, "view" | "write" | "log">,
  step: Extract<OffboardingStep, { kind: "wait" | "notify-agent" }>,
  { nowMs, ...run }: StepRun & { readonly nowMs: number },
): Promise<number> {
  const remainingMs = Math.max(0, step.untilMs - nowMs);
  if (step.kind === "wait" || remainingMs === 0) return remainingMs;
  for (const object of step.objects) {
    const type = resourceTypeOf(object);
    const live = type && view.get(refOf(type, object));
    if (!live || diffOwnedFields(object, live, { manager: fieldManagers.hub }).length === 0) continue;
    await tryWrite({ log }, run, () => write.apply(object));
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
  { view, connectDownstream, log, clock, callAside }: StepPorts,
  step: Extract<OffboardingStep, { kind: "uninstall" }>,
  { member, signal }: StepRun,
): Promise<boolean> {
  const kubeconfig = readKubeconfig(view, member);
  if (kubeconfig.kind !== "found") return false;
  try {
    const downstreamApi = connectDownstream(kubeconfig.text);
    try {
      const { workspace, name } = member;
      return await callDownstream({ view, clock, callAside }, { workspace, name, signal }, (limited) =>
        uninstallAgent(downstreamApi, step.refs, limited),
      );
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
