import { ownValue } from "../../core/own-value.ts";
import { appendAll } from "../../core/append-all.ts";
import type { Authorizer } from "../auth/auth.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import type { Operations } from "../operations/operations.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { admissionForbidden } from "./admission-forbidden.ts";
import { policyGroup, readPolicy, readPolicyBinding } from "./admission-policy.ts";
import type { AdmissionPolicy, PolicyBinding } from "./admission-policy.ts";
import { compilePolicy } from "./compile-policy.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import { evaluatePolicy } from "./evaluate-policy.ts";
import type { Denial } from "./evaluate-policy.ts";
import { matchRequest, namespaceOf } from "./policy-match.ts";
import type { MatchParts } from "./policy-match.ts";
import { createPolicyAnnotations } from "./policy-annotations.ts";
import type { PolicyAnnotations } from "./policy-annotations.ts";
import { collectParams } from "./policy-params.ts";
import { requestValues } from "./request-values.ts";
import { warnOfWebhooksNotCalled } from "./webhooks-not-called.ts";

export interface PolicyEnforcer {
  /** Throws the message of the first policy that denies; adds the warnings of those that warn, and of webhooks. */
  enforce(request: AdmissionRequest): void;
}

interface Known {
  readonly policy: AdmissionPolicy;
  readonly compiled: CompiledPolicy;
}

interface Denied extends Denial {
  readonly policy: string;
  readonly binding: string | undefined;
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413, Unauthorized: 401 };
const webhookPlurals = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
/** Groups whose kinds no policy can hold: those that make policies, and questions about rights. */
const exemptGroups = [policyGroup, "authentication.k8s.io", "authorization.k8s.io"];

/**
 * Runs ValidatingAdmissionPolicies through their bindings. A policy is compiled once per version of it.
 * Source: k8s.io/apiserver, admission/plugin/policy/validating/dispatcher.go.
 */
export function createPolicyEnforcer(operations: () => Operations, authorizer: Authorizer): PolicyEnforcer {
  const compiled = new Map<string, { readonly version: string | undefined; readonly known: Known }>();

  const knownPolicy = (object: KubeObject): Known => {
    const { name, resourceVersion } = object.metadata;
    const cached = compiled.get(name);
    if (cached?.version === resourceVersion && cached !== undefined) return cached.known;
    const policy = readPolicy(object);
    const known = { policy, compiled: compilePolicy(policy) };
    compiled.set(name, { version: resourceVersion, known });
    return known;
  };

  return {
    enforce: (request) => {
      if (exemptGroups.includes(request.definition.group)) return;
      const configurations = webhookPlurals.flatMap((plural) => listAll(operations(), plural));
      if (configurations.length > 0) {
        appendAll(request.warnings, warnOfWebhooksNotCalled(configurations, request, matchParts(operations())));
      }
      const policies = listAll(operations(), "validatingadmissionpolicies");
      if (policies.length === 0) {
        compiled.clear();
        return;
      }
      const bindings = listAll(operations(), "validatingadmissionpolicybindings").map(readPolicyBinding);
      const denied: Denied[] = [];
      const annotations = createPolicyAnnotations();
      for (const object of policies) {
        const own = bindings.filter(({ policyName }) => policyName === object.metadata.name);
        if (own.length > 0)
          appendAll(denied, enforceOne(knownPolicy(object), own, { request, operations, authorizer, annotations }));
      }
      if (request.annotate !== undefined) annotations.publish(request.annotate);
      const [first] = denied;
      if (first !== undefined) throw failureOf(request, first);
    },
  };
}

interface EnforceScope {
  readonly request: AdmissionRequest;
  readonly operations: () => Operations;
  readonly authorizer: Authorizer;
  readonly annotations: PolicyAnnotations;
}

function enforceOne(known: Known, bindings: readonly PolicyBinding[], scope: EnforceScope): readonly Denied[] {
  const { policy } = known;
  const { request } = scope;
  const parts = matchParts(scope.operations());
  const matched = matchRequest(policy.matchConstraints, request, parts);
  if (matched === undefined) return [];
  return bindings.flatMap((binding) => {
    if (matchRequest(binding.matchResources ?? {}, request, parts) === undefined) return [];
    return enforceBinding(known, binding, { ...scope, matched });
  });
}

function enforceBinding(
  { policy, compiled }: Known,
  binding: PolicyBinding,
  { request, operations, authorizer, annotations, matched }: EnforceScope & { readonly matched: ResourceDefinition },
): readonly Denied[] {
  const params = collectParams(policy, binding, { operations: operations(), namespace: namespaceOf(request) });
  if (params.kind === "wrong") {
    if (policy.isIgnoringFailures) return [];
    const { message, isOfPolicy = false } = params;
    const text = `failed to configure ${isOfPolicy ? "policy" : "binding"}: ${message}`;
    return [
      { policy: policy.name, binding: isOfPolicy ? undefined : binding.name, message: text, reason: "", index: 0 },
    ];
  }
  const namespace = namespaceObjectOf(request, operations());
  const results = params.params.map((param) => {
    const values = requestValues({ request, matched, namespace, params: param, authorizer });
    return evaluatePolicy({ policy, compiled, values });
  });
  for (const one of results.flatMap((result) => result.annotations))
    annotations.addValue(policy.name, one.key, one.value);
  const denials = results.flatMap((result) => result.denials);
  if (binding.actions.includes("Audit")) for (const denial of denials) annotations.addFailure(binding, denial);
  if (binding.actions.includes("Warn")) {
    for (const { message } of denials) {
      const label = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
      request.warnings.push(`Validation failed for ${label}: ${message}`);
    }
  }
  const denying = [...(binding.actions.includes("Deny") ? denials : []), ...results.flatMap(({ faults }) => faults)];
  return denying.map((denial) => ({ policy: policy.name, binding: binding.name, ...denial }));
}

function failureOf(request: AdmissionRequest, { policy, binding, message, reason }: Denied): ApiFailure {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { status } = admissionForbidden(request, text, [{ message: text }]);
  const shown = reason === "" ? "Invalid" : reason;
  const details = status.details === undefined ? {} : { details: status.details };
  return new ApiFailure(ownValue(codes, shown) ?? 422, shown, status.message ?? text, details);
}

/** The namespace that the object is in; none for a Namespace itself. */
function namespaceObjectOf(request: AdmissionRequest, operations: Operations): KubeObject | undefined {
  const definition = operations.definitionOf("", "namespaces");
  if (definition === undefined || request.namespace === undefined) return undefined;
  return operations.get({ definition, name: request.namespace });
}

function matchParts(operations: Operations): MatchParts {
  return {
    read: ({ group, plural, namespace, name }) => {
      const definition = operations.definitionOf(group, plural);
      if (definition === undefined) return undefined;
      return operations.get({ definition, name, ...(namespace === undefined ? {} : { namespace }) });
    },
    otherVersionsOf: (definition) =>
      operations.definitions().filter(({ group, plural, version }) => {
        return group === definition.group && plural === definition.plural && version !== definition.version;
      }),
  };
}

function listAll(operations: Operations, plural: string): readonly KubeObject[] {
  const definition = operations.definitionOf(policyGroup, plural);
  return definition === undefined ? [] : operations.list({ definition }).items;
}
