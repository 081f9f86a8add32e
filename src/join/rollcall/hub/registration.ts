import { textAt } from "../../../core/read-json.ts";
import { resourceTypes } from "../../../model/resource-types.ts";
import type { Registration } from "../../join.ts";
import { workspaceOfNamespace } from "../../neutral.ts";
import { expiredRegistrations } from "./expired-registrations.ts";
import { decideRegistration, isRegistrationProven } from "./decide.ts";
import { desiredTokenObjects } from "./desired-token-objects.ts";
import { tokenStatusWrite } from "./token-status.ts";

export const registration = {
  registrations: {
    type: resourceTypes.clusterRegistration,
    workspaceOf: workspaceOfNamespace,
    isDecided: (request) => ["Granted", "Refused"].includes(textAt(request, "status", "decision") ?? ""),
    tokenNameOf: (request) => textAt(request, "spec", "tokenName"),
    isProven: isRegistrationProven,
    decide: decideRegistration,
    expired: expiredRegistrations,
    identifyingTypes: [],
  },
  desiredTokenObjects,
  tokenStatuses: (subject, members, hub) => [tokenStatusWrite(subject, members, hub)],
} satisfies Registration;
