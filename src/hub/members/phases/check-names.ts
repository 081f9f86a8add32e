import type { HubPorts } from "../../hub-ports.ts";
import { refusalByName } from "../../exclusive-names.ts";
import type { MemberScope, PhaseResult } from "../member-scope.ts";
import { done, next } from "../member-scope.ts";
import { writeClusterStatus } from "./write-status.ts";

/** A member whose name is taken is reconciled again after this. */
const takenNameRetryMs = 30_000;

/** Refuses a member whose exclusive names belong to another member, or to an object that no file adopts. */
export async function checkNames(
  scope: MemberScope,
  ports: Pick<HubPorts, "view" | "childFights" | "health" | "events">,
): Promise<PhaseResult> {
  const refusal = refusalByName(ports, scope.protocol, scope.member);
  if (!refusal) return next;
  await writeClusterStatus(scope, ports, { refusal });
  return done(takenNameRetryMs);
}
