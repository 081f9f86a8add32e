import { isJsonEqual } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { badRequest, forbidden, notFound } from "../failures/failures.ts";
import { isMaster } from "./auth.ts";
import type { UserInfo } from "./auth.ts";
import { aggregate, quoteList } from "../../core/formats/go-text.ts";
import type { RbacAuthorizer } from "./rbac-authorizer.ts";
import { compactRights, describeRule, missingRights, rulesOf } from "./rbac-rules.ts";
import type { PolicyRule } from "./rbac-rules.ts";

const rbacGroup = "rbac.authorization.k8s.io";
const fullAuthority: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [], nonResourceURLs: [] },
  { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["*"] },
];

export interface EscalationCheck {
  readonly authorizer: RbacAuthorizer;
  readonly user: UserInfo;
  /** The Role, ClusterRole, RoleBinding or ClusterRoleBinding to be written, defaulted. */
  readonly object: KubeObject;
  /** What it replaces; undefined for a create. */
  readonly old?: KubeObject;
  /** The name in the request's URL; empty for a create by POST. */
  readonly requestName: string;
}

/**
 * Refuses a grant of rights that the user does not hold, unless by the verbs `escalate` (roles) or `bind` (bindings).
 * Throws ApiFailure 403, or 400, 404 or 500 when a binding names no role. Source: Kubernetes,
 * pkg/registry/rbac/{role,clusterrole,rolebinding,clusterrolebinding}/policybased.
 */
export function checkEscalation(check: EscalationCheck): void {
  const { object, old, user } = check;
  if (isMaster(user)) return;
  const isRole = object.kind === "Role" || object.kind === "ClusterRole";
  if (isRole && isEscalateAllowed(check)) return;
  if (old !== undefined && onlyCollectorFieldsDiffer(object, old)) return;
  if (isRole) checkRole(check);
  else checkBinding(check);
}

function checkRole(check: EscalationCheck): void {
  const { object, old } = check;
  const refusal = missingText(check, rulesOf(object));
  if (refusal !== undefined) throw refuse(object, refusal);
  const aggregates = [object, old].some(
    (role) => role !== undefined && objectsAt(role, "aggregationRule", "clusterRoleSelectors").length > 0,
  );
  if (object.kind === "ClusterRole" && aggregates && missingText(check, fullAuthority) !== undefined) {
    throw refuse(object, "must have cluster-admin privileges to use the aggregationRule");
  }
}

function checkBinding(check: EscalationCheck): void {
  const { authorizer, object, user } = check;
  const namespace = object.kind === "RoleBinding" ? object.metadata.namespace : undefined;
  const role = { kind: textAt(object, "roleRef", "kind") ?? "", name: textAt(object, "roleRef", "name") ?? "" };
  const isKnownKind = role.kind === "Role" || role.kind === "ClusterRole";
  const mayBind =
    isKnownKind &&
    authorizer.authorize({
      kind: "resource",
      user,
      verb: "bind",
      group: textAt(object, "roleRef", "apiGroup") ?? "",
      version: "*",
      resource: role.kind === "Role" ? "roles" : "clusterroles",
      name: role.name,
      ...(namespace === undefined ? {} : { namespace }),
    }).isAllowed;
  if (mayBind) return;
  const rules = authorizer.rulesOfRole(role, namespace);
  if (rules === undefined) throw withoutRole(object, role);
  const refusal = missingText(check, rules);
  if (refusal !== undefined) throw refuse(object, refusal);
}

/** kube-apiserver reads the role for the request, and names it by what the request is for. */
function withoutRole(
  binding: KubeObject,
  { kind, name }: { readonly kind: string; readonly name: string },
): ApiFailure {
  if (kind !== "Role" && kind !== "ClusterRole") {
    return new ApiFailure(500, "", `unsupported role reference kind: ${JSON.stringify(kind)}`);
  }
  if (kind === "Role" && binding.kind === "ClusterRoleBinding") return badRequest("Namespace parameter required.");
  if (name === "") return badRequest("Name parameter required.");
  return notFound({ group: rbacGroup, plural: `${binding.kind.toLowerCase()}s`, name });
}

function isEscalateAllowed({ authorizer, user, object, requestName }: EscalationCheck): boolean {
  const { namespace } = object.metadata;
  return authorizer.authorize({
    kind: "resource",
    user,
    verb: "escalate",
    group: rbacGroup,
    version: "*",
    resource: object.kind === "Role" ? "roles" : "clusterroles",
    name: requestName,
    ...(namespace === undefined ? {} : { namespace }),
  }).isAllowed;
}

/** The message that lists what the user lacks of `wanted`, or undefined. */
function missingText(check: EscalationCheck, wanted: readonly PolicyRule[]): string | undefined {
  const { authorizer, user, object } = check;
  const { rules, errors } = authorizer.rulesFor(user, object.metadata.namespace);
  const missing = missingRights(rules, wanted);
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compactRights(missing).map(describeRule))].sort();
  const about = `user ${JSON.stringify(user.username)} (groups=${quoteList(user.groups)})`;
  const message = `${about} is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
  return errors.length === 0 ? message : `${message}; resolution errors: [${aggregate(errors)}]`;
}

function onlyCollectorFieldsDiffer(object: KubeObject, old: KubeObject): boolean {
  return isJsonEqual(withoutCollectorFields(object), withoutCollectorFields(old));
}

/** What the garbage collector changes, and what every write changes. */
function withoutCollectorFields(object: KubeObject): unknown {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, resourceVersion: undefined } };
}

function refuse(object: KubeObject, message: string): ApiFailure {
  return forbidden({ group: rbacGroup, plural: `${object.kind.toLowerCase()}s`, name: object.metadata.name }, message);
}
