import { appendAll } from "../../core/append-all.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { isMaster } from "./auth.ts";
import type { Authorizer, Decision, RequestAttributes, UserInfo } from "./auth.ts";
import { aggregate } from "../../core/formats/go-text.ts";
import { createBindingIndex, describeBinding, readBinding } from "./role-bindings.ts";
import type { RoleRef } from "./role-bindings.ts";
import { ruleAllows, rulesOf } from "./rbac-rules.ts";
import type { PolicyRule } from "./rbac-rules.ts";

export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  /** References to roles that do not exist, as kube-apiserver reports them. */
  readonly errors: readonly string[];
}

/**
 * RBAC over an index that the caller keeps current: bindings by subject, roles by name, so that the work of a
 * decision is in proportion to the bindings of the user. Source: Kubernetes, plugin/pkg/auth/authorizer/rbac.
 */
export interface RbacAuthorizer extends Authorizer {
  /** Takes in the current state of a Role, ClusterRole, RoleBinding or ClusterRoleBinding. */
  put(object: KubeObject): void;
  remove(object: KubeObject): void;
  /** Everything a user may do in a namespace (undefined: cluster scope only). */
  rulesFor(user: UserInfo, namespace: string | undefined): HeldRules;
  /** The rules of the role that a binding names, or undefined when there is no such role. */
  rulesOfRole(ref: RoleRef, bindingNamespace: string | undefined): readonly PolicyRule[] | undefined;
}

/** Makes an authorizer that knows no role yet. Members of system:masters may do everything. */
export function createRbacAuthorizer(): RbacAuthorizer {
  const roles = new Map<string, readonly PolicyRule[]>();
  const bindings = createBindingIndex();

  const rulesOfRole = (ref: RoleRef, bindingNamespace: string | undefined) =>
    roles.get(roleKey(ref.kind, ref.kind === "Role" ? (bindingNamespace ?? "") : "", ref.name));

  const remove = (object: KubeObject) => {
    const { name, namespace = "" } = object.metadata;
    const key = roleKey(object.kind, namespace, name);
    roles.delete(key);
    bindings.remove(key);
  };

  const put = (object: KubeObject) => {
    remove(object);
    const { name, namespace = "" } = object.metadata;
    const key = roleKey(object.kind, namespace, name);
    if (object.kind === "Role" || object.kind === "ClusterRole") roles.set(key, rulesOf(object));
    const binding = readBinding(object);
    if (binding !== undefined) bindings.add(key, binding);
  };

  const authorize = (attributes: RequestAttributes): Decision => {
    const { user } = attributes;
    if (isMaster(user)) return { isAllowed: true, reason: "" };
    const namespace = attributes.kind === "resource" ? attributes.namespace : undefined;
    const errors: string[] = [];
    for (const binding of bindings.of(user, namespace)) {
      const rules = rulesOfRole(binding.role, binding.namespace);
      if (rules === undefined) errors.push(roleNotFound(binding.role));
      else if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { isAllowed: true, reason: `RBAC: allowed by ${describeBinding(binding, user)}` };
      }
    }
    return { isAllowed: false, reason: errors.length === 0 ? "" : `RBAC: ${aggregate(errors)}` };
  };

  const rulesFor = (user: UserInfo, namespace: string | undefined): HeldRules => {
    const found = new Set(bindings.of(user, namespace));
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    for (const binding of found) {
      const held = rulesOfRole(binding.role, binding.namespace);
      if (held === undefined) errors.push(roleNotFound(binding.role));
      else appendAll(rules, held);
    }
    return { rules, errors };
  };

  return { authorize, put, remove, rulesFor, rulesOfRole };
}

function roleNotFound(ref: RoleRef): string {
  if (ref.kind !== "Role" && ref.kind !== "ClusterRole") {
    return `unsupported role reference kind: ${JSON.stringify(ref.kind)}`;
  }
  const plural = ref.kind === "Role" ? "role" : "clusterrole";
  return `${plural}.rbac.authorization.k8s.io ${JSON.stringify(ref.name)} not found`;
}

function roleKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}
