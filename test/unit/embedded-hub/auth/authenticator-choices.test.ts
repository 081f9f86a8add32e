import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../../../src/embedded-hub/auth/authenticator.ts";
import { decodeJwt, signJwt, tokenKeyOf } from "../../../../src/embedded-hub/auth/jwt.ts";
import type { TokenKey } from "../../../../src/embedded-hub/auth/jwt.ts";
import type { Authenticator } from "../../../../src/embedded-hub/auth/auth.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { authWorld, base64, hubKey, issuer, object, startMs } from "./auth-builders.ts";
import type { AuthWorld } from "./auth-builders.ts";

const bot = "system:serviceaccount:shop:bot";
const otherKey = tokenKeyOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
const anonymous = "system:anonymous";

function worldWithBot(): AuthWorld {
  const world = authWorld();
  world.put(object("ServiceAccount", "bot"));
  return world;
}

function claimsOf(token: string): JsonObject {
  return decodeJwt(token)?.claims ?? {};
}

/** The token of these claims, its header naming no key. */
function withoutKeyId(token: string, key: TokenKey): string {
  return signJwt(claimsOf(token), { ...key, keyId: "" });
}

function authenticatorOf(world: AuthWorld, keys: readonly TokenKey[], audiences?: readonly string[]): Authenticator {
  const { read } = world;
  const options = { issuer, keys, read, nowMs: () => world.nowMs };
  return createAuthenticator(audiences === undefined ? options : { ...options, audiences });
}

async function nameOf(authenticator: Authenticator, token: string): Promise<string> {
  const outcome = authenticator.authenticate({ authorization: `Bearer ${token}` });
  return outcome.kind === "user" ? outcome.user.username : outcome.reason;
}

describe("the credential of a request", () => {
  it("is the certificate, whatever token comes with it", () => {
    const { authenticator } = authWorld();
    const certificateSubject = { commonName: "anna", organizations: ["team"] };
    expect(authenticator.authenticate({ certificateSubject, authorization: "Bearer bad" })).toEqual({
      kind: "user",
      user: { username: "anna", groups: ["team", "system:authenticated"] },
    });
  });

  it("is no certificate without a common name", () => {
    const world = worldWithBot();
    const certificateSubject = { commonName: "", organizations: ["system:masters"] };
    const authorization = `Bearer ${world.tokenFor("bot")}`;
    const withToken = world.authenticator.authenticate({ certificateSubject, authorization });
    expect(withToken).toMatchObject({ user: { username: bot } });
    expect(world.authenticator.authenticate({ certificateSubject })).toEqual({
      kind: "user",
      user: { username: anonymous, groups: ["system:unauthenticated"] },
    });
  });

  it("puts no user into system:authenticated twice", () => {
    const certificateSubject = { commonName: "anna", organizations: ["system:authenticated", "b"] };
    const { authenticator } = authWorld();
    const outcome = authenticator.authenticate({ certificateSubject });
    expect(outcome).toMatchObject({ user: { groups: ["system:authenticated", "b"] } });
  });

  it("is refused as an untrusted certificate, not taken for anonymous", () => {
    const { authenticator } = authWorld();
    expect(authenticator.authenticate({ isCertificateUntrusted: true })).toEqual({
      kind: "refused",
      reason: "the client certificate is not signed by the hub's client CA",
    });
    expect(authenticator.authenticate({ isCertificateUntrusted: false })).toMatchObject({ kind: "user" });
  });

  it.each([
    { header: (token: string) => `Bearer ${token}`, expected: bot },
    { header: (token: string) => `bEARER ${token}`, expected: bot },
    { header: (token: string) => `  Bearer ${token}  `, expected: bot },
    { header: (token: string) => `Bearer ${token} x`, expected: bot },
    { header: (token: string) => `Bearer  ${token}`, expected: anonymous },
    { header: (token: string) => `Token ${token}`, expected: anonymous },
    { header: (token: string) => token, expected: anonymous },
  ])("is $expected for the header $header", ({ header, expected }) => {
    const world = worldWithBot();
    const outcome = world.authenticator.authenticate({ authorization: header(world.tokenFor("bot")) });
    expect(outcome).toMatchObject({ user: { username: expected } });
  });

  it("is the token among the protocols of a WebSocket only after its prefix", () => {
    const world = worldWithBot();
    const encoded = Buffer.from(world.tokenFor("bot")).toString("base64url");
    const ask = (webSocketProtocols: string) => {
      const outcome = world.authenticator.authenticate({ webSocketProtocols });
      return outcome.kind === "user" ? outcome.user.username : outcome.reason;
    };
    expect(ask(`base64url.bearer.authorization.k8s.io.${encoded},v5.channel.k8s.io`)).toBe(bot);
    expect(ask(`v5.channel.k8s.io, ${encoded}`)).toBe(anonymous);
    expect(ask(`x.base64url.bearer.authorization.k8s.io.${encoded}`)).toBe(anonymous);
    expect(ask("base64url.bearer.authorization.k8s.io.bad")).toBe("invalid bearer token");
  });
});

