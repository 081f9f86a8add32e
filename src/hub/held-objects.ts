import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import { describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import type { ChildOwner } from "./child-owners.ts";
import { directOwners, ownerKey } from "./child-owners.ts";
import { mapOf, removeFrom, setOf } from "./nested-maps.ts";

/** The objects of a hub that are known, by kind and namespace and by the Cluster or token that they belong to. */
export class HeldObjects {
  readonly #workspaces: Pick<ReadonlyMap<string, unknown>, "has">;
  readonly #objects = new Map<string, KubeObject>();
  readonly #children = new Map<string, Set<string>>();
  /** What `childrenOf` answered, until something of the owner changes: members are asked for far more often than they change. */
  readonly #answers = new Map<string, readonly KubeObject[]>();
  /** Keys of what is in each namespace that is no workspace. */
  readonly #byNamespace = new Map<string, Set<string>>();
  /** By kind and namespace. */
  readonly #byType = new Map<ResourceType, Map<string, Map<string, KubeObject>>>();
  /** Keys of what carries no label of a member or token. */
  readonly #unowned = new Map<ResourceType, Map<string, Set<string>>>();

  /** To whom an object belongs depends on which namespaces are workspaces: see {@link remove} before that changes. */
  constructor(workspaces: Pick<ReadonlyMap<string, unknown>, "has">) {
    this.#workspaces = workspaces;
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#objects.get(describeRef(ref));
  }

  list(type: ResourceType, namespace?: string): readonly KubeObject[] {
    const byNamespace = this.#byType.get(type);
    if (namespace !== undefined) return [...(byNamespace?.get(namespace)?.values() ?? [])];
    return [...(byNamespace?.values() ?? [])].flatMap((objects) => [...objects.values()]);
  }

  /** Everything in a namespace. */
  listIn(namespace: string): readonly (readonly [ObjectRef, KubeObject])[] {
    return [...this.#byType].flatMap(([type, byNamespace]) =>
      [...(byNamespace.get(namespace)?.values() ?? [])].map((object) => [refOf(type, object), object] as const),
    );
  }

  unownedOf(type: ResourceType, namespace: string): readonly KubeObject[] {
    const keys = this.#unowned.get(type)?.get(namespace) ?? [];
    return [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** What an owner's labels are on, and what is in its namespaces. */
  childrenOf(owner: ChildOwner): readonly KubeObject[] {
    const key = ownerKey(owner);
    const labelled = this.#children.get(key);
    if (labelled === undefined) return [];
    const answer = this.#answers.get(key) ?? this.#findChildren(labelled);
    this.#answers.set(key, answer);
    return answer;
  }

  #findChildren(labelled: ReadonlySet<string>): readonly KubeObject[] {
    const children = [...labelled].flatMap((key) => this.#objects.get(key) ?? []);
    const inside = children
      .filter(({ apiVersion, kind }) => apiVersion === "v1" && kind === "Namespace")
      .flatMap(({ metadata }) => [...(this.#byNamespace.get(metadata.name) ?? [])])
      .filter((key) => !labelled.has(key));
    return inside.length === 0 ? children : [...children, ...inside.flatMap((key) => this.#objects.get(key) ?? [])];
  }

  /** Whom an object belongs to by its labels or name, or by the labels of the namespace it is in. */
  ownersOf(ref: ObjectRef, object: KubeObject): readonly ChildOwner[] {
    const owners = directOwners(ref, object, this.#workspaces);
    return owners.length > 0 ? owners : this.#namespaceOwners(ref);
  }

  /** Whom the namespace of an object belongs to, unless it is a workspace. */
  #namespaceOwners({ namespace: name }: ObjectRef): readonly ChildOwner[] {
    if (name === undefined || this.#workspaces.has(name)) return [];
    const namespaceRef = { type: resourceTypes.namespace, name };
    const namespace = this.get(namespaceRef);
    return namespace === undefined ? [] : directOwners(namespaceRef, namespace, this.#workspaces);
  }

  #forgetAnswers(owners: readonly ChildOwner[]): void {
    for (const owner of owners) this.#answers.delete(ownerKey(owner));
  }

  /** Adds an object that is not held, or none of whose other versions is. */
  add(ref: ObjectRef, object: KubeObject): void {
    const key = describeRef(ref);
    this.#objects.set(key, object);
    mapOf(mapOf(this.#byType, ref.type), ref.namespace ?? "").set(key, object);
    const owners = directOwners(ref, object, this.#workspaces);
    for (const owner of owners) setOf(this.#children, ownerKey(owner)).add(key);
    if (owners.length === 0) setOf(mapOf(this.#unowned, ref.type), ref.namespace ?? "").add(key);
    this.#forgetAnswers([...owners, ...this.#namespaceOwners(ref)]);
    if (ref.namespace !== undefined && !this.#workspaces.has(ref.namespace))
      setOf(this.#byNamespace, ref.namespace).add(key);
  }

  /** Removes an object in the version that is held, while the same namespaces are workspaces as when it was added. */
  remove(ref: ObjectRef, object: KubeObject): void {
    const key = describeRef(ref);
    this.#objects.delete(key);
    const ofType = this.#byType.get(ref.type);
    if (ofType !== undefined) removeFrom(ofType, ref.namespace ?? "", key);
    const unowned = this.#unowned.get(ref.type);
    if (unowned !== undefined) removeFrom(unowned, ref.namespace ?? "", key);
    const owners = directOwners(ref, object, this.#workspaces);
    for (const owner of owners) removeFrom(this.#children, ownerKey(owner), key);
    this.#forgetAnswers([...owners, ...this.#namespaceOwners(ref)]);
    if (ref.namespace !== undefined) removeFrom(this.#byNamespace, ref.namespace, key);
  }
}
