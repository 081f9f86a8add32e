import { describe, expect, it } from "vitest";
import { deliverCredential } from "../../../../../src/join/rollcall/hub/deliver.ts";
import { desiredTokenObjects } from "../../../../../src/join/rollcall/hub/desired-token-objects.ts";
import { keptMemberObjects, keptTokenObjects } from "../../../../../src/join/rollcall/hub/kept-objects.ts";
import {
  announcedTrustKey,
  isOfOtherTrustKey,
  needsTokenSecret,
  proofKeyOf,
  valuesCredentialOf,
} from "../../../../../src/join/rollcall/hub/token-values.ts";
import { keyDigest } from "../../../../../src/join/rollcall/messages.ts";
import { valueAt } from "../../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { TokenSubject } from "../../../../../src/model/member.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, tokenSubject, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";

const hub = hubFacts();
const hourMs = 3_600_000;
const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();
const random = Buffer.alloc(32, 9);
const entropy = { bytes: (count: number) => Buffer.alloc(count, 3) };
const made = (purpose: string, expiresAt: string | undefined = time(hourMs), token: string | undefined = "opaque") => ({
  due: { purpose, workspace, how: { kind: "random" }, reason: "" } as const,
  ...(token === undefined ? {} : { token }),
  issuedAt: time(0),
  ...(expiresAt === undefined ? {} : { expiresAt }),
  random,
});
const empty = (subject: TokenSubject): TokenSubject => ({ ...subject, children: [] });
const ending = empty(tokenSubject("edge", { ttl: "1h" }));
const delivered = (subject: TokenSubject, credential = made("token")): KubeObject => {
  const [secret] = deliverCredential({ kind: "token", subject }, credential, hub, entropy).objects;
  if (secret === undefined) throw new Error("no values");
  return secret;
};
const annotationsOf = (secret: KubeObject) => secret.metadata.annotations ?? {};

describe("deliver: the values of a token", () => {
  it("name the hub, the token and its credential, with a key that only they have", () => {
    const secret = delivered(ending);
    const values = JSON.parse(
      Buffer.from(String(valueAt(secret, "data", "values")), "base64").toString("utf8"),
    ) as unknown;
    expect(values).toEqual({
      hub: { url: hub.endpoint.url, caBundle: "ca", id: hub.hubId },
      workspace,
      token: { name: "edge", credential: "opaque", proofKey: random.toString("base64") },
    });
    expect(annotationsOf(secret)).toEqual({ "rollcall.dev/credential-expires": time(hourMs) });
  });

  it("keep the key that was handed out, unless it is none", () => {
    const former = Buffer.alloc(32, 7).toString("base64");
    const withKey = (proofKey: string): TokenSubject => ({
      ...ending,
      children: [{ ...delivered(ending), data: { proofKey } }],
    });
    expect(valueAt(delivered(withKey(former)), "data", "proofKey")).toBe(former);
    expect(valueAt(delivered(withKey(Buffer.alloc(31, 7).toString("base64"))), "data", "proofKey")).toBe(
      random.toString("base64"),
    );
  });

  it.each<[string, string | undefined, boolean]>([
    ["lives as long as the token", time(hourMs), false],
    ["ends a second before it, as clocks are", time(hourMs - 1000), false],
    ["ends earlier", time(hourMs - 1001), true],
    ["declares no end", undefined, true],
  ])("are marked where a credential %s: %s", (_what, expiresAt, isCapped) => {
    const { due, ...rest } = made("token");
    const { expiresAt: _left, ...credential } = { due, ...rest };
    const secret = delivered(ending, expiresAt === undefined ? credential : { ...credential, expiresAt });
    expect("rollcall.dev/token-life-is-capped" in annotationsOf(secret)).toBe(isCapped);
  });

  it("stay marked, and declare that they do not end where the credential is that of a token Secret", () => {
    const capped = {
      ...delivered(ending),
      metadata: { ...delivered(ending).metadata, annotations: { "rollcall.dev/token-life-is-capped": "true" } },
    };
    expect(annotationsOf(delivered({ ...ending, children: [capped] }))).toEqual({
      "rollcall.dev/credential-expires": "never",
      "rollcall.dev/token-life-is-capped": "true",
    });
    expect(annotationsOf(delivered(empty(tokenSubject("edge"))))).toEqual({
      "rollcall.dev/credential-expires": "never",
    });
  });

  it("are not made of a credential that was not issued, nor for another purpose of a member", () => {
    const { token: _left, ...without } = made("token");
    expect(() => delivered(ending, without)).toThrow("it was not issued");
    const member = memberOf("eu-1");
    expect(() => deliverCredential({ kind: "member", member }, made("other"), hub, entropy)).toThrow(
      "unknown purpose other",
    );
  });
});

