import { rootCertificates } from "node:tls";

/** `caBundle` and the certificates that Node.js trusts, as PEM: a Repository's authorities count besides the usual ones. */
export function trustBesides(caBundle: string): string {
  return [caBundle.trimEnd(), ...rootCertificates, ""].join("\n");
}
