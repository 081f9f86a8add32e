import { resourceTypes } from "../../../model/resource-types.ts";
import type { StatusMirror } from "../../join.ts";
import { noOffboardingStatus } from "../../neutral.ts";
import { isOnlyClusternetHeartbeat, memberFacts, memberStatusWrites } from "./facts.ts";
import { agentPeriodOf, heartbeatIn, managedClusterRef } from "./member-facts.ts";

export const statusMirror = {
  heartbeatType: resourceTypes.managedCluster,
  heartbeatRef: managedClusterRef,
  heartbeatIn,
  isOnlyHeartbeat: isOnlyClusternetHeartbeat,
  agentPeriodSeconds: agentPeriodOf,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
  offboardingStatusWrites: noOffboardingStatus,
} satisfies StatusMirror;
