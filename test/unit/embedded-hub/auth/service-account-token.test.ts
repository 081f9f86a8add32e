import { describe, expect, it } from "vitest";
import {
  audiencesOf,
  boundClaims,
  evaluateBoundClaims,
  parseServiceAccountUsername,
  serviceAccountUser,
} from "../../../../src/embedded-hub/auth/service-account-token.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { authWorld, issuer, object, startMs } from "./auth-builders.ts";

const account = object("ServiceAccount", "bot");
const base = { issuer, audiences: ["x"], serviceAccount: account, expirationSeconds: 600, id: "1", nowMs: startMs };
const minuteMs = 60_000;

function evaluate(claims: JsonObject, objects: readonly KubeObject[] = [account], nowMs = startMs) {
  const world = authWorld();
  world.put(...objects);
  return evaluateBoundClaims(claims, nowMs, world.read);
}

function reasonFor(claims: JsonObject, objects?: readonly KubeObject[], nowMs?: number): string | undefined {
  const result = evaluate(claims, objects, nowMs);
  return result.kind === "refused" ? result.reason : undefined;
}

function deleted(one: KubeObject, agoMs: number): KubeObject {
  return { ...one, metadata: { ...one.metadata, deletionTimestamp: new Date(startMs - agoMs).toISOString() } };
}

describe("boundClaims", () => {
  it("count whole seconds", () => {
    const claims = boundClaims({ ...base, nowMs: startMs + 999, warnAfterSeconds: 60 });
    const seconds = startMs / 1000;
    expect(claims).toMatchObject({ iat: seconds, nbf: seconds, exp: seconds + 600 });
    expect(claims["kubernetes.io"]).toMatchObject({ warnafter: seconds + 60 });
  });

  it("name what the token is bound to, and the Node of a Pod", () => {
    const claims = boundClaims({ ...base, boundTo: object("Pod", "p"), node: { name: "n", uid: "n-uid" } });
    expect(claims["kubernetes.io"]).toEqual({
      namespace: "shop",
      serviceaccount: { name: "bot", uid: "bot-uid" },
      pod: { name: "p", uid: "p-uid" },
      node: { name: "n", uid: "n-uid" },
    });
    const unknown = boundClaims({ ...base, boundTo: object("Pod", "p"), node: { name: "n" } });
    expect(unknown["kubernetes.io"]).toMatchObject({ node: { name: "n" } });
    expect((unknown["kubernetes.io"] as JsonObject)["node"]).not.toHaveProperty("uid");
  });
});

