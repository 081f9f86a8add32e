import { createHmac, generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createAuthenticator } from "../../../../src/embedded-hub/auth/authenticator.ts";
import { decodeJwt, jsonWebKeyOf, signJwt, tokenKeyOf } from "../../../../src/embedded-hub/auth/jwt.ts";
import { legacyClaims } from "../../../../src/embedded-hub/auth/legacy-token.ts";
import { authWorld, base64, hubKey, issuer, object, startMs } from "./auth-builders.ts";

const botUser = {
  username: "system:serviceaccount:shop:bot",
  uid: "bot-uid",
  groups: ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
};
const invalidated = "[invalid bearer token, service account token has been invalidated]";
const minuteMs = 60_000;

describe("authenticate with a certificate", () => {
  it("takes name and groups from its subject", () => {
    const { authenticator } = authWorld();
    const certificateSubject = { commonName: "anna", organizations: ["team"], fingerprintSha256: "ab" };
    expect(authenticator.authenticate({ certificateSubject })).toEqual({
      kind: "user",
      user: {
        username: "anna",
        groups: ["team", "system:authenticated"],
        extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ab"] },
      },
    });
  });

  it("refuses an untrusted one, unless a good token comes with it", () => {
    const world = authWorld();
    world.put(object("ServiceAccount", "bot"));
    const authorization = `Bearer ${world.tokenFor("bot")}`;
    const { authenticator } = world;
    expect(authenticator.authenticate({ isCertificateUntrusted: true })).toMatchObject({ kind: "refused" });
    expect(authenticator.authenticate({ isCertificateUntrusted: true, authorization })).toMatchObject({
      kind: "user",
    });
  });
});

describe("authenticate without a credential", () => {
  it.each([{}, { authorization: "Basic YTpi" }, { authorization: "Bearer" }, { authorization: "" }])(
    "is anonymous for %j",
    (credential) => {
      expect(authWorld().authenticator.authenticate(credential)).toEqual({
        kind: "user",
        user: { username: "system:anonymous", groups: ["system:unauthenticated"] },
      });
    },
  );
});

