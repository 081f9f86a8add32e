import { setImmediate } from "node:timers/promises";
import { countOf } from "../core/count-of.ts";
import type { HubView } from "../hub/hub-view.ts";
import { objectsAround } from "../hub/rehearsal/objects-around.ts";
import { rehearseChanges } from "../hub/rehearsal/rehearse-changes.ts";
import type { JoinProtocol } from "../join/join.ts";
import { readKubeconfig } from "../kube/read-kubeconfig.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { HubFacts } from "../model/member.ts";
import type { PlannedChange } from "../model/plan.ts";
import { labelKeys } from "../model/well-known.ts";
import type { PlannerInputs } from "../review/review.ts";

export interface RehearsalSettings {
  /** Those that the daemon serves. */
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
  /** Default: the map above is known to be what the daemon serves. */
  readonly isServingKnown?: boolean;
  readonly hubFacts: () => HubFacts;
  /** Changes of one plan that are rehearsed; the plan notes how many are not. Default: all. */
  readonly mostChanges?: number;
  readonly signal: AbortSignal;
}

/** The hub's controllers at work on a copy of what a view holds around the changes. */
export function rehearseOnView(view: HubView, settings: RehearsalSettings): NonNullable<PlannerInputs["rehearse"]> {
  const { protocols, mostChanges = Infinity, signal } = settings;
  return async (all) => {
    const changes = all.slice(0, mostChanges);
    const hubFacts = settings.hubFacts();
    const objects = objectsAround({ view, changes, protocols, hubFacts });
    const isWorkspace = (name: string): boolean => view.isWorkspace(name);
    const { work, notes } = await rehearseChanges({
      objects: [...workspacesAround({ objects, changes, isWorkspace }), ...objects],
      base: (ref) => view.get(ref),
      changes,
      protocols,
      isServingKnown: settings.isServingKnown ?? true,
      areSecretsKnown: true,
      hubFacts,
      checkKubeconfig: (text) => void readKubeconfig(text),
      isAllowedWorkspace: isWorkspace,
      pause: () => setImmediate(),
      signal,
    });
    const left = all.length - changes.length;
    if (left === 0) return { work, notes };
    return { work, notes: [`What the hub does after ${countOf(left, "more change")} is not planned here.`, ...notes] };
  };
}

/** The workspaces of all these. */
export function workspacesAround({
  objects,
  changes,
  isWorkspace,
}: {
  readonly objects: readonly KubeObject[];
  readonly changes: readonly PlannedChange[];
  readonly isWorkspace: (name: string) => boolean;
}): KubeObject[] {
  const places = [...objects.map(({ metadata }) => metadata), ...changes.map(({ ref }) => ref)];
  const names = new Set(places.flatMap(({ namespace = [] }) => namespace));
  return [...names].filter(isWorkspace).map(workspaceNamespace);
}

/** A workspace, as far as the controllers read it. */
export function workspaceNamespace(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { [labelKeys.workspace]: "true" } } };
}
