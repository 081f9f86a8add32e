import type { CelType } from "../../cel/cel-type.ts";
import type { PatternBudget } from "../../core/formats/patterns.ts";
import { boolType, dyn, listOf, mapOf, stringType } from "../../cel/cel-type.ts";

/** What an expression of a policy may refer to. */
export interface PolicyScope {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** Types of `variables.<name>`, those declared so far; absent: there are no variables. */
  readonly variables?: ReadonlyMap<string, CelType>;
  /** Of `object` and `oldObject`; default unknown. */
  readonly objectType?: CelType;
  /** Of `params`; default unknown. */
  readonly paramsType?: CelType;
  /** Of all expressions of the policy; default of each alone. */
  readonly patterns?: PatternBudget;
}

const authorizationPrefix = "kubernetes.authorization.";

export const resourceCheckType: CelType = { kind: "opaque", name: `${authorizationPrefix}ResourceCheck` };
export const authorizerType: CelType = object(`${authorizationPrefix}Authorizer`, {
  requestResource: resourceCheckType,
});

const gvk = object("kubernetes.GroupVersionKind", { group: stringType, version: stringType, kind: stringType });
const gvr = object("kubernetes.GroupVersionResource", { group: stringType, version: stringType, resource: stringType });
const timestamp: CelType = { kind: "timestamp" };
const int: CelType = { kind: "int" };

const requestType = object("kubernetes.AdmissionRequest", {
  kind: gvk,
  resource: gvr,
  subResource: stringType,
  requestKind: gvk,
  requestResource: gvr,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: object("kubernetes.UserInfo", {
    username: stringType,
    uid: stringType,
    groups: listOf(stringType),
    extra: mapOf(stringType, listOf(stringType)),
  }),
  dryRun: boolType,
  options: dyn,
});

const namespaceType = object("kubernetes.Namespace", {
  metadata: object("kubernetes.NamespaceMetadata", {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapOf(stringType, stringType),
    annotations: mapOf(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: timestamp,
    generation: int,
    resourceVersion: stringType,
    finalizers: listOf(stringType),
  }),
  spec: object("kubernetes.NamespaceSpec", { finalizers: listOf(stringType) }),
  status: object("kubernetes.NamespaceStatus", {
    conditions: listOf(
      object("kubernetes.NamespaceCondition", {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestamp,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});

/** The variables of policy expressions and their types. Source: k8s.io/apiserver, admission/plugin/cel/compile.go. */
export function policyVariables(scope: PolicyScope): Record<string, CelType> {
  const { hasParams, hasAuthorizer, variables, objectType = dyn, paramsType = dyn } = scope;
  return {
    object: objectType,
    oldObject: objectType,
    request: requestType,
    namespaceObject: namespaceType,
    ...(hasParams ? { params: paramsType } : {}),
    ...(hasAuthorizer ? { authorizer: authorizerType } : {}),
    ...(variables === undefined
      ? {}
      : { variables: { kind: "object", name: "kubernetes.variables", fields: variables } }),
  };
}

function object(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: "object", name, fields: new Map(Object.entries(fields)) };
}
