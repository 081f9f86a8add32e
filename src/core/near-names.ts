/**
 * Finds the first of many names that is one slip away from another: a letter more, less or another one, or two swapped. What a
 * search costs depends on the length of its name, not on how many names there are.
 */
export function indexNearNames(names: Iterable<string>): (name: string) => string | undefined {
  const byForm = new Map<string, string>();
  for (const name of names) for (const form of formsOf(name)) if (!byForm.has(form)) byForm.set(form, name);
  return (name) => {
    const form = formsOf(name).find((one) => byForm.has(one));
    return form === undefined ? undefined : byForm.get(form);
  };
}

/** A name, and all that are left of it without one letter: names that are one slip apart have one of these in common. */
function formsOf(name: string): string[] {
  return [name, ...Array.from(name, (_, index) => name.slice(0, index) + name.slice(index + 1))];
}
