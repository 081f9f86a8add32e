import { AppError } from "../core/errors.ts";
import type { SshTarget } from "../git/engine/ssh-access.ts";
import type { BootstrapOptions, DaemonAccess } from "./bootstrap-options.ts";

/**
 * The keys by which the daemon knows the ssh server: the lines of a file, or `type key` as the forge's API has them. No key is
 * trusted on first sight.
 * @throws E_USAGE where there are none
 */
export async function readServerKeys(
  { host, signal }: Pick<BootstrapOptions, "host" | "signal">,
  access: Extract<DaemonAccess, { readonly kind: "key" }>,
): Promise<readonly string[]> {
  const given = (access.knownHosts ?? "").split(/\r?\n/u).filter((line) => line.trim() !== "");
  const keys = given.length > 0 ? given : ((await host?.readServerKeys(signal)) ?? []);
  if (keys.length > 0) return keys;
  const why = "a deploy key needs the keys of the ssh server, which no API of it has";
  throw new AppError("E_USAGE", `${why}: give --known-hosts-file with what ssh-keyscan prints, or --daemon-token-file`);
}

/** A key without its host. Each begins with the length of its type, whose Base64 is this; hosts may be called `ssh-1`. */
const bareKey = /^\S+ AAAA/u;

/** Lines of known_hosts: the keys of an API get the name of the host, with its port where that is not ssh's own. */
export function serverKeyLines(keys: readonly string[], { host, port }: Pick<SshTarget, "host" | "port">): string {
  const name = port === 22 ? host : `[${host}]:${port}`;
  return keys.map((key) => (bareKey.test(key) ? `${name} ${key}` : key)).join("\n");
}
