import { resourceTypes } from "../model/resource-types.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { hubObjectOf } from "../planning/hub-objects.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { ViewChange } from "./hub-view.ts";

type TellPorts = Pick<HubPorts, "view" | "protocols" | "events" | "log">;

/** Kinds that files declare and that a person may write on the hub, of our own and of the projects that are served. */
export function writableTypes(protocols: HubPorts["protocols"]): readonly ResourceType[] {
  const { cluster, clusterRegistrationToken, clusterGroup } = resourceTypes;
  const ofOthers = [...protocols.values()].flatMap(({ declaredTypes }) => declaredTypes);
  return [cluster, clusterRegistrationToken, clusterGroup, ...ofOthers];
}

/**
 * Notes an Event and a line of the log for what a person wrote on the hub and no file says: for what is there, and for each
 * change. Clusters and tokens of our own kinds are left out: their conditions say it, with Events of their own. Returns the function that ends it.
 */
export function tellHubObjects(ports: TellPorts): () => void {
  const { view, protocols, events, log } = ports;
  const own = [resourceTypes.cluster, resourceTypes.clusterRegistrationToken] as readonly ResourceType[];
  const types = new Set(writableTypes(protocols).filter((type) => !own.includes(type)));
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
