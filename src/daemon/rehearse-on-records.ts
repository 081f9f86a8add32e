import { rehearseChanges } from "../hub/rehearsal/rehearse-changes.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import type { OfflineInputs, RecordedWorld } from "../review/plan-against-records.ts";
import { factsForPlans } from "./facts-for-plans.ts";
import { protocolsWith } from "./foreign-protocols.ts";
import { workspaceNamespace } from "./rehearse-on-view.ts";

/** The hub's controllers at work on what the status branch tells of a hub. */
export function rehearseOnRecords(signal: AbortSignal): NonNullable<OfflineInputs["rehearse"]> {
  return (world, changes) =>
    rehearseChanges({
      objects: [
        ...workspacesOf(
          world,
          changes.map(({ ref }) => ref.namespace ?? ""),
        ),
        ...world.objects,
      ],
      changes,
      protocols: protocolsWith(world.serves ?? []),
      isServingKnown: world.serves !== undefined,
      areSecretsKnown: false,
      hubFacts: factsForPlans(world.namespace, world.nowMs),
      isAllowedWorkspace: world.isWorkspace,
      signal,
    });
}

function workspacesOf({ objects, isWorkspace }: RecordedWorld, more: readonly string[]): KubeObject[] {
  const names = [...objects.map(({ metadata }) => metadata.namespace ?? ""), ...more];
  return [...new Set(names)].filter((name) => name !== "" && isWorkspace(name)).map(workspaceNamespace);
}
