import type { TransportRequest } from "../../../src/kube/transport.ts";
import { subjectOf } from "../subject-of.ts";
import type { World } from "../world.ts";

/** The cluster by whose working credential a request was sent, from the subject of its token; undefined of all others. */
export function agentOfRequest(
  { headers }: Pick<TransportRequest, "headers">,
  { foreignSubjects }: Pick<World, "foreignSubjects">,
): string | undefined {
  const subject = subjectOf(headers["authorization"] ?? headers["Authorization"]) ?? "";
  return /^system:serviceaccount:fleet:rollcall-([^.]+)$/u.exec(subject)?.[1] ?? foreignSubjects.get(subject);
}
