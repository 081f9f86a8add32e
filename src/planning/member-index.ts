import { compareText } from "../core/compare-text.ts";
import type { TokenUse } from "../model/generated/cluster-registration-token.ts";
import type { Member } from "../model/member.ts";

/** What a member is found by; undefined for one that is not found. A constant function: one index is kept for each. */
export type KeyOfMember = (member: Member) => string | undefined;

/** So many admissions by a token are named; its other ones are only counted. */
export const mostNamedUses = 20;

/**
 * The members of a workspace, so that a question about some of them costs nothing in proportion to all. Two answers about one
 * member may be two objects: members are the same when their names are.
 */
export interface MemberIndex {
  named(name: string): Member | undefined;
  /** Members with this key. The first question with a function reads all members once. */
  find(keyOf: KeyOfMember, key: string): readonly Member[];
  /** What members remember of their admission by this token. */
  usesOf(token: string): TokenUses;
}

export interface TokenUses {
  /** The largest count that a member remembers; 0 when none does. */
  readonly count: number;
  /** The newest admissions first, at most {@link mostNamedUses}. */
  readonly newest: readonly TokenUse[];
}

const noUses: TokenUses = { count: 0, newest: [] };

export interface ChangingMemberIndex extends MemberIndex {
  /** Takes in a member, in the place of the one with its name. */
  put(member: Member): void;
  remove(name: string): void;
}

export function indexMembers(members: readonly Member[]): ChangingMemberIndex {
  const byName = new Map(members.map((member) => [member.name, member]));
  const byKey = new Map<KeyOfMember, Map<string, Set<Member>>>();
  const uses = new Map<string, TokenUses>();
  const find: MemberIndex["find"] = (keyOf, key) => {
    let known = byKey.get(keyOf);
    if (known === undefined) {
      known = new Map();
      byKey.set(keyOf, known);
      for (const member of byName.values()) add(known, keyOf(member), member);
    }
    return [...(known.get(key) ?? [])];
  };
  const replace = (name: string, member: Member | undefined): void => {
    const before = byName.get(name);
    if (member === undefined) byName.delete(name);
    else byName.set(name, member);
    for (const [keyOf, known] of byKey) {
      if (before !== undefined) removeFrom(known, keyOf(before), before);
      if (member !== undefined) add(known, keyOf(member), member);
    }
    if (before !== undefined && isSameUse(before, member)) return;
    uses.delete((before && tokenOf(before)) ?? "");
    const token = member && tokenOf(member);
    const known = uses.get(token ?? "");
    if (member !== undefined && token !== undefined && known !== undefined)
      uses.set(token, mergeUses(known, usesOf(member)));
  };
  return {
    named: (name) => byName.get(name),
    find,
    usesOf: (token) => {
      const known = uses.get(token) ?? find(tokenOf, token).map(usesOf).reduce(mergeUses, noUses);
      uses.set(token, known);
      return known;
    },
    put: (member) => replace(member.name, member),
    remove: (name) => replace(name, undefined),
  };
}

function add(known: Map<string, Set<Member>>, key: string | undefined, member: Member): void {
  if (key === undefined) return;
  const members = known.get(key);
  if (members === undefined) known.set(key, new Set([member]));
  else members.add(member);
}

function removeFrom(known: Map<string, Set<Member>>, key: string | undefined, member: Member): void {
  const members = known.get(key ?? "");
  members?.delete(member);
  if (members?.size === 0) known.delete(key ?? "");
}

function tokenOf({ state }: Member): string | undefined {
  return state?.join?.token;
}

function isSameUse(one: Member, other: Member | undefined): boolean {
  const [{ join: before }, { join: after }] = [one.state ?? {}, other?.state ?? {}];
  return before?.token === after?.token && before?.time === after?.time && before?.tokenUse === after?.tokenUse;
}

function usesOf({ name, state }: Member): TokenUses {
  if (state?.join === undefined) return noUses;
  const { time, tokenUse = 0 } = state.join;
  return { count: tokenUse, newest: [{ cluster: name, time }] };
}

/** What two groups of members remember of their admission by one token. */
export function mergeUses(one: TokenUses, other: TokenUses): TokenUses {
  const count = Math.max(one.count, other.count);
  const last = one.newest[mostNamedUses - 1];
  const added = last === undefined ? other.newest : other.newest.filter((use) => compareUses(use, last) < 0);
  if (added.length === 0) return { count, newest: one.newest };
  return { count, newest: [...one.newest, ...added].sort(compareUses).slice(0, mostNamedUses) };
}

/** The newest first. */
export function compareUses(one: TokenUse, other: TokenUse): number {
  return compareText(other.time, one.time) || compareText(one.cluster, other.cluster);
}
