import { createHmac } from "node:crypto";
import { AppError } from "../core/errors.ts";
import { matchesGlob } from "../core/name-glob.ts";
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
  const lines = (access.knownHosts ?? "").split(/\r?\n/u).map((line) => line.trim());
  const given = lines.filter((line) => line !== "");
  const keys = given.length > 0 ? given : ((await host?.readServerKeys(signal)) ?? []);
  if (keys.length > 0) return keys;
  const why = "a deploy key needs the keys of the ssh server, which no API of it has";
  throw new AppError("E_USAGE", `${why}: give --known-hosts-file with what ssh-keyscan prints, or --daemon-token-file`);
}

/** A key without its host. Each begins with the length of its type, whose Base64 is this; hosts may be called `ssh-1`. */
const bareKey = /^\S+ AAAA/u;

/**
 * Refuses lines of known_hosts in which ssh would find no key of the server: the daemon could not read the repository then.
 * `place` names where they are. @throws E_USAGE
 */
export function refuseOtherServer(lines: string, target: Pick<SshTarget, "host" | "port">, place: string): void {
  const { host, port } = target;
  // ssh takes the key of a host for each of its ports, unless the line names one.
  const names = [placeName(target), host].map((name) => name.toLowerCase());
  if (lines.split("\n").some((line) => names.some((name) => isLineOf(line, name)))) return;
  const scan = port === 22 ? `ssh-keyscan ${host}` : `ssh-keyscan -p ${port} ${host}`;
  throw new AppError("E_USAGE", `${place} has no key of ${placeName(target)}: give it what \`${scan}\` prints`);
}

/** Source: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT". */
function isLineOf(line: string, name: string): boolean {
  const [first = "", second = ""] = line.trim().split(/\s+/u);
  if (first.startsWith("#") || first === "@revoked") return false;
  const hosts = first.startsWith("@") ? second : first;
  const [, salt, hash] = /^\|1\|([^|]+)\|([^|]+)$/u.exec(hosts) ?? [];
  if (salt !== undefined) return createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64") === hash;
  const patterns = hosts.toLowerCase().split(",");
  // A pattern behind `!` excludes its hosts from the line, whatever the others match.
  const isExcluded = patterns.some((pattern) => pattern.startsWith("!") && matchesGlob(pattern.slice(1), name));
  return !isExcluded && patterns.some((pattern) => matchesGlob(pattern, name));
}

/** Lines of known_hosts: the keys of an API get the name of the host, with its port where that is not ssh's own. */
export function serverKeyLines(keys: readonly string[], target: Pick<SshTarget, "host" | "port">): string {
  const name = placeName(target);
  return keys.map((key) => (bareKey.test(key) ? `${name} ${key}` : key)).join("\n");
}

function placeName({ host, port }: Pick<SshTarget, "host" | "port">): string {
  return port === 22 ? host : `[${host}]:${port}`;
}
