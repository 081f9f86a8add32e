import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `caBundle` and the certificates that Node.js trusts, as PEM: a Repository's authorities count besides the usual ones, and
 * those of the file in NODE_EXTRA_CA_CERTS are among the usual ones.
 */
export function trustBesides(caBundle: string, environment: Environment): string {
  return [caBundle.trimEnd(), ...rootCertificates, extraCertificates(environment), ""].join("\n");
}

/** What the system's certificates lack: those of NODE_EXTRA_CA_CERTS with the usual ones, as PEM; undefined without it. */
export function trustOfEnvironment(environment: Environment): string | undefined {
  return extraCertificates(environment) === "" ? undefined : trustBesides("", environment);
}

/** Node.js trusts these where no other certificates are given, but names them from version 22.15 on only. */
function extraCertificates(environment: Environment): string {
  const path = environment["NODE_EXTRA_CA_CERTS"] ?? "";
  try {
    return path === "" ? "" : readFileSync(path, "utf8").trimEnd();
  } catch {
    // Node.js warned of it at its start.
    return "";
  }
}
