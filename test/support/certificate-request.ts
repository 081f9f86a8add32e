import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { PemConverter, Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import type { Name } from "@peculiar/x509";
import type { JsonObject } from "../../src/core/json.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
export const clientSigner = "kubernetes.io/kube-apiserver-client";

/** Of the subject `O=agents, CN=agent`: one that is the same in each run, and whose key was not kept. */
export const fixedRequestPem = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIHcMIGDAgEAMCExDzANBgNVBAoMBmFnZW50czEOMAwGA1UEAwwFYWdlbnQwWTAT",
  "BgcqhkjOPQIBBggqhkjOPQMBBwNCAAThZcykf/eAlGzxhtQlO47z4esQIVepyGdJ",
  "U8tQGLkrdzxCuR80N3pmNjnJ3u8rZEM11iMoM76X8WejnC0OxwZkoAAwCgYIKoZI",
  "zj0EAwIDSAAwRQIhANq2jTAD9815kFfhripXZey3CZLtleh7a3dGyMBTz4uKAiBi",
  "pwN+92n0VYwXjWiB7RJp0soBrz1YvhXbkZh5Gnomvw==",
  "-----END CERTIFICATE REQUEST-----",
  "",
].join("\n");

/** A request for a certificate and the key that it is for, both PEM. */
export interface MadeRequest {
  readonly requestPem: string;
  readonly keyPem: string;
}

/** A new key and a request that it signed. */
export async function makeCertificateRequest(subject: string | Name): Promise<MadeRequest> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const request = await Pkcs10CertificateRequestGenerator.create({ name: subject, keys, signingAlgorithm: algorithm });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { requestPem: `${request.toString("pem")}\n`, keyPem: PemConverter.encode(key, "PRIVATE KEY") };
}

/** The object that asks for a client certificate. */
export function requestObject(name: string, requestPem: string, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: {
      request: Buffer.from(requestPem).toString("base64"),
      signerName: clientSigner,
      usages: ["client auth"],
      ...spec,
    },
  };
}
