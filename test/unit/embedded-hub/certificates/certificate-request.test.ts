import { describe, expect, it } from "vitest";
import { readCertificateRequest } from "../../../../src/embedded-hub/certificates/certificate-request.ts";
import { fixedRequestPem, makeCertificateRequest } from "../../../support/certificate-request.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";

const pemOf = (bytes: Buffer) =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
/** As long as the hub reads. */
const length = 45_000;

describe("a request for a certificate", () => {
  it("says whose it is, and has a valid signature", async () => {
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

  it("of thousands of names is refused", async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `O=group-${index}`).join(",");
    const { requestPem } = await makeCertificateRequest(many);
    expect(readCertificateRequest(requestPem)).toBe("x509: malformed certificate request");
  });
});
