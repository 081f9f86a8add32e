import { resourceTypes } from "../../../model/resource-types.ts";
import type { StatusMirror } from "../../join.ts";
import { periodOfFile } from "../../neutral.ts";
import { heartbeatIn, memberFacts } from "./facts.ts";
import { internalRef } from "./member-facts.ts";
import { isOnlyKubefleetHeartbeat, memberStatusWrites } from "./mirror.ts";

export const statusMirror = {
  heartbeatType: resourceTypes.internalMemberCluster,
  heartbeatRef: internalRef,
  heartbeatIn,
  isOnlyHeartbeat: isOnlyKubefleetHeartbeat,
  agentPeriodSeconds: periodOfFile,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
  offboardingStatusWrites: memberStatusWrites,
} satisfies StatusMirror;
