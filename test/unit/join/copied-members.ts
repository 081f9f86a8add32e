import type { Member } from "../../../src/model/member.ts";
import type { MemberIndex } from "../../../src/planning/member-index.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";

/** As the hub's view gives members: two answers about one member are two objects. */
export function copiedMembers(members: readonly Member[]): MemberIndex {
  const index = indexMembers(members);
  const copy = (member: Member): Member => ({ ...member });
  return {
    named: (name) => index.named(name) && copy(index.named(name) as Member),
    find: (keyOf, key) => index.find(keyOf, key).map(copy),
    usesOf: (token) => index.usesOf(token),
  };
}
