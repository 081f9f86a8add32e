import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Removes finalizers and owner references that a previous hub set. */
export async function releasePreviousHubHolds(
  { member, protocol, write }: Pick<MemberScope, "member" | "protocol" | "write">,
  { view }: { readonly view: Pick<HubPorts["view"], "get"> },
): Promise<PhaseResult> {
  for (const { ref, finalizers, ownerReferences } of protocol.previousHubHolds(member)) {
    const live = view.get(ref);
    if (live === undefined) continue;
    const { uid = "", resourceVersion = "" } = live.metadata;
    // The precondition: these lists were computed from the object as it was then.
    const lists = { finalizers: [...finalizers], ownerReferences: ownerReferences.map((owner) => ({ ...owner })) };
    await write.patch(ref, { metadata: { uid, resourceVersion, ...lists } });
  }
  return next;
}
