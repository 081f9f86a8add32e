import { describe, expect, it } from "vitest";
import { failureOf } from "../../../src/http/failure.ts";

function errorWith(code: string, options: ErrorOptions = {}): Error {
  return Object.assign(new Error("failed", options), code === "" ? {} : { code });
}

describe("the failure of a request", () => {
  it.each([
    ["ECONNRESET", "closed"],
    ["EPIPE", "closed"],
    ["ECONNABORTED", "closed"],
    ["UND_ERR_SOCKET", "closed"],
    ["UND_ERR_HEADERS_TIMEOUT", "idle"],
    ["UND_ERR_BODY_TIMEOUT", "idle"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "untrusted"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "untrusted"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "untrusted"],
    ["CERT_HAS_EXPIRED", "untrusted"],
    ["CRL_HAS_EXPIRED", "untrusted"],
    ["INVALID_PURPOSE", "untrusted"],
    ["PATH_LENGTH_EXCEEDED", "untrusted"],
    ["HOSTNAME_MISMATCH", "untrusted"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "untrusted"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "handshake"],
    ["EPROTO", "handshake"],
    ["ERR_TLS_HANDSHAKE_TIMEOUT", "unreachable"],
    ["ECONNREFUSED", "unreachable"],
    ["ENOTFOUND", "unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
    ["", "unreachable"],
  ])("%s is %s", (code, kind) => {
    expect(failureOf(errorWith(code))).toMatchObject({ kind, code });
  });

  it("is that of the error at the bottom", () => {
    const first = errorWith("CERT_HAS_EXPIRED");
    const several = new AggregateError([first, errorWith("ECONNREFUSED")]);
    expect(failureOf(errorWith("", { cause: several }))).toEqual({
      kind: "untrusted",
      code: "CERT_HAS_EXPIRED",
      root: first,
    });
  });

  it("is that of the first error with a code, of an error without a cause, and of none of several", () => {
    const coded = errorWith("ECONNRESET", { cause: errorWith("CERT_HAS_EXPIRED") });
    expect(failureOf(errorWith("", { cause: coded }))).toEqual({ kind: "closed", code: "ECONNRESET", root: coded });
    const alone = errorWith("");
    expect(failureOf(errorWith("", { cause: alone })).root).toBe(alone);
    const none = new AggregateError([]);
    expect(failureOf(none).root).toBe(none);
  });

  it("has no code when the value is no error", () => {
    expect(failureOf("a text")).toEqual({ kind: "unreachable", code: "", root: "a text" });
  });
});
