import { largestOf } from "../core/extremes.ts";
import type { Member } from "../model/member.ts";

/** What a member is found by; undefined for one that is not found. A constant function: one index is kept for each. */
export type KeyOfMember = (member: Member) => string | undefined;

/** The members of a workspace, so that a question about some of them costs nothing in proportion to all. */
export interface MemberIndex {
  named(name: string): Member | undefined;
  /** Members with this key. The first question with a function reads all members once. */
  find(keyOf: KeyOfMember, key: string): readonly Member[];
  /** The largest use of this token that a member remembers; 0 when none does. */
  usesOf(token: string): number;
  /** Takes in a member, in the place of the one with its name. */
  put(member: Member): void;
}

export function indexMembers(members: readonly Member[]): MemberIndex {
  const byName = new Map(members.map((member) => [member.name, member]));
  const byKey = new Map<KeyOfMember, Map<string, Set<Member>>>();
  const uses = new Map<string, number>();
  const find: MemberIndex["find"] = (keyOf, key) => {
    let known = byKey.get(keyOf);
    if (known === undefined) {
      known = new Map();
      byKey.set(keyOf, known);
      for (const member of byName.values()) add(known, keyOf(member), member);
    }
    return [...(known.get(key) ?? [])];
  };
  const usesOf = (token: string): number => {
    const known = uses.get(token);
    if (known !== undefined) return known;
    const largest = largestOf([0, ...find(tokenOf, token).map(useOf)]);
    uses.set(token, largest);
    return largest;
  };
  return {
    named: (name) => byName.get(name),
    find,
    usesOf,
    put: (member) => {
      const before = byName.get(member.name);
      byName.set(member.name, member);
      for (const [keyOf, known] of byKey) {
        if (before !== undefined) known.get(keyOf(before) ?? "")?.delete(before);
        add(known, keyOf(member), member);
      }
      const left = before && tokenOf(before);
      if (before !== undefined && left !== undefined && uses.get(left) === useOf(before)) uses.delete(left);
      const token = tokenOf(member) ?? "";
      const largest = uses.get(token);
      if (largest !== undefined) uses.set(token, Math.max(largest, useOf(member)));
    },
  };
}

function add(known: Map<string, Set<Member>>, key: string | undefined, member: Member): void {
  if (key === undefined) return;
  const members = known.get(key);
  if (members === undefined) known.set(key, new Set([member]));
  else members.add(member);
}

function tokenOf({ state }: Member): string | undefined {
  return state?.join?.token;
}

function useOf({ state }: Member): number {
  return state?.join?.tokenUse ?? 0;
}
