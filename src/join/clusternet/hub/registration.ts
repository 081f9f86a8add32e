import { textAt } from "../../../core/read-json.ts";
import type { HubFacts, TokenSubject } from "../../../model/member.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Registration } from "../../join.ts";
import { provenByAdmission } from "../../neutral.ts";
import { expiredRequests } from "./expired-registrations.ts";
import { decideRegistration } from "./decide.ts";
import { clusternetTokenStatuses, desiredTokenObjects } from "./desired-token-objects.ts";
import type { TokenCredentials } from "./token-credentials.ts";
import { tokenOfRequest, workspaceOfRequest } from "./registration-request.ts";

export function registrationBy(credentials: TokenCredentials) {
  return {
    registrations: {
      type: resourceTypes.registrationRequest,
      workspaceOf: workspaceOfRequest,
      isDecided: (request) => textAt(request, "status", "result") === "Approved",
      tokenNameOf: tokenOfRequest,
      isProven: provenByAdmission,
      decide: decideRegistration,
      expired: expiredRequests,
      identifyingTypes: [resourceTypes.managedCluster],
    },
    desiredTokenObjects: (subject: TokenSubject, hub: HubFacts) => desiredTokenObjects(credentials, subject, hub),
    tokenStatuses: clusternetTokenStatuses,
  } satisfies Registration;
}
