import { isJsonEqual } from "../core/json.ts";
import { valueAt } from "../core/read-json.ts";
import { memberStateName } from "../model/member-state.ts";
import type { KubeObject, ObjectRef, ResourceType } from "../model/kubernetes.ts";
import type { Member } from "../model/member.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { labelKeys } from "../model/well-known.ts";
import type { ChangingMemberIndex, MemberIndex } from "../planning/member-index.ts";
import { indexMembers } from "../planning/member-index.ts";
import type { ChildOwner } from "./child-owners.ts";

/** What members are read from. */
export interface MemberSource {
  list(type: ResourceType, namespace: string): readonly KubeObject[];
  get(ref: ObjectRef): KubeObject | undefined;
  memberOf(workspace: string, name: string): Member | undefined;
}

interface Entry {
  /** Names of members to read again, before one of the others is asked. */
  readonly changed: Set<string>;
  readonly current: MemberIndex;
  readonly withoutCluster: () => readonly string[];
}

interface Versions {
  readonly before: KubeObject | undefined;
  readonly object: KubeObject | undefined;
}

/**
 * An index of the members of each workspace. All of them are read when it is asked for the first time; after that, those whose
 * Cluster, state or identifying child has changed. So one join costs the same in a fleet of any size. What it returns is read
 * when it is asked for, with all children.
 */
export class WorkspaceMembers {
  readonly #source: MemberSource;
  readonly #identifyingTypes: readonly ResourceType[];
  readonly #entries = new Map<string, Entry>();

  /** `identifyingTypes` are the kinds of children by whose spec a member is found, too. */
  constructor(source: MemberSource, identifyingTypes: readonly ResourceType[]) {
    this.#source = source;
    this.#identifyingTypes = identifyingTypes;
  }

  /** The index, which follows each change. */
  of(workspace: string): MemberIndex {
    return this.#entryOf(workspace).current;
  }

  /** Names of the members that have a state and no Cluster. */
  withoutCluster(workspace: string): readonly string[] {
    return this.#entryOf(workspace).withoutCluster();
  }

  /** Takes in a change of an object; `ownersOf` finds those that it belongs to or belonged to, where that matters. */
  record(ref: ObjectRef, versions: Versions, ownersOf: () => readonly ChildOwner[]): void {
    if (ref.type === resourceTypes.cluster) this.#entries.get(ref.namespace ?? "")?.changed.add(ref.name);
    if (!this.#isIdentifying(ref, versions)) return;
    for (const { label, workspace, name } of ownersOf())
      if (label === labelKeys.cluster && this.#isFoundBy(ref, name)) this.#entries.get(workspace)?.changed.add(name);
  }

  /** What belongs to whom may have changed: all members are read again. */
  forget(): void {
    this.#entries.clear();
  }

  #isIdentifying({ type }: ObjectRef, { before, object }: Versions): boolean {
    if (type === resourceTypes.configMap) return true;
    return this.#identifyingTypes.includes(type) && !isJsonEqual(valueAt(before, "spec"), valueAt(object, "spec"));
  }

  #isFoundBy({ type, name }: ObjectRef, member: string): boolean {
    return type !== resourceTypes.configMap || name === memberStateName(member);
  }

  #entryOf(workspace: string): Entry {
    const entry = this.#entries.get(workspace) ?? this.#open(workspace);
    this.#entries.set(workspace, entry);
    return entry;
  }

  #open(workspace: string): Entry {
    const read = (name: string): Member | undefined => this.#source.memberOf(workspace, name);
    const index = indexMembers([]);
    const withoutCluster = new Set<string>();
    const changed = new Set(this.#namesIn(workspace));
    const refresh = (): ChangingMemberIndex => {
      for (const name of changed) {
        const member = read(name);
        if (member === undefined) index.remove(name);
        else index.put(member);
        if (member === undefined && this.#hasState(workspace, name)) withoutCluster.add(name);
        else withoutCluster.delete(name);
      }
      changed.clear();
      return index;
    };
    return {
      changed,
      current: {
        named: read,
        find: (keyOf, key) =>
          refresh()
            .find(keyOf, key)
            .flatMap(({ name }) => read(name) ?? []),
        usesOf: (token) => refresh().usesOf(token),
      },
      withoutCluster: () => {
        refresh();
        return [...withoutCluster];
      },
    };
  }

  /** Names of which the workspace has a Cluster or a member state. */
  #namesIn(workspace: string): string[] {
    const clusters = this.#source.list(resourceTypes.cluster, workspace);
    const states = this.#source.list(resourceTypes.configMap, workspace);
    return [
      ...clusters.map(({ metadata }) => metadata.name),
      ...states.flatMap(({ metadata }) => metadata.labels?.[labelKeys.cluster] ?? []),
    ];
  }

  #hasState(namespace: string, name: string): boolean {
    const state = this.#source.get({ type: resourceTypes.configMap, namespace, name: memberStateName(name) });
    return state?.metadata.labels?.[labelKeys.cluster] === name;
  }
}
