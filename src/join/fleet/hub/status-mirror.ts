import { resourceTypes } from "../../../model/resource-types.ts";
import type { StatusMirror } from "../../join.ts";
import { noOffboardingStatus, periodOfFile } from "../../neutral.ts";
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
  offboardingStatusWrites: noOffboardingStatus,
} satisfies StatusMirror;
