import { resourceTypes } from "../../../model/resource-types.ts";
import type { StatusMirror } from "../../join.ts";
import { noLeaveStatus, periodOfFile } from "../../neutral.ts";
import { isOnlyFleetBeat, memberFacts, memberStatusWrites } from "./facts.ts";
import { beatOf, fleetClusterRef } from "./member-facts.ts";

export const statusMirror = {
  beatType: resourceTypes.fleetCluster,
  heartbeatRef: fleetClusterRef,
  beatOf,
  isOnlyBeat: isOnlyFleetBeat,
  agentPeriodSeconds: periodOfFile,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
  leaveStatusWrites: noLeaveStatus,
} satisfies StatusMirror;
