import { isMadeByHand, refusalNotInGit } from "../../../planning/edits-by-hand.ts";
import type { HubPorts } from "../../hub-ports.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";
import { writeClusterStatus } from "./write-status.ts";

/** Refuses a Cluster that was created on the hub manually: no file declares it, and no registration made it. */
export async function checkDeclared(
  scope: MemberScope,
  ports: Pick<HubPorts, "view" | "childFights" | "health" | "events">,
): Promise<PhaseResult> {
  if (!isMadeByHand(scope.member)) return next;
  await writeClusterStatus(scope, ports, { refusal: refusalNotInGit(scope.member.cluster) });
  return done();
}
