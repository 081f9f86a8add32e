import type { HubView } from "../hub/hub-view.ts";
import { watchedTypes } from "../hub/hub-view.ts";
import { outsideTypesOf } from "../hub/outside-types.ts";
import { rehearseChanges } from "../hub/rehearsal/rehearse-changes.ts";
import type { JoinProtocol } from "../join/join.ts";
import { readKubeconfig } from "../kube/read-kubeconfig.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { HubFacts } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";
import type { PlannerInputs } from "../review/review.ts";

export interface RehearsalSettings {
  /** Those that the daemon serves. */
  readonly protocols: ReadonlyMap<ProtocolName, JoinProtocol>;
  /** Default: the map above is known to be what the daemon serves. */
  readonly isServingKnown?: boolean;
  readonly hubFacts: () => HubFacts;
  readonly signal: AbortSignal;
}

/** The hub's controllers at work on a copy of what a view holds. */
export function rehearseOnView(view: HubView, settings: RehearsalSettings): NonNullable<PlannerInputs["rehearse"]> {
  const { protocols, hubFacts, signal } = settings;
  return (changes) =>
    rehearseChanges({
      objects: objectsOf(view, protocols),
      changes,
      protocols,
      isServingKnown: settings.isServingKnown ?? true,
      areSecretsKnown: true,
      hubFacts: hubFacts(),
      checkKubeconfig: (text) => void readKubeconfig(text),
      isAllowedWorkspace: (name) => view.isWorkspace(name),
      signal,
    });
}

/** A workspace, as far as the controllers look at it. */
export function workspaceNamespace(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { [labelKeys.workspace]: "true" } } };
}

function* objectsOf(view: HubView, protocols: RehearsalSettings["protocols"]): Iterable<KubeObject> {
  for (const workspace of view.workspaces) yield workspaceNamespace(workspace);
  const types = [
    ...watchedTypes([...protocols.values()]),
    ...outsideTypesOf(protocols).map(({ type }) => type),
    resourceTypes.clusterReport,
    resourceTypes.clusterRegistration,
  ];
  for (const type of new Set(types)) yield* view.list(type);
}
