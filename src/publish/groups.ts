/** Values by one property. Each has a name of its own, which no other has while it is there, and is in one group at most. */
export function createGroups<Value>() {
  const groups = new Map<string, Map<string, Value>>();
  const groupOf = new Map<string, string>();
  return {
    add: (group: string, name: string, value: Value): void => {
      groups.set(group, (groups.get(group) ?? new Map<string, Value>()).set(name, value));
      groupOf.set(name, group);
    },
    remove: (name: string): void => {
      const group = groupOf.get(name);
      if (group === undefined) return;
      groupOf.delete(name);
      const members = groups.get(group);
      members?.delete(name);
      if (members?.size === 0) groups.delete(group);
    },
    of: (group: string): readonly Value[] => [...(groups.get(group)?.values() ?? [])],
  };
}