describe("evaluateBoundClaims", () => {
  const claims = boundClaims(base);

  it("is the account until the token's end", () => {
    expect(evaluate(claims)).toEqual({
      kind: "user",
      user: serviceAccountUser({
        namespace: "shop",
        name: "bot",
        uid: "bot-uid",
        extra: { "authentication.kubernetes.io/credential-id": ["JTI=1"] },
      }),
      expiresAtMs: startMs + 600_000,
    });
  });

  const seconds = startMs / 1000;
  it.each([
    { changes: { exp: seconds - 60 }, reason: undefined },
    { changes: { exp: seconds - 61 }, reason: "service account token has expired" },
    { changes: { nbf: seconds + 60 }, reason: undefined },
    { changes: { nbf: seconds + 61 }, reason: "service account token is not valid yet" },
    { changes: { iat: seconds + 60 }, reason: undefined },
    { changes: { iat: seconds + 61 }, reason: "service account token is issued in the future" },
  ])("answers $reason to $changes, a minute of clock skew allowed", ({ changes, reason }) => {
    expect(reasonFor({ ...claims, ...changes })).toBe(reason);
  });

  it("takes a token without times, and returns no end", () => {
    const { exp: _exp, nbf: _nbf, iat: _iat, jti: _jti, ...timeless } = claims;
    const result = evaluate(timeless);
    expect(result.kind).toBe("user");
    expect(result).not.toHaveProperty("expiresAtMs");
    expect(result).not.toHaveProperty("user.extra");
  });

  it.each<{ reason: string | undefined; objects: readonly KubeObject[] }>([
    { reason: 'serviceaccounts "bot" not found', objects: [] },
    {
      reason: 'serviceaccounts "bot" not found',
      objects: [object("ServiceAccount", "bot", { metadata: { namespace: "other" } })],
    },
    {
      reason: "service account UID () does not match claim (bot-uid)",
      objects: [object("ServiceAccount", "bot", { metadata: { uid: undefined } })],
    },
    { reason: undefined, objects: [deleted(account, minuteMs)] },
    { reason: "service account shop/bot has been deleted", objects: [deleted(account, minuteMs + 1)] },
  ])("answers $reason for its account", ({ reason, objects }) => {
    expect(reasonFor(claims, objects)).toBe(reason);
  });

  it("refuses a token that names no account, and one that names no uid", () => {
    const nobody = object("ServiceAccount", "", { metadata: { namespace: undefined, uid: "" } });
    expect(reasonFor({})).toBe('serviceaccounts "" not found');
    expect(reasonFor({ "kubernetes.io": {} }, [nobody])).toBe("service account UID () does not match claim ()");
  });

  it.each(["Secret", "Pod", "Node"])("dies a minute after the deletion of its %s, or at once without it", (kind) => {
    const bound = object(kind, "b");
    const boundToIt = boundClaims({ ...base, boundTo: bound });
    const gone = "service account token has been invalidated";
    expect(reasonFor(boundToIt, [account, bound])).toBeUndefined();
    expect(reasonFor(boundToIt, [account, deleted(bound, minuteMs)])).toBeUndefined();
    expect(reasonFor(boundToIt, [account, deleted(bound, minuteMs + 1)])).toBe(gone);
    expect(reasonFor(boundToIt, [account])).toBe(gone);
    const named = kind.toLowerCase();
    expect(reasonFor(boundToIt, [account, object(kind, "b", { metadata: { uid: "new" } })])).toBe(
      `${named} UID (new) does not match service account ${named} ref claim (b-uid)`,
    );
  });

  it("does not take a Secret or Pod of another namespace for its own", () => {
    for (const kind of ["Secret", "Pod"]) {
      const elsewhere = object(kind, "b", { metadata: { namespace: "other" } });
      expect(reasonFor(boundClaims({ ...base, boundTo: elsewhere }), [account, elsewhere])).toBe(
        "service account token has been invalidated",
      );
    }
  });

  it("outlives the Node of its Pod", () => {
    const pod = object("Pod", "p");
    const ofPod = boundClaims({ ...base, boundTo: pod, node: { name: "n", uid: "n-uid" } });
    expect(reasonFor(ofPod, [account, pod])).toBeUndefined();
  });
});

describe("parseServiceAccountUsername", () => {
  it.each([
    ["system:serviceaccount:shop:bot", { namespace: "shop", name: "bot" }],
    ["system:serviceaccount:a:b", { namespace: "a", name: "b" }],
    ["system:serviceaccount:my-shop:bot.v-1", { namespace: "my-shop", name: "bot.v-1" }],
    ["xsystem:serviceaccount:shop:bot", undefined],
    ["system:serviceaccount:shop:bot:x", undefined],
    ["system:serviceaccount:shop", undefined],
    ["system:serviceaccount::bot", undefined],
    ["system:serviceaccount:shop:", undefined],
    ["system:serviceaccount:my.shop:bot", undefined],
    ["system:serviceaccount:-shop:bot", undefined],
    ["system:serviceaccount:shop-:bot", undefined],
    ["system:serviceaccount:shop:-bot", undefined],
    ["system:serviceaccount:shop:bot.", undefined],
    ["system:serviceaccount:Shop:bot", undefined],
  ])("reads %s", (username, expected) => {
    expect(parseServiceAccountUsername(username)).toEqual(expected);
  });
});

describe("audiencesOf", () => {
  it.each([
    [{ aud: "a" }, ["a"]],
    [{ aud: ["a", "b"] }, ["a", "b"]],
    [{ aud: [1, "b"] }, ["b"]],
    [{}, []],
  ])("reads %j", (claims, expected) => {
    expect(audiencesOf(claims)).toEqual(expected);
  });
});
