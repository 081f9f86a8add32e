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

  it("gives a Pod that asks for 3607 seconds a year, and declares when to warn", () => {
    const { tokenFor } = worldWithBot();
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
    const seconds = startMs / 1000;
    const claims = decodeJwt(tokenFor("bot", { boundObjectRef, expirationSeconds: 3607 }))?.claims;
    expect(claims).toMatchObject({ exp: seconds + 31_536_000, "kubernetes.io": { warnafter: seconds + 3607 } });
    const foreign = tokenFor("bot", { boundObjectRef, expirationSeconds: 3607, audiences: ["vault"] });
    expect(decodeJwt(foreign)?.claims["exp"]).toBe(seconds + 3607);
  });

  const kind = "TokenRequest.authentication.k8s.io";
  it.each<{ asked: [JsonObject, Record<string, string>?, string?]; code: number; message: string }>([
    {
      asked: [{ expirationSeconds: 599 }],
      code: 422,
      message: `${kind} "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`,
    },
    {
      asked: [{ expirationSeconds: 5_000_000_000 }],
      code: 422,
      message: `${kind} "" is invalid: spec.expirationSeconds: Invalid value: 5000000000: may not specify a duration larger than 2^32 seconds`,
    },
    {
      asked: [{}, { name: "b" }],
      code: 422,
      message: `${kind} "bot" is invalid: metadata.name: Invalid value: "b": must match the service account name if specified`,
    },
    {
      asked: [{}, { uid: "zz" }],
      code: 409,
      message: `Operation cannot be fulfilled on ${kind} "bot": the UID in the token request (zz) does not match the UID of the service account (bot-uid)`,
    },
    { asked: [{}, {}, "zzz"], code: 404, message: 'serviceaccounts "zzz" not found' },
    {
      asked: [{ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s", uid: "x" } }],
      code: 409,
      message:
        'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    },
    {
      asked: [{ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "nope" } }],
      code: 404,
      message: 'secrets "nope" not found',
    },
    {
      asked: [{ boundObjectRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } }],
      code: 400,
      message: "cannot bind token to object of type apps/v1, Kind=Deployment",
    },
    {
      asked: [{ boundObjectRef: {} }],
      code: 400,
      message: "cannot bind token to object of type /, Kind=",
    },
    {
      asked: [{ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "foreign" } }],
      code: 400,
      message: 'cannot bind token for serviceaccount "bot" to pod running with different serviceaccount name.',
    },
  ])("refuses: $message", ({ asked, code, message }) => {
    const [spec, metadata, name] = asked;
    expect(refusal(spec, metadata, name)).toEqual({ code, message });
  });
});

