import type { HubPorts } from "../../hub-ports.ts";
import { removeFinalizers } from "../../remove-finalizers.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { next } from "../member-scope.ts";

/** Removes finalizers and owners that an agent set on the objects of its member. */
export async function removeForeignFinalizers(
  { member, write }: Pick<MemberScope, "member" | "write">,
  { log }: Pick<HubPorts, "log">,
): Promise<PhaseResult> {
  await removeFinalizers({ write, log }, member.children);
  return next;
}
