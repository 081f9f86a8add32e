import { resourceTypes } from "../../../model/resource-types.ts";
import type { StatusMirror } from "../../join.ts";
import { noLeaveStatus, periodOfFile } from "../../neutral.ts";
import { isOnlyFleetHeartbeat, memberFacts, memberStatusWrites } from "./facts.ts";
import { heartbeatIn, fleetClusterRef } from "./member-facts.ts";

export const statusMirror = {
  heartbeatType: resourceTypes.fleetCluster,
  heartbeatRef: fleetClusterRef,
  heartbeatIn,
  isOnlyHeartbeat: isOnlyFleetHeartbeat,
  agentPeriodSeconds: periodOfFile,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
  leaveStatusWrites: noLeaveStatus,
} satisfies StatusMirror;
