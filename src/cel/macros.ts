/** Macros of the language that follow a target, with the numbers of arguments they take. */
const arities = {
  all: [2, 3],
  exists: [2, 3],
  exists_one: [2, 3],
  existsOne: [3],
  map: [2, 3],
  filter: [2],
  transformList: [3, 4],
  transformMap: [3, 4],
  transformMapEntry: [3, 4],
  optMap: [2],
  optFlatMap: [2],
} as const;

export type MacroName = keyof typeof arities;

export function isMacro(name: string, argumentCount: number): name is MacroName {
  const counts: readonly number[] | undefined = Object.hasOwn(arities, name) ? arities[name as MacroName] : undefined;
  return counts?.includes(argumentCount) ?? false;
}
