import { describe, expect, it } from "vitest";
import { explainTls } from "../../../../src/http/explain-tls.ts";
import { failureOf } from "../../../../src/http/failure.ts";
import { connectionError, statusError } from "../../../../src/git/wire/http-errors.ts";

const url = "https://git.example.com/fleet.git";

describe("statusError", () => {
  const noPush = { isPush: false, hasCredentials: true };
  it.each([
    [500, {}, noPush, "E_GIT_REMOTE", "transient", "the server failed (HTTP 500)"],
    [503, {}, { ...noPush, isPush: true }, "E_GIT_REMOTE", "transient", "the server failed (HTTP 503)"],
    [429, {}, noPush, "E_GIT_REMOTE", "transient", "it limits the rate of requests (HTTP 429)"],
    [403, { "x-ratelimit-remaining": "0" }, noPush, "E_GIT_REMOTE", "transient", "it limits the rate of requests"],
    [
      403,
      { "x-ratelimit-remaining": "1" },
      noPush,
      "E_GIT_AUTH",
      "stalled",
      "the credentials may not read it (HTTP 403)",
    ],
    [403, { "retry-after": "7" }, noPush, "E_GIT_REMOTE", "transient", "the server failed (HTTP 403)"],
    [401, { "retry-after": "7" }, noPush, "E_GIT_AUTH", "stalled", "it refused the credentials (HTTP 401)"],
    [
      401,
      {},
      { ...noPush, hasCredentials: false },
      "E_GIT_AUTH",
      "stalled",
      "it asks for credentials, and none are given",
    ],
    [203, {}, { ...noPush, isPush: true }, "E_GIT_AUTH", "stalled", "it refused the credentials (HTTP 203)"],
    [403, {}, { ...noPush, isPush: true }, "E_GIT_PUSH_DENIED", "stalled", "not allowed (HTTP 403)"],
    [404, {}, { ...noPush, isPush: true }, "E_GIT_PUSH_DENIED", "stalled", "not allowed (HTTP 404)"],
    [404, {}, noPush, "E_GIT_REMOTE", "stalled", "there is no such repository"],
    [410, {}, noPush, "E_GIT_REMOTE", "stalled", "there is no such repository"],
    [418, {}, noPush, "E_GIT_PROTOCOL", "transient", "HTTP 418"],
  ] as const)("takes %s with %j and %j for %s, %s", (...row) => {
    const [statusCode, headers, how, code, recovery, text] = row;
    const error = statusError({ url, response: { statusCode, headers }, ...how });
    expect({ ...error.toJSON(), message: error.message }).toMatchObject({
      code,
      recovery,
      message: expect.stringContaining(text) as unknown,
      data: { statusCode, ...("retry-after" in headers ? { retryAfterMs: 7_000 } : {}) },
    });
    expect("retryAfterMs" in error.data).toBe("retry-after" in headers);
  });
});

describe("connectionError", () => {
  it.each([
    ["ECONNREFUSED", "ECONNREFUSED"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "TLS failed: the server does not speak TLS at this port (wrong version number)"],
    [undefined, "no answer"],
  ])("names the reason of %s, and what to do about one of TLS", (code, text) => {
    const cause = Object.assign(new Error("of the connection"), code === undefined ? {} : { code });
    const error = connectionError(url, cause);
    expect([error.code, error.cause, error.data["reason"]]).toEqual(["E_GIT_REMOTE", cause, code ?? ""]);
    expect(error.message).toContain(`reach ${url}: ${text}`);
    const usual = connectionError(url, new Error("another")).remedy;
    expect(error.remedy).toBe(explainTls(failureOf(cause))?.remedy ?? usual);
  });
});
