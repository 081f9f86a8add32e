import "reflect-metadata";
import { X509Certificate } from "node:crypto";
import type { JsonNameParams } from "@peculiar/x509";
import { Name } from "@peculiar/x509";
import { beforeAll, describe, expect, it } from "vitest";
import type { KeyPair } from "../../../../src/embedded-hub/certificates/authority.ts";
import { createAuthority } from "../../../../src/embedded-hub/certificates/authority.ts";
import type { SigningResult } from "../../../../src/embedded-hub/certificates/sign-request.ts";
import { signClientRequest } from "../../../../src/embedded-hub/certificates/sign-request.ts";
import { fixedRequestPem, makeCertificateRequest } from "../../../support/certificate-request.ts";
import { realRandom } from "../../../support/real-time.ts";

const nowMs = 1_800_000_000_000;
const dayMs = 86_400_000;

describe("a client certificate for a request", () => {
  let authority: KeyPair;
  beforeAll(async () => {
    authority = await createAuthority({ nowMs, random: realRandom });
  });

  function sign(requestPem: string, usages = ["client auth"], atMs = nowMs): Promise<SigningResult> {
    const request = { requestPem, usages, expirationSeconds: undefined };
    return signClientRequest(authority, request, { nowMs: atMs, random: realRandom });
  }

  it.each<{ readonly reason: string; readonly name: JsonNameParams; readonly subject: string }>([
    { reason: "two organizations", name: [{ O: ["a"] }, { O: ["b"] }, { CN: ["c"] }], subject: "O=a\nO=b\nCN=c" },
    { reason: "them in one part", name: [{ O: ["a", "b"] }, { CN: ["c"] }], subject: "O=a\nO=b\nCN=c" },
    { reason: "two names", name: [{ CN: ["c"] }, { CN: ["d"] }], subject: "CN=d" },
    { reason: "parts that are not read", name: [{ OU: ["u"] }, { CN: ["c"] }, { C: ["DE"] }], subject: "CN=c" },
    { reason: "other alphabets", name: [{ O: [{ bmpString: "ä中" }] }, { CN: ["c"] }], subject: "O=ä中\nCN=c" },
  ])("has the subject that the hub reads at login: $reason", async ({ name, subject }) => {
    const result = await sign((await makeCertificateRequest(new Name(name))).requestPem);
    expect(result.kind === "signed" ? new X509Certificate(result.certPem).subject : result).toBe(subject);
  });

  it("is signed by the hub's authority, and signs nothing itself", async () => {
    const result = await sign(fixedRequestPem, ["client auth", "digital signature", "key encipherment"]);
    if (result.kind === "refused") throw new Error(result.reason);
    const certificate = new X509Certificate(result.certPem);
    expect([certificate.checkIssued(new X509Certificate(authority.certPem)), certificate.ca]).toEqual([true, false]);
  });

  it("ends with the hub's authority", async () => {
    const result = await sign(fixedRequestPem, undefined, nowMs + 3649 * dayMs);
    if (result.kind === "refused") throw new Error(result.reason);
    expect(new X509Certificate(result.certPem).validTo).toBe(new X509Certificate(authority.certPem).validTo);
  });

  it("is refused for the administrators, though such a request be stored", async () => {
    const { requestPem } = await makeCertificateRequest("O=system:masters,CN=admin");
    expect(await sign(requestPem)).toEqual({ kind: "refused", reason: "the group system:masters is not allowed" });
  });

  it("is refused for a request that the owner of the key did not sign, though such a request be stored", async () => {
    const [begin = "", ...lines] = fixedRequestPem.trim().split("\n");
    const bytes = Buffer.from(lines.slice(0, -1).join(""), "base64");
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const forged = [begin, bytes.toString("base64"), lines.at(-1), ""].join("\n");
    expect(await sign(forged)).toEqual({ kind: "refused", reason: "x509: ECDSA verification failure" });
  });
});
