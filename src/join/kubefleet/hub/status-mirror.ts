import { resourceTypes } from "../../../model/resource-types.ts";
import type { StatusMirror } from "../../join.ts";
import { periodOfFile } from "../../neutral.ts";
import { beatOf, memberFacts } from "./facts.ts";
import { internalRef } from "./member-facts.ts";
import { isOnlyKubefleetBeat, memberStatusWrites } from "./mirror.ts";

export const statusMirror = {
  beatType: resourceTypes.internalMemberCluster,
  heartbeatRef: internalRef,
  beatOf,
  isOnlyBeat: isOnlyKubefleetBeat,
  agentPeriodSeconds: periodOfFile,
  factsOf: memberFacts,
  statusWrites: memberStatusWrites,
  leaveStatusWrites: memberStatusWrites,
} satisfies StatusMirror;