describe("authenticate with a bound token", () => {
  it("knows the account, its groups and the credential", async () => {
    const world = authWorld();
    world.put(object("ServiceAccount", "bot"));
    const token = world.tokenFor("bot");
    const extra = { "authentication.kubernetes.io/credential-id": ["JTI=id-1"] };
    expect(await world.whoIs(token)).toEqual({ ...botUser, extra });
    const protocols = `v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;
    expect(world.authenticator.authenticate({ webSocketProtocols: protocols })).toEqual({
      kind: "user",
      user: { ...botUser, extra },
      expiresAtMs: startMs + 3600_000,
    });
  });

  it("names Pod and Node of a Pod's token", async () => {
    const world = authWorld();
    const spec = { serviceAccountName: "bot", nodeName: "n1" };
    world.put(object("ServiceAccount", "bot"), object("Pod", "p", { spec }), object("Node", "n1"));
    const token = world.tokenFor("bot", { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" } });
    expect(await world.whoIs(token)).toMatchObject({
      extra: {
        "authentication.kubernetes.io/node-name": ["n1"],
        "authentication.kubernetes.io/node-uid": ["n1-uid"],
        "authentication.kubernetes.io/pod-name": ["p"],
        "authentication.kubernetes.io/pod-uid": ["p-uid"],
      },
    });
    world.remove("Node", "", "n1");
    expect(await world.whoIs(token)).toMatchObject(botUser);
  });

  it.each([
    { kind: "Secret", spec: {} },
    { kind: "Pod", spec: { serviceAccountName: "bot" } },
    { kind: "Node", spec: {} },
  ])("dies with the $kind that it is bound to", async ({ kind, spec }) => {
    const world = authWorld();
    const bound = object(kind, "thing", { spec });
    world.put(object("ServiceAccount", "bot"), bound);
    const token = world.tokenFor("bot", { boundObjectRef: { apiVersion: "v1", kind, name: "thing" } });
    expect(await world.whoIs(token)).toMatchObject(botUser);
    world.put({ ...bound, metadata: { ...bound.metadata, uid: "another" } });
    const label = kind.toLowerCase();
    expect(await world.whoIs(token)).toBe(
      `[invalid bearer token, ${label} UID (another) does not match service account ${label} ref claim (thing-uid)]`,
    );
    world.remove(kind, kind === "Node" ? "" : "shop", "thing");
    expect(await world.whoIs(token)).toBe(invalidated);
    world.put(bound);
    expect(await world.whoIs(token)).toMatchObject(botUser);
    world.put({ ...bound, metadata: { ...bound.metadata, deletionTimestamp: "2026-01-02T03:04:05Z" } });
    world.nowMs += 61_000;
    expect(await world.whoIs(token)).toBe(invalidated);
  });

  it("dies with its account, and when that is made anew", async () => {
    const world = authWorld();
    world.put(object("ServiceAccount", "bot"));
    const token = world.tokenFor("bot");
    expect(await world.whoIs(token)).toMatchObject(botUser);
    world.put(object("ServiceAccount", "bot", { metadata: { uid: "other" } }));
    expect(await world.whoIs(token)).toBe(
      "[invalid bearer token, service account UID (other) does not match claim (bot-uid)]",
    );
    world.remove("ServiceAccount", "shop", "bot");
    expect(await world.whoIs(token)).toBe('[invalid bearer token, serviceaccounts "bot" not found]');
  });

  it("ends at its time, a minute of clock skew allowed", async () => {
    const world = authWorld();
    world.put(object("ServiceAccount", "bot"));
    const token = world.tokenFor("bot", { expirationSeconds: 600 });
    world.nowMs = startMs + 11 * minuteMs;
    expect(await world.whoIs(token)).toMatchObject(botUser);
    world.nowMs += 1000;
    expect(await world.whoIs(token)).toBe("[invalid bearer token, service account token has expired]");
    world.nowMs = startMs - 2 * minuteMs;
    expect(await world.whoIs(token)).toBe("[invalid bearer token, service account token is not valid yet]");
  });

  it("is good only for its audiences", async () => {
    const world = authWorld();
    world.put(object("ServiceAccount", "bot"));
    const token = world.tokenFor("bot", { audiences: ["vault"] });
    expect(await world.whoIs(token)).toBe(
      `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${issuer}"]]`,
    );
    expect(await world.authenticator.reviewToken(token, ["vault", "x"])).toMatchObject({
      kind: "user",
      audiences: ["vault"],
    });
  });

  it("is refused when anybody else signed it, or when it chooses how it is checked", async () => {
    const world = authWorld();
    world.put(object("ServiceAccount", "bot"));
    const token = world.tokenFor("bot");
    const [header = "", claims = "", signature = ""] = token.split(".");
    const otherKey = tokenKeyOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
    const forged = signJwt(decodeJwt(token)?.claims ?? {}, otherKey);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const none = `${encode({ alg: "none" })}.${claims}.`;
    const publicPem = hubKey.publicKey.export({ type: "spki", format: "pem" });
    const symmetricHead = `${encode({ alg: "HS256", kid: hubKey.keyId })}.${claims}`;
    const symmetric = `${symmetricHead}.${createHmac("sha256", publicPem).update(symmetricHead).digest("base64url")}`;
    const changed = `${header}.${encode({ ...decodeJwt(token)?.claims, sub: "system:serviceaccount:shop:other" })}.${signature}`;
    for (const bad of [forged, none, symmetric, changed, `${header}.${claims}.`, "abc", "a.b.c", "{}"]) {
      expect(await world.whoIs(bad)).toMatch(/^(?:invalid bearer token|\[invalid bearer token, )/u);
    }
    expect(await world.whoIs(token)).toMatchObject(botUser);
  });

  it("is still good when the hub signs with a new key but keeps the old", async () => {
    const world = authWorld();
    world.put(object("ServiceAccount", "bot"));
    const token = world.tokenFor("bot");
    const next = tokenKeyOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
    const nowMs = () => world.nowMs;
    const both = createAuthenticator({ issuer, keys: [next, hubKey], read: world.read, nowMs });
    const nextOnly = createAuthenticator({ issuer, keys: [next], read: world.read, nowMs });
    expect(await both.reviewToken(token, [])).toMatchObject({ kind: "user" });
    expect(await nextOnly.reviewToken(token, [])).toEqual({
      kind: "refused",
      reason: "[invalid bearer token, invalid signature, no keys found]",
    });
    expect(jsonWebKeyOf(next)).toMatchObject({ kty: "RSA", alg: "RS256", use: "sig", kid: next.keyId, e: "AQAB" });
  });
});