describe("deliver: what comes too late for a member", () => {
  it.each(["bootstrap", "working", "renewal", "successor"])("%s is given to no agent", (purpose) => {
    const subject = { kind: "member", member: memberOf("eu-1") } as const;
    expect(deliverCredential(subject, made(purpose), hub, entropy)).toEqual({ objects: [], statusWrites: [] });
  });
});

describe("token-values: what the Secret of a token contains", () => {
  const secretOf = (values: unknown): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "edge", namespace: workspace },
    data: { values: Buffer.from(JSON.stringify(values)).toString("base64") },
  });
  const next = hubFacts({ trust: { ...hub.trust, succession: { number: 2, replacements: [] } } });

  it("names the trust key only once it was replaced", () => {
    expect(announcedTrustKey(hub)).toEqual({});
    expect(announcedTrustKey(next)).toEqual({ trustKey: keyDigest(hub.trust.publicKey), trustKeyNumber: 2 });
    expect(isOfOtherTrustKey(secretOf({ hub: {} }), hub)).toBe(false);
    expect(isOfOtherTrustKey(secretOf({ hub: {} }), next)).toBe(true);
    expect(isOfOtherTrustKey(secretOf({ hub: { trustKey: keyDigest(hub.trust.publicKey) } }), next)).toBe(false);
  });

  it("has a credential, and a key of thirty-two bytes", () => {
    expect(valuesCredentialOf(secretOf({ token: { credential: "opaque" } }))).toBe("opaque");
    expect(valuesCredentialOf(secretOf("edited"))).toBeUndefined();
    expect(valuesCredentialOf(undefined)).toBeUndefined();
    expect(proofKeyOf(undefined)).toBeUndefined();
    const keyed = (length: number) =>
      proofKeyOf({ ...secretOf({}), data: { proofKey: Buffer.alloc(length).toString("base64") } });
    expect([31, 32, 33].map((length) => keyed(length)?.length)).toEqual([undefined, 32, undefined]);
  });

  it("needs a token Secret where the token does not end, or the hub gives no life as long", () => {
    const marked = (text: string): TokenSubject => ({
      ...ending,
      children: [
        {
          ...secretOf({}),
          metadata: { name: "edge", namespace: workspace, annotations: { "rollcall.dev/token-life-is-capped": text } },
        },
      ],
    });
    expect(
      [ending, empty(tokenSubject("edge")), marked("true"), marked("false")].map((subject) =>
        needsTokenSecret(subject, hub),
      ),
    ).toEqual([false, true, true, false]);
  });
});

describe("what a token and a member keep", () => {
  const names = (subject: TokenSubject, laterMs = 0): string[] =>
    keptTokenObjects(subject, hubFacts({ nowMs: startMs + laterMs })).map(({ name }) => name);

  it("is the values of an open token, and the Secret that its credential is bound to", () => {
    expect(names(ending)).toEqual(["edge", "rollcall.token.edge.bound"]);
    expect(names(empty(tokenSubject("edge")))).toEqual(["edge"]);
    expect(names(ending, hourMs)).toEqual([]);
  });

  it("is the right to ask until the last use of a token, and to read the answer after it", () => {
    const verbs = (uses: number): unknown => {
      const { token, ...rest } = empty(tokenSubject("edge", { maxRegistrations: 2 }));
      const role = desiredTokenObjects({ ...rest, token: { ...token, status: { uses } } }, hub).find(
        ({ kind }) => kind === "Role",
      );
      return valueAt(role, "rules", 0, "verbs");
    };
    expect([verbs(1), verbs(2)]).toEqual([["create", "get"], ["get"]]);
    expect(desiredTokenObjects(ending, hubFacts({ nowMs: startMs + hourMs }))).toEqual([]);
  });

  const credential = { number: 2, issuedAt: time(0), expiresAt: time(hourMs) };
  const state = memberStateOf(makeAgent(), { credential, liveCredentials: [1, 2] });
  const bound: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "rollcall-eu-1.2", namespace: workspace },
  };
  const kept = (parts: MemberParts): string[] =>
    keptMemberObjects(memberOf("eu-1", parts), hub).map(({ name }) => name);
  const memory = "rollcall-cluster-eu-1";

  it.each<[string, MemberParts, readonly string[]]>([
    ["is its usable credentials", { state }, [memory, "rollcall-eu-1.1", "rollcall-eu-1.2"]],
    ["is nothing of a revoked one", { state, annotations: { "rollcall.dev/revoked": "x" } }, [memory]],
    [
      "is all that is there, where its identity was lost",
      { state: {}, status: { identity: { keys: ["k"] } }, children: [bound] },
      [memory, "rollcall-eu-1.2"],
    ],
    [
      "is the values by which the hub installs it",
      { spec: { kubeConfigSecretRef: { name: "k" } } },
      [memory, "rollcall-eu-1.bootstrap.1"],
    ],
  ])("%s", (_what, parts, expected) => {
    expect(kept(parts)).toEqual(expected);
  });
});
