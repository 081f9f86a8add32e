import { userInfo } from "node:os";

/**
 * The home folder of the user: HOME, or the system's where HOME is not an absolute path. `os.homedir()` answers an empty HOME
 * with an empty path, which would be whatever folder the command is started in. Undefined: the user has none.
 */
export function homeFolder(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const home = environment["HOME"];
  if (home?.startsWith("/") === true) return home;
  try {
    return userInfo().homedir || undefined;
  } catch {
    return undefined; // The system knows listed users alone, and this process may run as any number.
  }
}
