import { isTrueAt } from "../../../core/read-json.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Registration } from "../../join.ts";
import { workspaceOfNamespace, provenByAdmission } from "../../neutral.ts";
import { expiredRegistrations } from "./expired-registrations.ts";
import { decideRegistration } from "./decide.ts";
import { desiredTokenObjects, fleetTokenStatuses } from "./desired-token-objects.ts";
import { tokenNameOf } from "./registration-request.ts";

export const registration = {
  registrations: {
    type: resourceTypes.fleetRegistration,
    workspaceOf: workspaceOfNamespace,
    isDecided: (request) => isTrueAt(request, "status", "granted"),
    tokenNameOf,
    isProven: provenByAdmission,
    decide: decideRegistration,
    expired: expiredRegistrations,
    identifyingTypes: [resourceTypes.fleetCluster],
  },
  desiredTokenObjects,
  tokenStatuses: fleetTokenStatuses,
} satisfies Registration;
