import { describe, expect, it } from "vitest";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { decodeJwt } from "../../../../src/embedded-hub/auth/jwt.ts";
import { requestToken } from "../../../../src/embedded-hub/auth/token-request.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { authWorld, issuer, object, startMs, tokenRequest } from "./auth-builders.ts";

const target = { namespace: "shop", name: "bot" };

function worldWithBot() {
  const world = authWorld();
  world.put(
    object("ServiceAccount", "bot"),
    object("Secret", "s"),
    object("Pod", "p", { spec: { serviceAccountName: "bot" } }),
    object("Pod", "foreign", { spec: { serviceAccountName: "default" } }),
  );
  return world;
}

function refusal(spec: JsonObject, metadata: Record<string, string> = {}, name = "bot") {
  const world = worldWithBot();
  try {
    requestToken({ ...target, name }, tokenRequest(spec, metadata), world.issuer);
    return undefined;
  } catch (error) {
    if (isApiFailure(error)) return { code: error.status.code, message: error.status.message };
    throw error;
  }
}

describe("requestToken", () => {
  it("answers with defaults, the account's metadata and a token of the same facts", () => {
    const { issuer: tokenIssuer } = worldWithBot();
    const answer = requestToken(target, tokenRequest({}), tokenIssuer);
    expect(answer).toEqual({
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "bot", namespace: "shop", uid: "bot-uid", creationTimestamp: "2026-01-02T03:04:05Z" },
      spec: { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: expect.any(String) as string, expirationTimestamp: "2026-01-02T04:04:05Z" },
    });
    const { token } = answer["status"] as { token: string };
    const seconds = startMs / 1000;
    expect(decodeJwt(token)?.claims).toEqual({
      aud: [issuer],
      exp: seconds + 3600,
      iat: seconds,
      iss: issuer,
      jti: "id-1",
      "kubernetes.io": { namespace: "shop", serviceaccount: { name: "bot", uid: "bot-uid" } },
      nbf: seconds,
      sub: "system:serviceaccount:shop:bot",
    });
  });

  it("binds to a Secret by name and uid", () => {
    const { tokenFor } = worldWithBot();
    const token = tokenFor("bot", { boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s", uid: "s-uid" } });
    expect(decodeJwt(token)?.claims["kubernetes.io"]).toMatchObject({ secret: { name: "s", uid: "s-uid" } });
  });

  it("gives a Pod that asks for 3607 seconds a year, and says when to warn", () => {
    const { tokenFor } = worldWithBot();
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
    const seconds = startMs / 1000;
    const claims = decodeJwt(tokenFor("bot", { boundObjectRef, expirationSeconds: 3607 }))?.claims;
    expect(claims).toMatchObject({ exp: seconds + 31_536_000, "kubernetes.io": { warnafter: seconds + 3607 } });
    const foreign = tokenFor("bot", { boundObjectRef, expirationSeconds: 3607, audiences: ["vault"] });
    expect(decodeJwt(foreign)?.claims["exp"]).toBe(seconds + 3607);
  });

  const spec = "TokenRequest.authentication.k8s.io";
  it.each([
    {
      refused: refusal({ expirationSeconds: 599 }),
      code: 422,
      message: `${spec} "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`,
    },
    {
      refused: refusal({ expirationSeconds: 5_000_000_000 }),
      code: 422,
      message: `${spec} "" is invalid: spec.expirationSeconds: Invalid value: 5000000000: may not specify a duration larger than 2^32 seconds`,
    },
    {
      refused: refusal({}, { name: "b" }),
      code: 422,
      message: `${spec} "bot" is invalid: metadata.name: Invalid value: "b": must match the service account name if specified`,
    },
    {
      refused: refusal({}, { uid: "zz" }),
      code: 409,
      message: `Operation cannot be fulfilled on ${spec} "bot": the UID in the token request (zz) does not match the UID of the service account (bot-uid)`,
    },
    { refused: refusal({}, {}, "zzz"), code: 404, message: 'serviceaccounts "zzz" not found' },
    {
      refused: refusal({ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s", uid: "x" } }),
      code: 409,
      message:
        'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    },
    {
      refused: refusal({ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "nope" } }),
      code: 404,
      message: 'secrets "nope" not found',
    },
    {
      refused: refusal({ boundObjectRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } }),
      code: 400,
      message: "cannot bind token to object of type apps/v1, Kind=Deployment",
    },
    {
      refused: refusal({ boundObjectRef: {} }),
      code: 400,
      message: "cannot bind token to object of type /, Kind=",
    },
    {
      refused: refusal({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "foreign" } }),
      code: 400,
      message: 'cannot bind token for serviceaccount "bot" to pod running with different serviceaccount name.',
    },
  ])("refuses: $message", ({ refused, code, message }) => {
    expect(refused).toEqual({ code, message });
  });
});
