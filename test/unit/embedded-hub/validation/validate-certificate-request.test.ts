import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { X509CertificateGenerator } from "@peculiar/x509";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateCertificateRequest,
  verifyCertificateRequest,
} from "../../../../src/embedded-hub/validation/validate-certificate-request.ts";
import { fixedRequestPem, requestObject } from "../../../support/certificate-request.ts";
import { changed, problemsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const encode = (text: string) => Buffer.from(text).toString("base64");
const base = requestObject("a", fixedRequestPem, { signerName: "acme.io/signer", usages: ["client auth"] });
const request = changed(base, ["spec.expirationSeconds", undefined]);

function problems(changes: readonly Change[], old?: readonly Change[], subresource?: string): string[] {
  const before = old === undefined ? undefined : changed(request, ...old);
  const context = subresource === undefined ? {} : { subresource };
  return problemsOf(validateCertificateRequest(changed(request, ...changes), before, context as never));
}

const conditions = (...list: readonly JsonObject[]): Change => ["status.conditions", [...list]];
const approved = { type: "Approved", status: "True" };
const denied = { type: "Denied", status: "True" };
const failed = { type: "Failed", status: "True" };
const certificate = (text: string): Change => ["status.certificate", text === "" ? undefined : encode(text)];
const usages = (...list: string[]): Change => ["spec.usages", list];
const signer = (name: string): Change => ["spec.signerName", name];

describe("a new request for a certificate", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    { changes: [], expected: [] },
    { changes: [usages()], expected: ["Required spec.usages"] },
    { changes: [usages("client auth", "odd")], expected: ["NotSupported spec.usages[1]"] },
    { changes: [usages("client auth", "client auth")], expected: ["Duplicate spec.usages[1]"] },
    { changes: [signer("kubernetes.io/legacy-unknown")], expected: ["Invalid spec.signerName"] },
    { changes: [signer("")], expected: ["Required spec.signerName"] },
    { changes: [signer("acme.io")], expected: ["Invalid spec.signerName"] },
    { changes: [signer("acme.io/a/b")], expected: ["Invalid spec.signerName"] },
    { changes: [signer("acme/a")], expected: ["Invalid spec.signerName"] },
    { changes: [signer("acme.io/A_")], expected: ["Invalid spec.signerName"] },
    { changes: [["spec.expirationSeconds", 600]], expected: [] },
    { changes: [["spec.expirationSeconds", 599]], expected: ["Invalid spec.expirationSeconds"] },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(problems(changes)).toEqual(expected);
  });

  it("is signed by its own key, and of a length that it may have", async () => {
    const verify = async (pem: string) =>
      problemsOf(await verifyCertificateRequest(changed(request, ["spec.request", encode(pem)]), undefined));
    expect(await verify(fixedRequestPem)).toEqual([]);
    const forged = fixedRequestPem.replace(
      "pwN+92n0VYwXjWiB7RJp0soBrz1YvhXbkZh5Gnomvw==",
      "pwN+92n0VYwXjWiB7RJp0soBrz1YvhXbkZh5Gnomvg==",
    );
    expect(await verify(forged)).toEqual(["Invalid spec.request"]);
    expect(await verify("no PEM")).toEqual(["Invalid spec.request"]);
    expect(await verify(fixedRequestPem + " ".repeat(65_536))).toEqual(["TooLong spec.request"]);
    expect(await verifyCertificateRequest(changed(request, ["spec.request", "x"]), request)).toEqual([]);
  });
});

