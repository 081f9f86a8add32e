import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { Extension } from "@peculiar/x509";

export interface CertificateAndKey {
  /** PEM. */
  readonly cert: string;
  /** PEM, PKCS 8. */
  readonly key: string;
}

export interface ControlPlaneKeys {
  readonly ca: CertificateAndKey;
  readonly server: CertificateAndKey;
  readonly admin: CertificateAndKey;
  readonly serviceAccount: { readonly key: string; readonly publicKey: string };
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** What a control plane on loopback needs: a CA, a server certificate, an admin of system:masters, token keys. */
export async function makeControlPlaneKeys(): Promise<ControlPlaneKeys> {
  const ca = await makeCertificateAuthority("test-ca");
  const [server, admin, tokenKeys] = await Promise.all([
    ca.issue("CN=kube-apiserver", [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "dns", value: "kubernetes.default.svc" },
        { type: "ip", value: "127.0.0.1" },
        { type: "ip", value: "10.0.0.1" },
      ]),
    ]),
    ca.issue("O=system:masters, CN=admin", [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])]),
    makeKeyPair(),
  ]);
  const publicKey = await webcrypto.subtle.exportKey("spki", tokenKeys.publicKey);
  return {
    ca: { cert: ca.cert, key: ca.key },
    server,
    admin,
    serviceAccount: {
      key: await privateKeyPem(tokenKeys.privateKey),
      publicKey: PemConverter.encode(publicKey, "PUBLIC KEY"),
    },
  };
}

export interface CertificateAuthority extends CertificateAndKey {
  issue(subject: string, extensions: Extension[]): Promise<CertificateAndKey>;
}

/** A fresh CA whose certificates are valid for a day. */
export async function makeCertificateAuthority(name: string): Promise<CertificateAuthority> {
  const keys = await makeKeyPair();
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 86_400_000) };
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    cert: authority.toString("pem"),
    key: await privateKeyPem(keys.privateKey),
    async issue(subject, extensions) {
      const subjectKeys = await makeKeyPair();
      const certificate = await X509CertificateGenerator.create({
        subject,
        issuer: authority.subject,
        publicKey: subjectKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        ...validity,
        extensions,
      });
      return { cert: certificate.toString("pem"), key: await privateKeyPem(subjectKeys.privateKey) };
    },
  };
}

async function makeKeyPair() {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}
