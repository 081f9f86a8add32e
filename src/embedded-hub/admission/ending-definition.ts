import { forbidden } from "../failures/failures.ts";
import type { AdmissionRequest } from "../operations/admission.ts";

/**
 * No object of a custom kind is created, by whatever verb, while its definition is being deleted.
 * Source: apiextensions-apiserver, forbidCreateAdmission.
 */
export function checkDefinitionStays({ definition, operation, name, object }: AdmissionRequest): void {
  if (operation !== "CREATE" || definition.isTerminating !== true) return;
  const { group, plural } = definition;
  const subject = { group, plural, name: name === "" ? (object?.metadata.name ?? "") : name };
  throw forbidden(subject, "create not allowed while custom resource definition is terminating");
}
