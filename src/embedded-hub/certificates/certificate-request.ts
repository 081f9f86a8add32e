import "reflect-metadata";
import { Pkcs10CertificateRequest } from "@peculiar/x509";
import type { PublicKey } from "@peculiar/x509";
import { pemBlocks } from "./pem-blocks.ts";

/** What a PKCS #10 request asks for. */
export interface CertificateRequest {
  /** The last one, where there are several; empty where there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly publicKey: PublicKey;
  /** What is wrong with its signature, or undefined. */
  readonly verify: () => Promise<string | undefined>;
}

/** Of one request; a real one has some 30. They bound the time that one request takes. */
const bounds = { berOptions: { maxDepth: 32, maxNodes: 1000 } };
/** What kube-apiserver takes at least, and a hub at most. With an exponent of 31 bits they bound the time that a check takes. */
const smallestRsaBits = 1024;
const largestRsaBits = 8192;

/** Reads a request in PEM. Returns an error text for an invalid one: that of kube-apiserver where it has one. */
export function readCertificateRequest(pem: string): CertificateRequest | string {
  const [block] = pemBlocks(pem);
  if (block?.type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  try {
    // The library takes bytes that do not begin a sequence for another form of text.
    if (block.bytes[0] !== 0x30) return malformed;
    const request = new Pkcs10CertificateRequest(block.bytes, bounds);
    const { subjectName, publicKey } = request;
    return {
      commonName: subjectName.getField("CN").at(-1) ?? "",
      organizations: subjectName.getField("O"),
      publicKey,
      verify: () => verifySignature(request),
    };
  } catch {
    // The library throws errors of many kinds for bytes that are no request.
    return malformed;
  }
}

const malformed = "x509: malformed certificate request";

async function verifySignature(request: Pkcs10CertificateRequest): Promise<string | undefined> {
  const algorithm = request.publicKey.algorithm as KeyAlgorithm;
  const fault = rsaFault(algorithm);
  if (fault !== undefined) return fault;
  try {
    if (await request.verify()) return undefined;
  } catch {
    // An algorithm that the platform does not know.
    return "x509: cannot verify signature: algorithm unimplemented";
  }
  const { name } = algorithm;
  return name === "ECDSA" || name === "Ed25519"
    ? `x509: ${name} verification failure`
    : "crypto/rsa: verification error";
}

interface KeyAlgorithm {
  readonly name: string;
  /** Both of RSA alone. */
  readonly modulusLength?: number;
  readonly publicExponent?: Uint8Array;
}

function rsaFault({ modulusLength: bits, publicExponent }: KeyAlgorithm): string | undefined {
  if (bits === undefined || publicExponent === undefined) return undefined;
  const start = publicExponent.findIndex((byte) => byte !== 0);
  const size = publicExponent.length - start;
  if (size > 4 || (size === 4 && (publicExponent[start] ?? 0) > 0x7f)) return "crypto/rsa: public exponent too large";
  if (bits > largestRsaBits) return `crypto/rsa: a hub takes keys of at most ${largestRsaBits} bits`;
  if (bits >= smallestRsaBits) return undefined;
  return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
}
