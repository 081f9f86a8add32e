import { numberAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { policyGroup, readPolicy } from "../admission/admission-policy.ts";
import { typeCheckPolicy } from "../admission/type-check-policy.ts";
import type { TypeSources } from "../admission/type-check-policy.ts";
import { controllerContext, controllerQueue } from "./controller-scope.ts";
import type { Controller, ControllerScope } from "./controller-scope.ts";

const name = "validatingadmissionpolicy-status-controller";
const fieldManager = "validatingadmissionpolicy-status";
const plural = "validatingadmissionpolicies";

/**
 * Writes into the status of each ValidatingAdmissionPolicy which of its expressions do not fit the kinds it is about.
 * Source: Kubernetes, pkg/controller/validatingadmissionpolicystatus.
 */
export function startPolicyStatusController(scope: ControllerScope): Controller {
  const { operations } = scope;
  const sources: TypeSources = {
    definitionsOf: (group, version, resource) => {
      const definition = operations.definitionOf(group, resource, version);
      return definition === undefined ? [] : [definition];
    },
    definitionOfKind: (apiVersion, kind) => operations.definitionOfKind(apiVersion, kind),
  };
  const queue = controllerQueue({
    scope,
    name,
    work: async (policyName) => {
      const definition = operations.definitionOf(policyGroup, plural);
      const policy = definition && operations.get({ definition, name: policyName });
      if (definition === undefined || policy === undefined || isChecked(policy)) return;
      const { apiVersion, kind } = policy;
      const expressionWarnings = typeCheckPolicy(readPolicy(policy), sources).map((warning) => ({ ...warning }));
      const status = {
        observedGeneration: policy.metadata.generation ?? 0,
        typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
      };
      const object = { apiVersion, kind, metadata: { name: policyName }, status };
      const target = { definition, name: policyName, subresource: "status" };
      await operations.patch(controllerContext(name, fieldManager), target, { kind: "apply", object, isForced: true });
    },
  });
  scope.feed.on(policyGroup, plural, ({ kind, object }) => {
    if (kind !== "deleted" && !isChecked(object)) queue.add(object.metadata.name);
  });
  return { stop: () => queue.stop() };
}

function isChecked(policy: KubeObject): boolean {
  return (policy.metadata.generation ?? 0) <= (numberAt(policy, "status", "observedGeneration") ?? 0);
}
