import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { annotationKeys } from "../model/well-known.ts";
import { declaredPlaceOf } from "../planning/declared-place.ts";
import { isFromGit } from "../planning/edits-by-hand.ts";
import { hubObjectOf } from "../planning/hub-objects.ts";
import type { HubPorts } from "./hub-ports.ts";
import type { ViewChange } from "./hub-view.ts";

type HubObjectPorts = Pick<HubPorts, "view" | "protocols" | "events" | "log">;

/** Kinds that files declare and that a person may write on the hub, of our own and of the projects that are served. */
export function writableTypes(protocols: HubPorts["protocols"]): readonly ResourceType[] {
  return [resourceTypes.cluster, resourceTypes.clusterRegistrationToken, ...typesWithoutConditions(protocols)];
}

/** Types among them whose objects have no condition for it. */
function typesWithoutConditions(protocols: HubPorts["protocols"]): readonly ResourceType[] {
  return [resourceTypes.clusterGroup, ...[...protocols.values()].flatMap(({ declaredTypes }) => declaredTypes)];
}

/** Deleted objects that are kept in mind until they exist again; more are not deleted manually. */
const mostDeletions = 1000;

/**
 * Records an Event and a log line for objects that a user wrote on the hub and no file declares: for the existing ones,
 * and for each change. A declared object that a user deleted has an Event when it exists again. Clusters and tokens of our
 * own kinds are excluded: they have conditions and Events of their own. Returns the function that ends it.
 */
export function reportHubObjects({ view, protocols, events, log }: HubObjectPorts): () => void {
  const types = new Set(typesWithoutConditions(protocols));
  const report = (object: KubeObject, before?: KubeObject): void => {
    const now = hubObjectOf(object);
    if (now === undefined || (before && hubObjectOf(before)?.message === now.message)) return;
    const { reason, message } = now;
    events.record({ regarding: object, type: "Warning", reason, message });
    log.info("an object on the hub does not match git", { object: now.object, reason, why: message });
  };
  for (const type of types) for (const object of view.list(type)) report(object);
  const declaredTypes = new Set(writableTypes(protocols));
  const deleted = new Map<string, string>();
  return view.subscribe(({ ref, object, before, isDeletionSeen = false }: ViewChange) => {
    if (!declaredTypes.has(ref.type)) return;
    const key = describeRef(ref);
    if (object === undefined) {
      const message = isDeletionSeen && before !== undefined ? describeDeletion(before, view) : undefined;
      if (message !== undefined && deleted.size < mostDeletions) deleted.set(key, message);
      return;
    }
    const message = deleted.get(key);
    if (message !== undefined) events.record({ regarding: object, type: "Warning", reason: "CreatedAgain", message });
    deleted.delete(key);
    if (types.has(ref.type)) report(object, before);
  });
}

/** What the deletion of a declared object by a person comes to; undefined when no file declares it, or its cluster leaves. */
function describeDeletion(before: KubeObject, view: Pick<HubObjectPorts["view"], "get">): string | undefined {
  const type = resourceTypeOf(before);
  const place = type && declaredPlaceOf(before, type);
  const owner = place && (place.isItself ? before : view.get(place.ref));
  if (owner === undefined || !isFromGit(owner)) return undefined;
  const { [annotationKeys.leave]: leave, [annotationKeys.sourceFile]: file = "a file" } =
    owner.metadata.annotations ?? {};
  if (leave !== undefined) return undefined;
  return `It was deleted on the hub and is created again, because ${file} declares it. To remove it, delete it from that file and push.`;
}
