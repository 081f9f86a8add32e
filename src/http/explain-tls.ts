import type { HttpFailure } from "./failure.ts";
import { describeHandshake } from "./failure.ts";

const untrustedRemedy =
  "Name the file with the authority's certificate in the environment variable NODE_EXTRA_CA_CERTS, or by --git-ca-file, or give it in caBundle of the Repository. Renew a certificate that has expired.";
const handshakeRemedy =
  "Check the address, its port and a proxy in between: `curl --verbose ADDRESS` shows what answers there. Servers must speak TLS 1.2 or later.";

/** Why there is no TLS with a server of git or of a forge, and what a person does about it; undefined for another failure. */
export function explainTls(failure: HttpFailure): { readonly reason: string; readonly remedy: string } | undefined {
  const { kind, code } = failure;
  if (kind === "untrusted")
    return { reason: `its certificate is not trusted (${code}); give its CA as caBundle`, remedy: untrustedRemedy };
  if (kind === "handshake") return { reason: `TLS failed: ${describeHandshake(failure)}`, remedy: handshakeRemedy };
  return undefined;
}