describe("authenticate with the token of a Secret", () => {
  it("is good while the Secret holds exactly it", async () => {
    const world = authWorld();
    const account = object("ServiceAccount", "bot");
    const token = signJwt(legacyClaims(account, "s"), hubKey);
    const secret = object("Secret", "s", {
      type: "kubernetes.io/service-account-token",
      data: { token: base64(token) },
    });
    world.put(account);
    expect(await world.whoIs(token)).toBe("[invalid bearer token, Token has been invalidated]");
    world.put(secret);
    expect(await world.whoIs(token)).toEqual(botUser);
    world.put({ ...secret, data: { token: base64(`${token}x`) } });
    expect(await world.whoIs(token)).toBe("[invalid bearer token, Token does not match server's copy]");
    const labels = { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" };
    world.put({ ...secret, metadata: { ...secret.metadata, labels } });
    expect(await world.whoIs(token)).toContain("has been marked invalid");
    world.put(secret, object("ServiceAccount", "bot", { metadata: { uid: "other" } }));
    expect(await world.whoIs(token)).toContain("ServiceAccount UID (other) does not match claim (bot-uid)");
  });
});

describe("authenticate with a bootstrap token", () => {
  const data = {
    "token-id": base64("abcdef"),
    "token-secret": base64("0123456789abcdef"),
    "usage-bootstrap-authentication": base64("true"),
  };
  const secretWith = (changes: Record<string, string> = {}, fields: object = {}) => ({
    ...object("Secret", "bootstrap-token-abcdef", {
      type: "bootstrap.kubernetes.io/token",
      data: { ...data, ...changes },
    }),
    ...fields,
    metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
  });

  it("is in system:bootstrappers and the groups of its Secret until it expires", async () => {
    const world = authWorld();
    const expiration = base64("2026-01-02T04:04:05Z");
    const groups = base64("system:bootstrappers:kubeadm:default-node-token");
    world.put(secretWith({ expiration, "auth-extra-groups": groups }));
    expect(await world.whoIs("abcdef.0123456789abcdef")).toEqual({
      username: "system:bootstrap:abcdef",
      groups: ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token", "system:authenticated"],
    });
    world.nowMs += 3600_000;
    expect(await world.whoIs("abcdef.0123456789abcdef")).toBe("invalid bearer token");
  });

  it.each([
    { reason: "another secret", secret: secretWith({ "token-secret": base64("0123456789abcdeX") }) },
    { reason: "no usage", secret: secretWith({ "usage-bootstrap-authentication": base64("false") }) },
    { reason: "another type", secret: secretWith({}, { type: "Opaque" }) },
    { reason: "another id", secret: secretWith({ "token-id": base64("zzzzzz") }) },
    { reason: "a group outside", secret: secretWith({ "auth-extra-groups": base64("system:masters") }) },
    { reason: "an unreadable expiry", secret: secretWith({ expiration: base64("soon") }) },
  ])("is refused for $reason", async ({ secret }) => {
    const world = authWorld();
    world.put(secret);
    expect(await world.whoIs("abcdef.0123456789abcdef")).toBe("invalid bearer token");
  });
});
