import { kubefleetReasons } from "../../../model/dialects/kubefleet.ts";
import type { Condition } from "../../../model/kubernetes.ts";
import { findCondition } from "../../../planning/conditions.ts";
import type { StatusEvent } from "../../join.ts";

/** What KubeFleet's hub agent reports once, when it has created the objects of a member. */
const created: readonly StatusEvent[] = [
  { type: "Normal", reason: "NamespaceCreated", message: "Namespace was created" },
  { type: "Normal", reason: "RoleCreated", message: "role was created" },
  { type: "Normal", reason: "RoleBindingCreated", message: "role binding was created" },
  { type: "Normal", reason: "InternalMemberClusterCreated", message: "Internal member cluster was created" },
];

/**
 * The Events of a MemberCluster, by the change of its conditions, with the reasons and messages of KubeFleet's hub agent. A
 * MemberCluster without conditions is new: its objects were created just before.
 * Source: kubefleet, pkg/controllers/membercluster/v1beta1.
 */
export function memberEvents(previous: readonly Condition[], now: readonly Condition[]): StatusEvent[] {
  const hasTurned = (type: string, status: Condition["status"]): boolean =>
    findCondition(now, type)?.status === status && findCondition(previous, type)?.status !== status;
  const { readyToJoin, joined, left, joinUnknown } = kubefleetReasons;
  const wasKnown = ["True", "False"].includes(findCondition(previous, "Joined")?.status ?? "");
  const changes: readonly (readonly [boolean, StatusEvent])[] = [
    [
      hasTurned("ReadyToJoin", "True"),
      { type: "Normal", reason: readyToJoin, message: "member cluster ready to join" },
    ],
    [hasTurned("Joined", "True"), { type: "Normal", reason: joined, message: "member cluster joined" }],
    [hasTurned("Joined", "False"), { type: "Normal", reason: left, message: "member cluster left" }],
    [
      wasKnown && hasTurned("Joined", "Unknown"),
      { type: "Warning", reason: joinUnknown, message: "member cluster join state unknown" },
    ],
  ];
  const isNew = previous.length === 0 && findCondition(now, "ReadyToJoin")?.status === "True";
  return [...(isNew ? created : []), ...changes.flatMap(([isSo, event]) => (isSo ? [event] : []))];
}
