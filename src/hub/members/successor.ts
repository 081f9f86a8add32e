import type { ClusterName } from "../../model/member-state.ts";
import type { Member } from "../../model/member.ts";
import { readPreviousName } from "../../model/previous-name.ts";
import { annotationKeys } from "../../model/well-known.ts";

/** The cluster that a member becomes, by the annotation that the git half set. Undefined: it is not renamed. */
export function successorOf({ cluster }: Pick<Member, "cluster">): ClusterName | undefined {
  const to = cluster.metadata.annotations?.[annotationKeys.movedTo];
  return to === undefined ? undefined : readPreviousName(to, "");
}
