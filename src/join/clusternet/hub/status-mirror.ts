import { resourceTypes } from "../../../model/resource-types.ts";
import type { StatusMirror } from "../../join.ts";
import { noLeaveStatus } from "../../neutral.ts";
import { isOnlyClusternetBeat, memberFacts, memberStatusWrites } from "./facts.ts";
import { agentPeriodOf, beatOf, managedClusterRef } from "./member-facts.ts";

export const statusMirror = {
  beatType: resourceTypes.managedCluster,
  heartbeatRef: managedClusterRef,
  beatOf,
  isOnlyBeat: isOnlyClusternetBeat,
  agentPeriodSeconds: agentPeriodOf,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
  leaveStatusWrites: noLeaveStatus,
} satisfies StatusMirror;
