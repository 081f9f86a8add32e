import { describe, expect, it } from "vitest";
import { bootstrapExpiry, bootstrapTokenUser } from "../../../../src/embedded-hub/auth/bootstrap-token.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { authWorld, base64, startMs } from "./auth-builders.ts";

const token = "abcdef.0123456789abcdef";

interface SecretSpec {
  readonly data?: Readonly<Record<string, string | undefined>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly type?: string;
}

function tokenSecret({
  data = {},
  metadata = {},
  type = "bootstrap.kubernetes.io/token",
}: SecretSpec = {}): KubeObject {
  const texts = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    ...data,
  };
  const encoded = Object.entries(texts).flatMap(([key, text]) => (text === undefined ? [] : [[key, base64(text)]]));
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system", ...metadata },
    type,
    data: Object.fromEntries(encoded) as Record<string, string>,
  };
}

function groupsOf(secret: KubeObject, shown = token, nowMs = startMs): readonly string[] | undefined {
  const world = authWorld();
  world.put(secret);
  return bootstrapTokenUser(shown, nowMs, world.read)?.groups;
}

describe("bootstrapTokenUser", () => {
  it("is the user of the token's id, in system:bootstrappers", () => {
    const world = authWorld();
    world.put(tokenSecret());
    expect(bootstrapTokenUser(token, startMs, world.read)).toEqual({
      username: "system:bootstrap:abcdef",
      groups: ["system:bootstrappers"],
    });
  });

  it("is in each further group once, in the order of their names", () => {
    const groups = ["system:bootstrappers:z", "system:bootstrappers:a", "system:bootstrappers:z"].join(",");
    expect(groupsOf(tokenSecret({ data: { "auth-extra-groups": groups } }))).toEqual([
      "system:bootstrappers",
      "system:bootstrappers:a",
      "system:bootstrappers:z",
    ]);
  });

  it.each<{ reason: string } & SecretSpec>([
    { reason: "a Secret that is being deleted", metadata: { deletionTimestamp: "2026-01-02T03:04:05Z" } },
    { reason: "a Secret of another namespace", metadata: { namespace: "shop" } },
    { reason: "a Secret of another name", metadata: { name: "bootstrap-token-abcdeg" } },
    { reason: "a Secret of another type", type: "Opaque" },
    { reason: "a shorter secret in the Secret", data: { "token-secret": "0123456789abcde" } },
    { reason: "no secret in the Secret", data: { "token-secret": undefined } },
    { reason: "another secret of the same length", data: { "token-secret": "0123456789abcdeg" } },
    { reason: "another id in the Secret", data: { "token-id": "abcdeg" } },
    { reason: "no id in the Secret", data: { "token-id": undefined } },
    { reason: "no usage", data: { "usage-bootstrap-authentication": undefined } },
    { reason: "a usage that is not the word true", data: { "usage-bootstrap-authentication": "yes" } },
    { reason: "an expiry in the past", data: { expiration: "2026-01-02T03:04:04Z" } },
    { reason: "an expiry at this moment", data: { expiration: "2026-01-02T03:04:05Z" } },
    { reason: "an expiry without a zone", data: { expiration: "2027-01-02T03:04:05" } },
    { reason: "an expiry that is no date", data: { expiration: "2027-13-02T03:04:05Z" } },
    { reason: "a group that is no bootstrap group", data: { "auth-extra-groups": "system:masters" } },
    { reason: "a group beside a good one", data: { "auth-extra-groups": "system:bootstrappers:a,system:masters" } },
    { reason: "a group that only ends as one", data: { "auth-extra-groups": "x:system:bootstrappers:a" } },
    { reason: "a group that continues after one", data: { "auth-extra-groups": "system:bootstrappers:a b" } },
    { reason: "a group that ends with a hyphen", data: { "auth-extra-groups": "system:bootstrappers:a-" } },
    { reason: "a group without a name", data: { "auth-extra-groups": "system:bootstrappers:" } },
  ])("is no user for $reason", ({ reason: _reason, ...spec }) => {
    expect(groupsOf(tokenSecret(spec))).toBeUndefined();
  });

  it.each([
    `x${token}`,
    `${token}x`,
    `${token}\n`,
    "abcde.0123456789abcdef",
    "abcdef.0123456789abcde",
    "ABCDEF.0123456789abcdef",
    "abcdef0123456789abcdef",
    "abcdefx0123456789abcdef",
    "",
  ])("is no user for the token %j", (shown) => {
    expect(groupsOf(tokenSecret(), shown)).toBeUndefined();
  });

  it("is good until its last millisecond", () => {
    const secret = tokenSecret({ data: { expiration: "2026-01-02T03:04:06Z" } });
    expect(groupsOf(secret, token, startMs + 999)).toBeDefined();
    expect(groupsOf(secret, token, startMs + 1000)).toBeUndefined();
  });
});

describe("bootstrapExpiry", () => {
  it.each([
    { expiration: undefined, expiry: { kind: "never" } },
    { expiration: "2026-01-02T03:04:05Z", expiry: { kind: "at", atMs: startMs } },
    { expiration: "2026-01-02t03:04:05z", expiry: { kind: "at", atMs: startMs } },
    { expiration: "2026-01-02T03:04:05.250Z", expiry: { kind: "at", atMs: startMs + 250 } },
    { expiration: "2026-01-02T05:04:05+02:00", expiry: { kind: "at", atMs: startMs } },
    { expiration: "2026-01-02T01:04:05-02:00", expiry: { kind: "at", atMs: startMs } },
    { expiration: "x2026-01-02T03:04:05Z", expiry: { kind: "invalid" } },
    { expiration: "2026-01-02T03:04:05Z GMT", expiry: { kind: "invalid" } },
    { expiration: "2026-01-02", expiry: { kind: "invalid" } },
    { expiration: "2026-01-02 03:04:05Z", expiry: { kind: "invalid" } },
    { expiration: "2 January 2027", expiry: { kind: "invalid" } },
    { expiration: "2026-02-30T99:04:05Z", expiry: { kind: "invalid" } },
  ])("reads $expiration as $expiry.kind", ({ expiration, expiry }) => {
    expect(bootstrapExpiry(tokenSecret({ data: { expiration } }))).toEqual(expiry);
  });
});
