import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { errorOfAnswer, errorOfStatus, wrapError } from "../../../src/kube/kube-errors.ts";
import type { Answer } from "../../../src/kube/kube-errors.ts";

const operation = { verb: "update", object: "Secret/fleet/key" };
const secretOperation = { ...operation, isSecret: true };
const plain: Answer = { status: 500, contentType: "text/plain", retryAfter: undefined, text: "no" };

function answerOf(status: number, more: Partial<Answer> = {}): AppError {
  return errorOfAnswer({ ...plain, status, ...more }, operation);
}

describe("the error of an answer without a Status", () => {
  it.each([
    { status: 400, code: "E_KUBE_INVALID" },
    { status: 401, code: "E_KUBE_UNAUTHORIZED" },
    { status: 403, code: "E_KUBE_FORBIDDEN" },
    { status: 404, code: "E_KUBE_NOT_FOUND" },
    { status: 409, code: "E_KUBE_CONFLICT" },
    { status: 410, code: "E_KUBE_GONE" },
    { status: 422, code: "E_KUBE_INVALID" },
    { status: 429, code: "E_KUBE_THROTTLED" },
    { status: 499, code: "E_KUBE_INVALID" },
    { status: 500, code: "E_KUBE_SERVER" },
    { status: 503, code: "E_KUBE_SERVER" },
  ])("is $code for $status", ({ status, code }) => {
    expect(answerOf(status)).toMatchObject({
      code,
      message: `update Secret/fleet/key: answered ${status}: no`,
      data: { ...operation, status },
    });
  });

  it.each([
    { reason: "a page", status: 404, contentType: "text/html; charset=utf-8", type: "text/html; charset=utf-8" },
    { reason: "a redirect", status: 302, contentType: "text/plain", type: "text/plain" },
    { reason: "no type", status: 399, contentType: "", type: "something without a type" },
  ])("is that of a stranger for $reason, whatever its status", ({ status, contentType, type }) => {
    expect(answerOf(status, { contentType })).toMatchObject({
      code: "E_KUBE_SERVER",
      message: expect.stringContaining(`answered ${status} with ${type}, not as an API server does`) as string,
    });
  });

  it("has no text where there is none", () => {
    expect(answerOf(500, { text: "" }).message).toBe("update Secret/fleet/key: answered 500");
  });

  it.each([
    { what: "another object", text: '{"kind":"Pod"}' },
    { what: "a list", text: '[{"kind":"Status"}]' },
    { what: "half of a Status", text: '{"kind":"Status"' },
  ])("is by the status code for $what", ({ text }) => {
    expect(answerOf(403, { text }).code).toBe("E_KUBE_FORBIDDEN");
  });

  it("A35 repeats no text about the values of a Secret", () => {
    const refused = (status: number, isSecret: boolean): string =>
      errorOfAnswer({ ...plain, status, text: "bad value s3cret" }, { ...operation, isSecret }).message;
    expect(refused(422, true)).toBe("update Secret/fleet/key: answered 422");
    expect(refused(422, false)).toContain("bad value s3cret");
    expect(refused(403, true)).toContain("bad value s3cret");
  });
});

describe("the error of a Status", () => {
  const statusOf = (reason: string, more: object = {}) => ({ kind: "Status", reason, message: "the message", ...more });

  it("is by its reason, then by its code, then by that of the answer", () => {
    const codeOf = (status: object, http?: number) =>
      errorOfStatus(status, operation, http === undefined ? undefined : { status: http, retryAfter: undefined });
    expect(codeOf(statusOf("Expired", { code: 400 }), 500)).toMatchObject({
      code: "E_KUBE_GONE",
      data: { status: 400 },
    });
    expect(codeOf(statusOf("Odd", { code: 404 }), 500)).toMatchObject({ code: "E_KUBE_NOT_FOUND" });
    expect(codeOf(statusOf("constructor"), 429)).toMatchObject({ code: "E_KUBE_THROTTLED", data: { status: 429 } });
    expect(codeOf(statusOf("Odd"))).toMatchObject({ code: "E_KUBE_SERVER", data: { status: 500 } });
  });

  it.each([
    { reason: "Forbidden", code: "E_KUBE_CONFLICT" },
    { reason: "NotFound", code: "E_KUBE_NOT_FOUND" },
  ])("is $code for $reason in a namespace that is being deleted", ({ reason, code }) => {
    const details = { name: "x", causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] };
    const error = errorOfStatus(statusOf(reason, { details }), operation);
    expect(error).toMatchObject({ code, data: { cause: "NamespaceTerminating", field: "metadata.namespace" } });
    expect(error.data["missing"]).toBe(reason === "NotFound" ? "x" : undefined);
  });

  it("waits as long as the header asks, or else the Status", () => {
    const status = statusOf("TooManyRequests", { details: { retryAfterSeconds: 7 } });
    const waits = (retryAfter: string | undefined) =>
      errorOfStatus(status, operation, { status: 429, retryAfter }).data["retryAfterSeconds"];
    expect([waits("3"), waits(undefined)]).toEqual([3, 7]);
  });

  it("A35 names the fields of a Secret that is not valid, and not what the server writes of them", () => {
    const causes = [{ field: "data[a]", reason: "FieldValueInvalid", message: "s3cret" }, { message: "s3cret" }];
    const status = statusOf("Invalid", { message: "s3cret is not valid", details: { causes } });
    expect(errorOfStatus(status, secretOperation).message).toBe(
      "update Secret/fleet/key: refused (Invalid) data[a] (FieldValueInvalid), ? (?)",
    );
    expect(errorOfStatus(status, operation).message).toBe("update Secret/fleet/key: s3cret is not valid");
    expect(errorOfStatus(statusOf("Conflict"), secretOperation).message).toBe("update Secret/fleet/key: the message");
    expect(errorOfStatus({ code: 409, reason: "Odd" }, secretOperation).message).toContain("answered 409 Odd");
  });
});

it("names what was attempted in an error of ours, and leaves any other alone", () => {
  const error = new AppError("E_KUBE_INVALID", "no name", { data: { field: "x" }, remedy: "Give a name." });
  expect(wrapError(error, operation)).toMatchObject({
    code: "E_KUBE_INVALID",
    message: "update Secret/fleet/key: no name",
    remedy: "Give a name.",
    data: { ...operation, field: "x" },
  });
  const other = new TypeError("x");
  expect(wrapError(other, operation)).toBe(other);
});
