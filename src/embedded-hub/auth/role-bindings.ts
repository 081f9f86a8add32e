import { objectsAt, textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { UserInfo } from "./auth.ts";

/** The role that a binding names. */
export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** A RoleBinding or ClusterRoleBinding. */
export interface Binding {
  readonly kind: "RoleBinding" | "ClusterRoleBinding";
  readonly name: string;
  /** Empty for ClusterRoleBindings. */
  readonly namespace: string;
  readonly role: RoleRef;
  readonly subjects: readonly Subject[];
}

interface Subject {
  /** The key of this subject in the index; undefined when it can never match. */
  readonly key: string | undefined;
  readonly description: string;
}

/** Bindings by subject, so that finding those of a user costs work in proportion to their number. */
export interface BindingIndex {
  /** `key` is not in the index. */
  add(key: string, binding: Binding): void;
  remove(key: string): void;
  /** Those that count in a namespace, those of the cluster first. Without a namespace (undefined, empty): of the cluster. */
  of(user: UserInfo, namespace: string | undefined): Iterable<Binding>;
}

/** Bindings of one subject: by namespace (empty: the cluster), then by name. */
type BindingsByNamespace = Map<string, Map<string, Binding>>;

export function createBindingIndex(): BindingIndex {
  const bindings = new Map<string, Binding>();
  const bySubject = new Map<string, BindingsByNamespace>();

  function* bindingsOf(user: UserInfo, namespace: string | undefined): Generator<Binding> {
    const held = subjectKeysOf(user)
      .map((key) => bySubject.get(key))
      .filter((entry) => entry !== undefined);
    for (const entry of held) yield* entry.get("")?.values() ?? [];
    if (namespace === undefined || namespace === "") return;
    for (const entry of held) yield* entry.get(namespace)?.values() ?? [];
  }

  return {
    of: bindingsOf,
    add: (key, binding) => {
      bindings.set(key, binding);
      for (const subject of binding.subjects) {
        if (subject.key === undefined) continue;
        const entry: BindingsByNamespace = bySubject.get(subject.key) ?? new Map<string, Map<string, Binding>>();
        bySubject.set(subject.key, entry);
        const named = entry.get(binding.namespace) ?? new Map<string, Binding>();
        entry.set(binding.namespace, named);
        named.set(binding.name, binding);
      }
    },
    remove: (key) => {
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
    },
  };
}

/** Undefined for every other kind. */
export function readBinding(object: KubeObject): Binding | undefined {
  if (object.kind !== "RoleBinding" && object.kind !== "ClusterRoleBinding") return undefined;
  const { name, namespace = "" } = object.metadata;
  return {
    kind: object.kind,
    name,
    namespace,
    role: { kind: textAt(object, "roleRef", "kind") ?? "", name: textAt(object, "roleRef", "name") ?? "" },
    subjects: objectsAt(object, "subjects").map((subject) => readSubject(subject, namespace)),
  };
}

/** The description of a user's binding, as kube-apiserver formats it. */
export function describeBinding(binding: Binding, user: UserInfo): string {
  const keys = new Set(subjectKeysOf(user));
  const subject = binding.subjects.find(({ key }) => key !== undefined && keys.has(key));
  const name = binding.kind === "RoleBinding" ? `${binding.name}/${binding.namespace}` : binding.name;
  const { role } = binding;
  return `${binding.kind} ${JSON.stringify(name)} of ${role.kind} ${JSON.stringify(role.name)} to ${subject?.description ?? ""}`;
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
