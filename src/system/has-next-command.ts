/** Whether a later command may use what this one keeps. False in CI, whose clone and home are thrown away. */
export function hasNextCommand(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment["CI"] === undefined;
}
