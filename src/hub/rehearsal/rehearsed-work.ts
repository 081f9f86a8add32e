import type { Cluster } from "../../model/generated/cluster.ts";
import type { ClusterRegistrationToken } from "../../model/generated/cluster-registration-token.ts";
import type { ObjectRef } from "../../model/kubernetes.ts";
import { describeRef } from "../../model/kubernetes.ts";
import type { HubWork, PlannedChange } from "../../model/plan.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { describeServing } from "../../planning/not-served.ts";
import type { MemberPorts } from "../members/member-scope.ts";
import type { RehearsalNotes } from "./rehearsed-protocol.ts";
import type { SimulatedHub, SimulatedWrite } from "./simulated-hub.ts";

/** In the name of an object, in place of a uid that only the hub knows. */
const uidPlaceholder = "<uid>";
/** Of an object that is only planned (`plannedUid`), or only on record (`recordedUid`). */
const unknownUid = /(?:planned|recorded)_\d+/u;

/** What the one who asks for a rehearsal does not know of the hub. */
export interface KnownFacts {
  /** False: which foreign protocols the daemon serves is not known. */
  readonly isServingKnown: boolean;
  /** False: Secrets of people may be on the hub although they are not among the objects. */
  readonly areSecretsKnown: boolean;
}

export interface RehearsedChange extends RehearsalNotes {
  readonly change: PlannedChange;
  readonly writes: readonly SimulatedWrite[];
}

/** The differences at the end; an object that was created and deleted in between is none. */
export function workOf({ writes, credentials, steps }: RehearsedChange, hub: SimulatedHub): HubWork | undefined {
  const first = new Map<string, SimulatedWrite>();
  for (const write of writes) {
    const key = describeRef(write.ref);
    if (!first.has(key)) first.set(key, write);
  }
  const all = [...first.values()];
  const refsOf = (isMeant: (write: SimulatedWrite, isThere: boolean) => boolean): ObjectRef[] =>
    all.filter((write) => isMeant(write, hub.has(write.ref))).map(({ ref }) => withPlaceholder(ref));
  const creates = refsOf(({ verb }, isThere) => verb === "create" && isThere);
  const updates = refsOf(({ verb }, isThere) => verb !== "create" && isThere);
  const deletes = refsOf(({ verb }, isThere) => verb !== "create" && !isThere);
  const count = creates.length + updates.length + deletes.length + credentials.length + steps.length;
  return count === 0 ? undefined : { creates, updates, deletes, credentials, steps };
}

/** Names of some projects hold the uid of an object, which the hub sets when it creates the object. */
function withPlaceholder(ref: ObjectRef): ObjectRef {
  return { ...ref, name: ref.name.replace(unknownUid, uidPlaceholder) };
}

/** That names in the plan contain a uid which only the hub will give. */
export function uidNotes({ ref }: PlannedChange, { creates, updates, deletes }: HubWork): string[] {
  if (![...creates, ...updates, ...deletes].some(({ name }) => name.includes(uidPlaceholder))) return [];
  return [
    `After the change of ${describeRef(ref)}, names contain ${uidPlaceholder}: it represents the uid that the hub gives an object. The plan does not know this uid.`,
  ];
}

/** Changes that depend on another manager, by name. */
export function notesOf(
  change: PlannedChange,
  { view, protocols }: MemberPorts,
  { hub, isServingKnown, areSecretsKnown }: KnownFacts & { readonly hub: SimulatedHub },
): string[] {
  const { ref } = change;
  if (ref.type !== resourceTypes.cluster && ref.type !== resourceTypes.clusterRegistrationToken) return [];
  if (!("object" in change)) return [];
  const { namespace: workspace = "", name } = ref;
  const key = `${workspace}/${name}`;
  const { protocol = "rollcall" } = (change.object as Cluster | ClusterRegistrationToken).spec ?? {};
  if (!protocols.has(protocol) && isServingKnown)
    return [
      `The daemon serves no agents of protocol ${protocol}: it does nothing for ${describeRef(ref)}. ${describeServing(protocol)}`,
    ];
  if (!protocols.has(protocol))
    return [
      `Whether the daemon serves agents of protocol ${protocol} (--serve-${protocol}), and what it does for ${describeRef(ref)}, is not known.`,
    ];
  const notes: string[] = [];
  const member = view.memberOf(workspace, name);
  if (change.former && (hub.has(change.former.ref) || member?.state?.keys !== undefined)) {
    const old = `${change.former.ref.namespace}/${change.former.ref.name}`;
    notes.push(`What belongs to ${old} is deleted when its agent works as ${key}: when that is depends on the agent.`);
  }
  const secret = member?.cluster.spec?.kubeConfigSecretRef?.name;
  if (member && secret !== undefined && member.kubeconfigSecret === undefined)
    notes.push(
      areSecretsKnown
        ? `Secret ${workspace}/${secret} with the kubeconfig of ${key} is not there: no agent is installed.`
        : `Whether Secret ${workspace}/${secret} with the kubeconfig of ${key} is on the hub is not known here.`,
    );
  const accepted = member?.cluster.status?.conditions?.find(({ type }) => type === "Accepted");
  if (accepted?.status === "False") notes.push(`Cluster ${key} is not accepted: ${accepted.message}`);
  return notes;
}
