import { appendAll } from "../../core/append-all.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { wellKnownUsers } from "./auth.ts";
import type { Authorizer, Decision, RequestAttributes, UserInfo } from "./auth.ts";
import { aggregate } from "./go-text.ts";
import { ruleAllows, rulesOf } from "./rbac-rules.ts";
import type { PolicyRule } from "./rbac-rules.ts";

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  /** References that lead nowhere, as kube-apiserver words them. */
  readonly errors: readonly string[];
}

/**
 * RBAC over an index that the caller keeps current: bindings by subject, roles by name, so that a decision costs work
 * in proportion to the bindings of the one who asks. Source: Kubernetes, plugin/pkg/auth/authorizer/rbac.
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

interface Binding {
  readonly kind: "RoleBinding" | "ClusterRoleBinding";
  readonly name: string;
  /** Empty for ClusterRoleBindings. */
  readonly namespace: string;
  readonly role: RoleRef;
  readonly subjects: readonly Subject[];
}

interface Subject {
  /** How this subject stands in the index; undefined when it can never match. */
  readonly key: string | undefined;
  readonly description: string;
}

/** Bindings of one subject: by namespace (empty: the cluster), then by name. */
type BindingsByNamespace = Map<string, Map<string, Binding>>;

/** Makes an authorizer that knows no role yet. Members of system:masters may do everything. */
export function createRbacAuthorizer(): RbacAuthorizer {
  const roles = new Map<string, readonly PolicyRule[]>();
  const bindings = new Map<string, Binding>();
  const bySubject = new Map<string, BindingsByNamespace>();

  const rulesOfRole = (ref: RoleRef, bindingNamespace: string | undefined) =>
    roles.get(roleKey(ref.kind, ref.kind === "Role" ? (bindingNamespace ?? "") : "", ref.name));

  function* bindingsFor(user: UserInfo, namespace: string | undefined): Generator<Binding> {
    const held = subjectKeysOf(user)
      .map((key) => bySubject.get(key))
      .filter((entry) => entry !== undefined);
    for (const entry of held) yield* entry.get("")?.values() ?? [];
    if (namespace === undefined || namespace === "") return;
    for (const entry of held) yield* entry.get(namespace)?.values() ?? [];
  }

  const remove = (object: KubeObject) => {
    const { name, namespace = "" } = object.metadata;
    const key = roleKey(object.kind, namespace, name);
    roles.delete(key);
    const binding = bindings.get(key);
    if (binding === undefined) return;
    bindings.delete(key);
    for (const subject of binding.subjects) {
      if (subject.key === undefined) continue;
      const entry = bySubject.get(subject.key);
      const named = entry?.get(binding.namespace);
      named?.delete(binding.name);
      if (named?.size === 0) entry?.delete(binding.namespace);
      if (entry?.size === 0) bySubject.delete(subject.key);
    }
  };

  const put = (object: KubeObject) => {
    remove(object);
    const { name, namespace = "" } = object.metadata;
    const key = roleKey(object.kind, namespace, name);
    if (object.kind === "Role" || object.kind === "ClusterRole") roles.set(key, rulesOf(object));
    if (object.kind !== "RoleBinding" && object.kind !== "ClusterRoleBinding") return;
    const binding: Binding = {
      kind: object.kind,
      name,
      namespace,
      role: { kind: textAt(object, "roleRef", "kind") ?? "", name: textAt(object, "roleRef", "name") ?? "" },
      subjects: objectsAt(object, "subjects").map((subject) => readSubject(subject, namespace)),
    };
    bindings.set(key, binding);
    for (const subject of binding.subjects) {
      if (subject.key === undefined) continue;
      const entry: BindingsByNamespace = bySubject.get(subject.key) ?? new Map<string, Map<string, Binding>>();
      bySubject.set(subject.key, entry);
      const named = entry.get(namespace) ?? new Map<string, Binding>();
      entry.set(namespace, named);
      named.set(name, binding);
    }
  };

  const authorize = (attributes: RequestAttributes): Decision => {
    const { user } = attributes;
    if (user.groups.includes(wellKnownUsers.mastersGroup)) return { isAllowed: true, reason: "" };
    const namespace = attributes.kind === "resource" ? attributes.namespace : undefined;
    const errors: string[] = [];
    for (const binding of bindingsFor(user, namespace)) {
      const rules = rulesOfRole(binding.role, binding.namespace);
      if (rules === undefined) errors.push(roleNotFound(binding.role));
      else if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { isAllowed: true, reason: `RBAC: allowed by ${describeBinding(binding, user)}` };
      }
    }
    return { isAllowed: false, reason: errors.length === 0 ? "" : `RBAC: ${aggregate(errors)}` };
  };

  const rulesFor = (user: UserInfo, namespace: string | undefined): HeldRules => {
    const found = new Set(bindingsFor(user, namespace));
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

function subjectKeysOf(user: UserInfo): string[] {
  return [`User/${user.username}`, ...new Set(user.groups.map((group) => `Group/${group}`))];
}

function readSubject(subject: unknown, bindingNamespace: string): Subject {
  const kind = textAt(subject, "kind") ?? "";
  const name = textAt(subject, "name") ?? "";
  if (kind !== "ServiceAccount") {
    const isKnown = kind === "User" || kind === "Group";
    return { key: isKnown ? `${kind}/${name}` : undefined, description: `${kind} ${JSON.stringify(name)}` };
  }
  const declared = textAt(subject, "namespace") ?? "";
  const namespace = declared === "" ? bindingNamespace : declared;
  return {
    key: namespace === "" ? undefined : `User/system:serviceaccount:${namespace}:${name}`,
    description: `${kind} ${JSON.stringify(`${name}/${namespace}`)}`,
  };
}

function describeBinding(binding: Binding, user: UserInfo): string {
  const keys = new Set(subjectKeysOf(user));
  const subject = binding.subjects.find(({ key }) => key !== undefined && keys.has(key));
  const name = binding.kind === "RoleBinding" ? `${binding.name}/${binding.namespace}` : binding.name;
  const { role } = binding;
  return `${binding.kind} ${JSON.stringify(name)} of ${role.kind} ${JSON.stringify(role.name)} to ${subject?.description ?? ""}`;
}
