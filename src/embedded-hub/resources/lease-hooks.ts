import { objectAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";
import { validateLease } from "../validation/validate-small-kinds.ts";

/** Source: Kubernetes, registry/coordination/lease. */
export const leaseHooks: ResourceHooks = {
  takesAnyFinalizer: true,
  canCreateOnUpdate: true,
  canUpdateUnconditionally: false,
  prepareForCreate: withoutCoordination,
  prepareForUpdate: withoutCoordination,
  validate: validateLease,
};

/** Coordinated leader election is off, as it is by default in kube-apiserver: its fields are dropped. */
function withoutCoordination(lease: KubeObject): KubeObject {
  const spec = objectAt(lease, "spec");
  if (spec === undefined) return lease;
  const { strategy: _strategy, preferredHolder: _preferredHolder, ...kept } = spec;
  return { ...lease, spec: kept };
}
