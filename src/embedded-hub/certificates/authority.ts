// certificates: the hub's own CA, the certificates that it signs, and the kubeconfig with them.
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { PublicKey } from "@peculiar/x509";
import { isIP } from "node:net";
import { webcrypto } from "node:crypto";
import type { Random } from "../../core/clock.ts";

/** A certificate with its private key (PKCS #8), both PEM. */
export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface IssueOptions {
  readonly nowMs: number;
  readonly random: Random;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 86_400_000;
const authorityDays = 3650;
const leafDays = 365;
/** Clocks of clients may be behind. */
const backdateMs = 3_600_000;

/** A new self-signed CA, valid for ten years. */
export async function createAuthority(options: IssueOptions): Promise<KeyPair> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(options),
    name: "CN=rollcall-hub-ca",
    ...validity(options, authorityDays),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
    ],
  });
  return { certPem: `${certificate.toString("pem")}\n`, keyPem: await exportKey(keys.privateKey) };
}

/** A serving certificate for `hosts` (names and addresses), valid for a year. */
export function issueServing(authority: KeyPair, hosts: readonly string[], options: IssueOptions): Promise<KeyPair> {
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? ("dns" as const) : ("ip" as const), value: host }));
  return issue(authority, "CN=rollcall-hub", ExtendedKeyUsage.serverAuth, {
    ...options,
    extensions: [new SubjectAlternativeNameExtension(names)],
  });
}

/** A client certificate for a user and its groups, valid for a year. */
export function issueClient(
  authority: KeyPair,
  subject: { readonly user: string; readonly groups: readonly string[] },
  options: IssueOptions,
): Promise<KeyPair> {
  const name = [...subject.groups.map((group) => ({ O: [group] })), { CN: [subject.user] }];
  return issue(authority, name, ExtendedKeyUsage.clientAuth, { ...options, extensions: [] });
}

export interface IssueForKey extends IssueOptions {
  readonly publicKey: PublicKey;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Usages of the key besides the authentication of a client. */
  readonly signs: boolean;
  readonly enciphers: boolean;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A client certificate for a key that its owner keeps, in PEM. Its subject is written as UTF-8 whatever the request used. */
export async function issueForKey(authority: KeyPair, options: IssueForKey): Promise<string> {
  const { commonName, organizations, publicKey, signs, enciphers } = options;
  const flags = (signs ? KeyUsageFlags.digitalSignature : 0) | (enciphers ? KeyUsageFlags.keyEncipherment : 0);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(options),
    subject: new Name([
      ...organizations.map((utf8String) => ({ O: [{ utf8String }] })),
      ...(commonName === "" ? [] : [{ CN: [{ utf8String: commonName }] }]),
    ]),
    issuer: new X509Certificate(authority.certPem).subject,
    notBefore: new Date(options.notBeforeMs),
    notAfter: new Date(options.notAfterMs),
    signingAlgorithm: algorithm,
    publicKey,
    signingKey: await importKey(authority.keyPem),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      ...(flags === 0 ? [] : [new KeyUsagesExtension(flags, true)]),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
    ],
  });
  return `${certificate.toString("pem")}\n`;
}

async function issue(
  authority: KeyPair,
  subject: string | { readonly [key: string]: string[] }[],
  usage: ExtendedKeyUsage,
  options: IssueOptions & { readonly extensions: readonly SubjectAlternativeNameExtension[] },
): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.certPem);
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(options),
    subject,
    issuer: issuer.subject,
    ...validity(options, leafDays),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.keyPem),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([usage]),
      ...options.extensions,
    ],
  });
  return { certPem: `${certificate.toString("pem")}\n`, keyPem: await exportKey(keys.privateKey) };
}

function validity({ nowMs }: IssueOptions, days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(nowMs - backdateMs), notAfter: new Date(nowMs + days * dayMs) };
}

/** Positive and at most 16 bytes. */
function serialNumber({ random }: IssueOptions): string {
  const hex = Buffer.from(random.bytes(16)).toString("hex");
  return `0${hex.slice(1)}`;
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  const lines = bytes.toString("base64").match(/.{1,64}/gu) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/gu, ""), "base64");
  return webcrypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
}
