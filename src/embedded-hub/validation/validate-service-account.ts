import type { ResourceHooks } from "../operations/resource-definition.ts";

/** Pods of such an account use only the Secrets that it names (admission/mountable-secrets). */
export const mountableSecretsAnnotation = "kubernetes.io/enforce-mountable-secrets";

/** Warns of what is deprecated. Source: Kubernetes, pkg/registry/core/serviceaccount. */
export const validateServiceAccount: NonNullable<ResourceHooks["validate"]> = ({ metadata }, old, { warnings }) => {
  const isNew = old?.metadata.annotations?.[mountableSecretsAnnotation] === undefined;
  if (isNew && metadata.annotations?.[mountableSecretsAnnotation] !== undefined) {
    const advice = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
    warnings.push(`metadata.annotations[${mountableSecretsAnnotation}]: ${advice}`);
  }
  return [];
};