describe("the end of a credential", () => {
  it("is that of the token, for requests and for reviews", async () => {
    const world = worldWithBot();
    const token = world.tokenFor("bot", { expirationSeconds: 600 });
    const expiresAtMs = startMs + 600_000;
    const authorization = `Bearer ${token}`;
    expect(world.authenticator.authenticate({ authorization })).toMatchObject({ expiresAtMs });
    expect(await world.authenticator.reviewToken(token, [])).toMatchObject({ expiresAtMs });
  });

  it("is evaluated by each request, however often the token was good", async () => {
    const world = worldWithBot();
    const token = world.tokenFor("bot", { expirationSeconds: 600 });
    expect(await world.whoIs(token)).toMatchObject({ username: bot });
    world.nowMs = startMs + 661_000;
    expect(await world.whoIs(token)).toBe("[invalid bearer token, service account token has expired]");
  });

  it("does not come with a token that has none", async () => {
    const world = worldWithBot();
    const { exp: _exp, ...claims } = claimsOf(world.tokenFor("bot"));
    const token = signJwt(claims, hubKey);
    expect(world.authenticator.authenticate({ authorization: `Bearer ${token}` })).not.toHaveProperty("expiresAtMs");
    expect(await world.authenticator.reviewToken(token, [])).not.toHaveProperty("expiresAtMs");
  });
});

describe("the signer of a token", () => {
  it("may be any key of the hub when the token names none", async () => {
    const world = worldWithBot();
    const token = withoutKeyId(world.tokenFor("bot"), hubKey);
    expect(await nameOf(authenticatorOf(world, [otherKey, hubKey]), token)).toBe(bot);
    expect(await nameOf(authenticatorOf(world, [otherKey]), token)).toBe(
      "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]",
    );
  });

  it("is the key that the token names, and no other of the hub", async () => {
    const world = worldWithBot();
    const claims = claimsOf(world.tokenFor("bot"));
    const authenticator = authenticatorOf(world, [otherKey, hubKey]);
    const wrong = signJwt(claims, { ...hubKey, keyId: otherKey.keyId });
    expect(await nameOf(authenticator, wrong)).toContain("error in cryptographic primitive");
    expect(await nameOf(authenticator, signJwt(claims, { ...hubKey, keyId: "unknown" }))).toBe(
      "[invalid bearer token, invalid signature, no keys found]",
    );
  });

  it("does not vouch for another issuer", async () => {
    const world = worldWithBot();
    const claims = claimsOf(world.tokenFor("bot"));
    expect(await world.whoIs(signJwt({ ...claims, iss: "https://elsewhere" }, hubKey))).toBe("invalid bearer token");
    const { iss: _iss, ...nameless } = claims;
    expect(await world.whoIs(signJwt(nameless, hubKey))).toBe("invalid bearer token");
    expect(await world.whoIs(signJwt({ ...claims, iss: "kubernetes/serviceaccount" }, hubKey))).toBe(
      "[invalid bearer token, namespace claim is missing]",
    );
  });
});

describe("the audiences of a token", () => {
  it("are the hub's own in a request, its issuer when it has none", async () => {
    const world = worldWithBot();
    const vault = world.tokenFor("bot", { audiences: ["vault"] });
    const both = world.tokenFor("bot", { audiences: ["vault", issuer] });
    expect(await nameOf(authenticatorOf(world, [hubKey]), both)).toBe(bot);
    expect(await nameOf(authenticatorOf(world, [hubKey], ["vault"]), vault)).toBe(bot);
    expect(await nameOf(authenticatorOf(world, [hubKey], ["other"]), both)).toContain("token audiences");
  });

  it("are those of the hub for a token that names none", async () => {
    const world = worldWithBot();
    const { aud: _aud, ...claims } = claimsOf(world.tokenFor("bot"));
    const token = signJwt(claims, hubKey);
    const authenticator = authenticatorOf(world, [hubKey], ["a", "b"]);
    expect(await authenticator.reviewToken(token, [])).toMatchObject({ kind: "user", audiences: ["a", "b"] });
    expect(await authenticator.reviewToken(token, ["b", "c"])).toMatchObject({ kind: "user", audiences: ["b"] });
    expect(await authenticator.reviewToken(token, ["c"])).toMatchObject({ kind: "refused" });
  });

  it("of a review are those of the token that were asked for, or the hub's", async () => {
    const world = worldWithBot();
    const token = world.tokenFor("bot", { audiences: ["vault", issuer] });
    expect(await world.authenticator.reviewToken(token, [])).toMatchObject({ audiences: [issuer] });
    expect(await world.authenticator.reviewToken(token, ["vault", "x"])).toMatchObject({ audiences: ["vault"] });
    expect(await world.authenticator.reviewToken(token, ["x"])).toMatchObject({ kind: "refused" });
  });

  it("A131 of a bootstrap token are the hub's, and no others", async () => {
    const world = authWorld();
    const data = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" };
    world.put({
      ...object("Secret", "bootstrap-token-abcdef", { metadata: { namespace: "kube-system" } }),
      type: "bootstrap.kubernetes.io/token",
      data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
    });
    const review = await world.authenticator.reviewToken("abcdef.0123456789abcdef", ["x", issuer]);
    expect(await world.authenticator.reviewToken("abcdef.0123456789abcdef", ["x"])).toEqual({
      kind: "refused",
      reason: "invalid bearer token",
    });
    expect(review).toMatchObject({
      kind: "user",
      user: { groups: ["system:bootstrappers", "system:authenticated"] },
      audiences: [issuer],
    });
  });
});
