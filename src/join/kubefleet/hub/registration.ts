import type { Registration } from "../../join.ts";
import { noRegistrations, noTokenObjects, noTokenStatuses } from "../../neutral.ts";

export const registration = {
  registrations: noRegistrations,
  desiredTokenObjects: noTokenObjects,
  tokenStatuses: noTokenStatuses,
} satisfies Registration;
