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

export interface MemberSource {
  /** Names of the Clusters of a workspace. */
  readonly namesIn: (workspace: string) => readonly string[];
  readonly memberOf: (workspace: string, name: string) => Member | undefined;
  /** Kinds of children by whose spec a member is found, too. */
  readonly identifyingTypes: readonly ResourceType[];
}

interface Entry {
  readonly index: ChangingMemberIndex;
  /** Names of members to read again, before the index is asked. */
  readonly changed: Set<string>;
  readonly current: MemberIndex;
}

/**
 * An index of the members of each workspace. All of them are read when it is asked for the first time; after that, those whose
 * Cluster, state or identifying child has changed. So one join costs the same in a fleet of any size. What it returns is read
 * when it is asked for, with all children.
 */
export class WorkspaceMembers {
  readonly #source: MemberSource;
  readonly #entries = new Map<string, Entry>();

  constructor(source: MemberSource) {
    this.#source = source;
  }

  /** The index, which follows each change. */
  of(workspace: string): MemberIndex {
    const known = this.#entries.get(workspace);
    if (known !== undefined) return known.current;
    const entry = this.#open(workspace);
    this.#entries.set(workspace, entry);
    return entry.current;
  }

  /** Takes in a change of an object; `owners` are those it belongs to or belonged to. */
  record(ref: ObjectRef, versions: Versions, owners: readonly ChildOwner[]): void {
    if (ref.type === resourceTypes.cluster) this.#entries.get(ref.namespace ?? "")?.changed.add(ref.name);
    for (const { label, workspace, name } of owners)
      if (label === labelKeys.cluster && this.#isFoundBy(ref, versions, name))
        this.#entries.get(workspace)?.changed.add(name);
  }

  /** What belongs to whom may have changed: all members are read again. */
  forget(): void {
    this.#entries.clear();
  }

  #isFoundBy({ type, name }: ObjectRef, { before, object }: Versions, member: string): boolean {
    if (type === resourceTypes.configMap) return name === memberStateName(member);
    return (
      this.#source.identifyingTypes.includes(type) && !isJsonEqual(valueAt(before, "spec"), valueAt(object, "spec"))
    );
  }

  #open(workspace: string): Entry {
    const { namesIn, memberOf } = this.#source;
    const read = (name: string): Member | undefined => memberOf(workspace, name);
    const index = indexMembers(namesIn(workspace).flatMap((name) => read(name) ?? []));
    const changed = new Set<string>();
    const refresh = (): ChangingMemberIndex => {
      for (const name of changed) {
        const member = read(name);
        if (member === undefined) index.remove(name);
        else index.put(member);
      }
      changed.clear();
      return index;
    };
    return {
      index,
      changed,
      current: {
        named: read,
        find: (keyOf, key) =>
          refresh()
            .find(keyOf, key)
            .flatMap(({ name }) => read(name) ?? []),
        usesOf: (token) => refresh().usesOf(token),
      },
    };
  }
}

interface Versions {
  readonly before: KubeObject | undefined;
  readonly object: KubeObject | undefined;
}
