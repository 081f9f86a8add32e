import { describeError } from "../../core/errors.ts";
import type { ClusterName } from "../../model/member-state.ts";
import type { KubeObject, ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import type { PlannedChange } from "../../model/plan.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../model/well-known.ts";
import { reconcileMember } from "../controllers/reconcile-member.ts";
import type { HubView } from "../hub-view.ts";
import type { MemberPorts } from "../members/member-scope.ts";
import { reconcileToken } from "../tokens.ts";
import { usersOf } from "./objects-around.ts";
import type { SimulatedClock } from "./rehearsal-ports.ts";

/** An offboarding that needs more turns than this is a defect; its work until then is reported. */
const mostTurns = 40;
/** What the controllers reconcile after a change. */
export function targetsOf(view: HubView, change: PlannedChange): ObjectRef[] {
  const { type, namespace = "", name } = change.ref;
  if (type === resourceTypes.clusterRegistrationToken) return [change.ref];
  if (type === resourceTypes.secret)
    return usersOf(view, { workspace: namespace, name }).map((user) => ({
      type: resourceTypes.cluster,
      namespace,
      name: user.name,
    }));
  if (type !== resourceTypes.cluster) return [];
  const former = "former" in change && change.former ? [change.former.ref] : [];
  const from = view.memberStateOf(namespace, name)?.movedFrom;
  const movedFrom = from ? [{ type, namespace: from.workspace, name: from.name }] : [];
  const refs = [change.ref, ...former, ...movedFrom];
  return [...new Map(refs.map((ref) => [describeRef(ref), ref])).values()];
}

/** Works on one object until nothing is left to do but by time or by others; a leave and a parting go to their ends. */
export async function bringToRest(
  ports: MemberPorts,
  {
    target,
    clock,
    notes,
    signal,
  }: {
    readonly target: ObjectRef;
    readonly clock: SimulatedClock;
    readonly notes: string[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { namespace: workspace = "", name } = target;
  const place = { workspace, name };
  const startMs = clock.nowMs();
  try {
    if (target.type === resourceTypes.clusterRegistrationToken) return await bringToken(ports, place, signal);
    for (let turn = 0; turn < mostTurns; turn++) {
      signal.throwIfAborted();
      const before = ports.view.memberOf(workspace, name);
      const waitMs = await reconcileMember(ports, place, signal);
      const member = ports.view.memberOf(workspace, name);
      const isParting =
        member?.cluster.metadata.annotations?.[annotationKeys.leave] !== undefined ||
        member?.state?.formerProtocol !== undefined;
      if (isParting) clock.set(clock.nowMs() + Math.max(1, waitMs ?? 0));
      else if (member === undefined || isSameMember(before, member)) return;
    }
    notes.push(`What the hub does for ${describeRef(target)} in the end is not known.`);
  } catch (error) {
    signal.throwIfAborted();
    notes.push(`What the hub does for ${describeRef(target)} is not known: ${describeError(error)}.`);
  } finally {
    clock.set(startMs);
  }
}

/** Objects of some protocols have the uid of others in their names: they follow one after the other. */
async function bringToken(ports: MemberPorts, { workspace, name }: ClusterName, signal: AbortSignal): Promise<void> {
  const children = (): readonly KubeObject[] => ports.view.childrenOf(labelKeys.token, workspace, name);
  for (let turn = 0; turn < mostTurns; turn++) {
    const before = children();
    await reconcileToken(ports, { workspace, name }, signal);
    if (isSameList(before, children())) return;
  }
}

function isSameList(left: readonly KubeObject[], right: readonly KubeObject[]): boolean {
  return left.length === right.length && left.every((child) => right.includes(child));
}

function isSameMember(
  left: ReturnType<HubView["memberOf"]>,
  right: NonNullable<ReturnType<HubView["memberOf"]>>,
): boolean {
  return (
    left !== undefined &&
    left.cluster === right.cluster &&
    left.state === right.state &&
    isSameList(left.children, right.children)
  );
}
