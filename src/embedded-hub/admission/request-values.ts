import type { Json, JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Authorizer } from "../auth/auth.ts";
import type { CelValue } from "../../cel/cel-value.ts";
import { celOfJson } from "../../cel/json-values.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { inVersion } from "../operations/in-version.ts";
import type { ResourceDefinition, SubresourceDefinition } from "../operations/resource-definition.ts";
import { asJson } from "../metadata/kube-json.ts";
import { authorizerValue } from "./authorizer-library.ts";
import { namespaceOf } from "./policy-match.ts";

export interface ValueScope {
  readonly request: AdmissionRequest;
  /** The version in which the policy sees the object. */
  readonly matched: ResourceDefinition;
  readonly namespace: KubeObject | undefined;
  readonly params: KubeObject | undefined;
  readonly authorizer: Authorizer;
}

/** The values of the variables of policy expressions. Source: k8s.io/apiserver, admission/plugin/cel CreateAdmissionRequest. */
export function requestValues(scope: ValueScope): Record<string, CelValue> {
  const { request, namespace, params, authorizer } = scope;
  const { definition, name, subresource, user, object, oldObject } = request;
  const requestNamespace = namespaceOf(request);
  const resource = {
    group: definition.group,
    resource: definition.plural,
    name,
    ...(subresource === undefined ? {} : { subresource }),
    ...(requestNamespace === "" ? {} : { namespace: requestNamespace }),
  };
  return {
    object: objectValue(object, scope),
    oldObject: objectValue(oldObject, scope),
    request: celOfJson(requestJson(scope)),
    namespaceObject: namespace === undefined ? null : celOfJson(namespaceJson(namespace)),
    params: params === undefined ? null : celOfJson(asJson(params)),
    authorizer: authorizerValue(authorizer, user, resource),
  };
}

/** Of a subresource with a kind of its own (Scale), the object as it is. */
function objectValue(object: KubeObject | undefined, { request, matched }: ValueScope): CelValue {
  if (object === undefined) return null;
  const isOther = object.kind !== matched.kind;
  return celOfJson(asJson(isOther ? object : inVersion(object, request.definition, matched)));
}

function requestJson({ request, matched }: ValueScope): JsonObject {
  const { definition, name, object, operation, subresource, user, isDryRun, options } = request;
  const shownName = name === "" && operation === "CREATE" ? (object?.metadata.name ?? "") : name;
  const namespace = namespaceOf(request);
  const sent = sentKindOf(request);
  const subresources = subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    kind: kindOf(sent ?? matched),
    resource: resourceOf(matched),
    requestKind: kindOf(sent ?? definition),
    requestResource: resourceOf(definition),
    ...subresources,
    ...(shownName === "" ? {} : { name: shownName }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user.username === "" ? {} : { username: user.username }),
      ...(user.uid === undefined || user.uid === "" ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(user.extra === undefined ? {} : { extra: user.extra as Readonly<Record<string, Json>> }),
    },
    dryRun: isDryRun,
    options,
  };
}

/** Of an object that is posted to a subresource, such as an Eviction: its own kind. */
function sentKindOf({ definition, subresource, object }: AdmissionRequest): SubresourceDefinition["kind"] {
  const kind = definition.subresources.find(({ name }) => name === subresource)?.kind;
  return kind?.kind === object?.kind ? kind : undefined;
}

function kindOf({ group, version, kind }: Pick<ResourceDefinition, "group" | "version" | "kind">): JsonObject {
  return { group, version, kind };
}

function resourceOf({ group, version, plural }: ResourceDefinition): JsonObject {
  return { group, version, resource: plural };
}

/** Only what the declared type of `namespaceObject` has. */
function namespaceJson(namespace: KubeObject): JsonObject {
  const { ownerReferences: _owners, managedFields: _managed, ...metadata } = namespace.metadata;
  const { spec, status } = asJson(namespace);
  return {
    metadata: { ...metadata },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}
