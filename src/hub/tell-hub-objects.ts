import { resourceTypes } from "../model/resource-types.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { hubObjectOf } from "../planning/hub-objects.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { ViewChange } from "./hub-view.ts";

type TellPorts = Pick<HubPorts, "view" | "protocols" | "events" | "log">;

/** Kinds that files declare and that a person may write on the hub, of our own and of the projects that are served. */
export function writableTypes(protocols: HubPorts["protocols"]): readonly ResourceType[] {
  return [resourceTypes.cluster, resourceTypes.clusterRegistrationToken, ...typesWithoutConditions(protocols)];
}

/** Types among them whose objects have no condition for it. */
function typesWithoutConditions(protocols: HubPorts["protocols"]): readonly ResourceType[] {
  return [resourceTypes.clusterGroup, ...[...protocols.values()].flatMap(({ declaredTypes }) => declaredTypes)];
}

/**
 * Records an Event and a log line for objects that a user wrote on the hub and no file declares: for the existing ones,
 * and for each change. Clusters and tokens of our own kinds are excluded: they have conditions and Events of their own.
 * Returns the function that ends it.
 */
export function tellHubObjects({ view, protocols, events, log }: TellPorts): () => void {
  const types = new Set(typesWithoutConditions(protocols));
  const tell = (object: KubeObject, before?: KubeObject): void => {
    const now = hubObjectOf(object);
    if (now === undefined || (before && hubObjectOf(before)?.message === now.message)) return;
    const { reason, message } = now;
    events.note({ regarding: object, type: "Warning", reason, message });
    log.info("an object on the hub is not as git says", { object: now.object, reason, why: message });
  };
  for (const type of types) for (const object of view.list(type)) tell(object);
  return view.subscribe(({ ref, object, before }: ViewChange) => {
    if (object !== undefined && types.has(ref.type)) tell(object, before);
  });
}
