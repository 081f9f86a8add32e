/**
 * Runs something as a user who may not read everything: the tests may run as root, whom no rights of a file stop. Folders on the
 * way must be open to others.
 */
export async function asOtherUser<T>(run: () => T | Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0 || process.seteuid === undefined) return run();
  process.seteuid(65_534);
  try {
    return await run();
  } finally {
    process.seteuid(0);
  }
}