describe("the token of a request", () => {
  const claimsOf = (spec: JsonObject, change: (world: ReturnType<typeof worldWithBot>) => void = () => undefined) => {
    const world = worldWithBot();
    change(world);
    return decodeJwt(world.tokenFor("bot", spec))?.claims;
  };
  const seconds = startMs / 1000;
  const pod = { apiVersion: "v1", kind: "Pod", name: "p" };

  it.each([600, 3606, 3607, 3608, 2 ** 32])("lives for the %i seconds that were asked for", (expirationSeconds) => {
    expect(claimsOf({ expirationSeconds })).toMatchObject({ exp: seconds + expirationSeconds });
  });

  it.each([
    { reason: "another time", spec: { boundObjectRef: pod, expirationSeconds: 3606 } },
    {
      reason: "a Secret",
      spec: { boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "s" }, expirationSeconds: 3607 },
    },
    { reason: "nothing bound", spec: { expirationSeconds: 3607 } },
    {
      reason: "a foreign audience beside the hub",
      spec: { boundObjectRef: pod, expirationSeconds: 3607, audiences: [issuer, "vault"] },
    },
  ])("does not live for a year with $reason", ({ spec }) => {
    const claims = claimsOf(spec);
    expect(claims?.["exp"]).toBe(seconds + spec.expirationSeconds);
    expect(claims?.["kubernetes.io"]).not.toHaveProperty("warnafter");
  });

  it("ends, by its status, when it was asked to, also when it lives for a year", () => {
    const { issuer: tokenIssuer } = worldWithBot();
    const spec = { boundObjectRef: pod, expirationSeconds: 3607 };
    const answer = requestToken(target, tokenRequest(spec), tokenIssuer);
    expect(answer["status"]).toMatchObject({ expirationTimestamp: "2026-01-02T04:04:12Z" });
    expect(answer["spec"]).toEqual({ audiences: [issuer], ...spec });
  });

  it("is for the audiences of the issuer when none is asked for", () => {
    const { issuer: tokenIssuer } = worldWithBot();
    const answer = requestToken(target, tokenRequest({}), { ...tokenIssuer, audiences: ["a", "b"] });
    expect(answer["spec"]).toMatchObject({ audiences: ["a", "b"] });
  });

  it("names the Node on which its Pod runs, with its uid when that is there", () => {
    const runs = object("Pod", "p", { spec: { serviceAccountName: "bot", nodeName: "n" } });
    const facts = (world: (one: ReturnType<typeof worldWithBot>) => void) =>
      claimsOf({ boundObjectRef: pod }, world)?.["kubernetes.io"] as JsonObject;
    expect(facts((world) => world.put(runs, object("Node", "n")))["node"]).toEqual({ name: "n", uid: "n-uid" });
    expect(facts((world) => world.put(runs))["node"]).toEqual({ name: "n" });
    expect(facts(() => undefined)).not.toHaveProperty("node");
  });

  it("may be bound to a Node, which has no namespace", () => {
    const claims = claimsOf({ boundObjectRef: { apiVersion: "v1", kind: "Node", name: "n" } }, (world) =>
      world.put(object("Node", "n")),
    );
    expect(claims?.["kubernetes.io"]).toMatchObject({ node: { name: "n", uid: "n-uid" } });
  });
});

describe("a request for a token", () => {
  it("may repeat name, namespace and uid of the account and of what it binds", () => {
    const boundObjectRef = { apiVersion: "v1", kind: "Secret", name: "s", uid: "s-uid" };
    expect(refusal({ boundObjectRef }, { name: "bot", namespace: "shop", uid: "bot-uid" })).toBeUndefined();
    expect(
      refusal({ boundObjectRef: { ...boundObjectRef, uid: "" } }, { name: "", namespace: "", uid: "" }),
    ).toBeUndefined();
  });

  it("is refused for another namespace than that of the account", () => {
    expect(refusal({}, { namespace: "bank" })).toEqual({
      code: 422,
      message:
        'TokenRequest.authentication.k8s.io "bot" is invalid: metadata.namespace: Invalid value: "bank": must match the service account namespace if specified',
    });
  });

  it("is refused for a Secret or Pod of another namespace", () => {
    for (const kind of ["Secret", "Pod"]) {
      const world = worldWithBot();
      world.put(object(kind, "far", { metadata: { namespace: "bank" }, spec: { serviceAccountName: "bot" } }));
      expect(() => world.tokenFor("bot", { boundObjectRef: { apiVersion: "v1", kind, name: "far" } })).toThrow(
        `${kind.toLowerCase()}s "far" not found`,
      );
    }
  });

  it("is refused for a Pod of another group", () => {
    expect(refusal({ boundObjectRef: { apiVersion: "x.io/v1", kind: "Pod", name: "p" } })).toEqual({
      code: 400,
      message: "cannot bind token to object of type x.io/v1, Kind=Pod",
    });
  });

  it("lets a request of 2^32 seconds through, and not a second more", () => {
    expect(refusal({ expirationSeconds: 2 ** 32 })).toBeUndefined();
    expect(refusal({ expirationSeconds: 2 ** 32 + 1 })?.code).toBe(422);
  });
});
