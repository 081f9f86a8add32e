import "reflect-metadata";
import { Name } from "@peculiar/x509";
import { createPublicKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readCertificateRequest } from "../../../../src/embedded-hub/certificates/certificate-request.ts";
import { fixedRequestPem, makeCertificateRequest } from "../../../support/certificate-request.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";

const pemOf = (bytes: Buffer) =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
/** A request without a signature. */
function requestOfRsaKey(bits: number, exponent: readonly number[]): Buffer {
  const n = Buffer.alloc(bits / 8, 0xff).toString("base64url");
  const jwk = { kty: "RSA", n, e: Buffer.from(exponent).toString("base64url") };
  const key = createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "der" });
  const content = derOf(0x30, Buffer.from("020100", "hex"), derOf(0x30), key, derOf(0xa0));
  const algorithm = Buffer.from("300d06092a864886f70d01010b0500", "hex");
  return derOf(0x30, content, algorithm, derOf(0x03, Buffer.alloc(65)));
}

/** A value of ASN.1 in DER. */
function derOf(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length: size } = content;
  const head = size < 0x80 ? [tag, size] : [tag, 0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

/** As long as the hub reads. */
const length = 45_000;

describe("a request for a certificate", () => {
  it("names its subject, and has a valid signature", async () => {
    const request = readCertificateRequest(fixedRequestPem);
    expect(request).toMatchObject({ commonName: "agent", organizations: ["agents"] });
    expect(typeof request === "string" ? request : await request.verify()).toBeUndefined();
  });

  it("takes the last of several names, as the hub does at login", async () => {
    const { requestPem } = await makeCertificateRequest("CN=first,O=a,CN=last,O=b");
    expect(readCertificateRequest(requestPem)).toMatchObject({ commonName: "last", organizations: ["a", "b"] });
  });

  it.each([
    { reason: "sequences in sequences", bytes: Buffer.alloc(length, Buffer.from([0x30, 0x80])) },
    {
      reason: "values without content",
      bytes: Buffer.alloc(length, Buffer.from([0x30, 0x82, 0xaf, 0xc4, 0x05, 0x00])),
    },
    { reason: "texts in parts", bytes: Buffer.alloc(length, 0x24) },
    { reason: "zeros", bytes: Buffer.alloc(length) },
    { reason: "nothing", bytes: Buffer.alloc(0) },
  ])("of $reason is refused in no time", ({ bytes }) => {
    const pem = pemOf(bytes);
    expect(readCertificateRequest(pem)).toBe("x509: malformed certificate request");
    expect(leastCpuMs(() => readCertificateRequest(pem), 100)).toBeLessThan(100);
  });

  it.each([
    { bits: 512, exponent: [3], fault: "crypto/rsa: 512-bit keys are insecure" },
    { bits: 2048, exponent: [0x80, 0, 0, 1], fault: "crypto/rsa: public exponent too large" },
    { bits: 2048, exponent: [1, 0, 0, 0, 1], fault: "crypto/rsa: public exponent too large" },
    { bits: 16_384, exponent: [1, 0, 1], fault: "crypto/rsa: a hub takes keys of at most 8192 bits" },
  ])("with an RSA key of $bits bits and the exponent $exponent is refused before it takes time", async (key) => {
    const request = readCertificateRequest(pemOf(requestOfRsaKey(key.bits, key.exponent)));
    expect(typeof request === "string" ? request : await request.verify()).toContain(key.fault);
  });

  it("of thousands of names is refused", async () => {
    const many = new Name(Array.from({ length: 1000 }, (_, index) => ({ O: [`group-${index}`] })));
    const { requestPem } = await makeCertificateRequest(many);
    expect(readCertificateRequest(requestPem)).toBe("x509: malformed certificate request");
  });
});
