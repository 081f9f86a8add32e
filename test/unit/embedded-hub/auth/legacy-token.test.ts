import { describe, expect, it } from "vitest";
import { evaluateLegacyToken, legacyClaims } from "../../../../src/embedded-hub/auth/legacy-token.ts";
import type { TokenResult } from "../../../../src/embedded-hub/auth/service-account-token.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { authWorld, base64, object } from "./auth-builders.ts";

const account = object("ServiceAccount", "bot");
const claims = legacyClaims(account, "s");
const prefix = "kubernetes.io/serviceaccount/";
const token = "the.legacy.token";

function secret(rest: Record<string, unknown> = {}): KubeObject {
  return object("Secret", "s", { data: { token: base64(token) }, ...rest });
}

function evaluate(shown: JsonObject, ...objects: KubeObject[]): TokenResult {
  const world = authWorld();
  world.put(...objects);
  return evaluateLegacyToken(token, shown, world.read);
}

function reasonFor(shown: JsonObject, ...objects: KubeObject[]): string | undefined {
  const result = evaluate(shown, ...objects);
  return result.kind === "refused" ? result.reason : undefined;
}

describe("legacyClaims", () => {
  it("name the account, its uid and the Secret", () => {
    expect(claims).toEqual({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": "shop",
      "kubernetes.io/serviceaccount/secret.name": "s",
      "kubernetes.io/serviceaccount/service-account.name": "bot",
      "kubernetes.io/serviceaccount/service-account.uid": "bot-uid",
      sub: "system:serviceaccount:shop:bot",
    });
  });
});

describe("evaluateLegacyToken", () => {
  it("is the account without an end", () => {
    expect(evaluate(claims, account, secret())).toEqual({
      kind: "user",
      user: {
        username: "system:serviceaccount:shop:bot",
        uid: "bot-uid",
        groups: ["system:serviceaccounts", "system:serviceaccounts:shop"],
      },
    });
  });

  it.each([
    { claim: "sub", reason: "sub claim is missing" },
    { claim: `${prefix}namespace`, reason: "namespace claim is missing" },
    { claim: `${prefix}secret.name`, reason: "secretName claim is missing" },
    { claim: `${prefix}service-account.name`, reason: "serviceAccountName claim is missing" },
    { claim: `${prefix}service-account.uid`, reason: "serviceAccountUID claim is missing" },
  ])("refuses a token without the claim $claim, or with an empty one", ({ claim, reason }) => {
    const { [claim]: _left, ...rest } = claims;
    expect(reasonFor(rest, account, secret())).toBe(reason);
    expect(reasonFor({ ...claims, [claim]: "" }, account, secret())).toBe(reason);
  });

  it.each(["system:serviceaccount:other:bot", "system:serviceaccount:shop:other", "bot", "system:admin"])(
    "refuses a token whose subject is %s",
    (sub) => {
      expect(reasonFor({ ...claims, sub }, account, secret())).toBe("sub claim is invalid");
    },
  );

  const deletionTimestamp = "2026-01-02T03:04:05Z";
  it.each<{ reason: string; objects: readonly KubeObject[] }>([
    { reason: "Token has been invalidated", objects: [account] },
    { reason: "Token has been invalidated", objects: [account, secret({ metadata: { deletionTimestamp } })] },
    { reason: "Token has been invalidated", objects: [account, secret({ metadata: { namespace: "other" } })] },
    { reason: "Token does not match server's copy", objects: [account, secret({ data: {} })] },
    {
      reason: "Token does not match server's copy",
      objects: [account, secret({ data: { token: base64("the.legacy.toker") } })],
    },
    { reason: 'serviceaccounts "bot" not found', objects: [secret()] },
    {
      reason: "ServiceAccount shop/bot has been deleted",
      objects: [secret(), object("ServiceAccount", "bot", { metadata: { deletionTimestamp } })],
    },
    {
      reason: "ServiceAccount UID () does not match claim (bot-uid)",
      objects: [secret(), object("ServiceAccount", "bot", { metadata: { uid: undefined } })],
    },
  ])("refuses: $reason", ({ reason, objects }) => {
    expect(reasonFor(claims, ...objects)).toBe(reason);
  });

  it("refuses a token that is marked invalid, and takes it again without the mark", () => {
    const marked = (since: string) =>
      secret({ metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": since } } });
    expect(reasonFor(claims, account, marked("2026-01-01"))).toBe(
      "the token in secret shop/s for service account shop/bot has been marked invalid. Use tokens from the " +
        "TokenRequest API or manually created secret-based tokens, or remove the " +
        "'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
    );
    expect(reasonFor(claims, account, marked(""))).toBeUndefined();
    expect(reasonFor(claims, account, secret({ metadata: { labels: { other: "x" } } }))).toBeUndefined();
  });
});