describe("conditions of a request", () => {
  it.each<{ list: readonly JsonObject[]; expected: readonly string[] }>([
    { list: [approved], expected: [] },
    { list: [{ type: "Odd", status: "Unknown" }], expected: [] },
    { list: [{ status: "True" }], expected: ["Required status.conditions[0].type"] },
    { list: [{ type: "Approved" }], expected: ["Required status.conditions[0].status"] },
    { list: [{ type: "Approved", status: "False" }], expected: ["NotSupported status.conditions[0].status"] },
    { list: [{ type: "Failed", status: "Unknown" }], expected: ["NotSupported status.conditions[0].status"] },
    { list: [{ type: "Odd", status: "odd" }], expected: ["NotSupported status.conditions[0].status"] },
    { list: [approved, denied], expected: ["Invalid status.conditions"] },
    { list: [denied, approved], expected: ["Invalid status.conditions"] },
    { list: [denied, failed], expected: [] },
    { list: [approved, approved], expected: ["Duplicate status.conditions[1].type"] },
  ])("$list have $expected", ({ list, expected }) => {
    expect(problems([conditions(...list)], [conditions(...list)])).toEqual(expected);
  });
});

describe("a change of a request", () => {
  const field = "Forbidden status.conditions";
  const reasoned = { ...approved, reason: "x" };

  it.each<{
    before: readonly JsonObject[];
    after: readonly JsonObject[];
    at: string | undefined;
    expected: readonly string[];
  }>([
    { before: [], after: [approved], at: "approval", expected: [] },
    { before: [], after: [denied], at: "approval", expected: [] },
    { before: [], after: [approved], at: "status", expected: [field] },
    { before: [], after: [denied], at: "status", expected: [field] },
    { before: [], after: [approved], at: undefined, expected: [field] },
    { before: [], after: [failed], at: "status", expected: [] },
    { before: [approved], after: [reasoned], at: "approval", expected: [] },
    { before: [approved], after: [reasoned], at: "status", expected: [field] },
    { before: [approved], after: [], at: "approval", expected: [field] },
    { before: [denied], after: [], at: "approval", expected: [field] },
    { before: [approved], after: [], at: "status", expected: [field] },
    { before: [failed], after: [], at: "status", expected: [field] },
    { before: [approved], after: [approved], at: "status", expected: [] },
  ])("from $before to $after at $at has $expected", ({ before, after, at, expected }) => {
    expect(problems([conditions(...after)], [conditions(...before)], at)).toEqual(expected);
  });

  it("does not check its spec", () => {
    expect(problems([usages()], [])).toEqual([]);
  });
});

describe("the certificate of a request", () => {
  const text = (type: string) => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;

  it.each<{ pem: string; expected: readonly string[] }>([
    { pem: "no PEM", expected: ["Invalid status.certificate"] },
    { pem: text("CERTIFICATE"), expected: ["Invalid status.certificate"] },
    { pem: text("PRIVATE KEY"), expected: ["Invalid status.certificate"] },
    { pem: "x".repeat(65_537), expected: ["TooLong status.certificate"] },
  ])("is refused when it is $pem", ({ pem, expected }) => {
    expect(problems([certificate(pem)], [], "status")).toEqual(expected);
  });

  it("may be one certificate or more, and nothing else", async () => {
    const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
    const made = await X509CertificateGenerator.createSelfSigned({ name: "CN=a", keys, signingAlgorithm });
    const pem = `${made.toString("pem")}\n`;
    expect(problems([certificate(pem)], [], "status")).toEqual([]);
    expect(problems([certificate(pem + pem)], [], "status")).toEqual([]);
    expect(problems([certificate(pem + text("CERTIFICATE"))], [], "status")).toEqual(["Invalid status.certificate"]);
    expect(problems([certificate(pem + text("PRIVATE KEY"))], [], "status")).toEqual(["Invalid status.certificate"]);
    const headers = pem.replace("-----\n", "-----\nA: b\n\n");
    expect(problems([certificate(headers)], [], "status")).toEqual(["Invalid status.certificate"]);
  });

  it("comes with the status alone, once", () => {
    const refused = "Forbidden status.certificate";
    expect(problems([certificate("a")], [certificate("a")], "status")).toEqual([]);
    expect(problems([certificate("")], [certificate("a")], "status")).toEqual([refused]);
    expect(problems([certificate("b")], [certificate("a")], "status")).toContain(refused);
    expect(problems([certificate("b")], [], "status")).not.toContain(refused);
    expect(problems([certificate("b")], [], "approval")).toContain(refused);
    expect(problems([certificate("b")], [])).toContain(refused);
  });
});
