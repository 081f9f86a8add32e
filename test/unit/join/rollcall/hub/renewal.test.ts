import { describe, expect, it } from "vitest";
import { memberDueAtMs } from "../../../../../src/join/rollcall/hub/due-at.ts";
import { nextCredentialNumber, memberCredentialsDue } from "../../../../../src/join/rollcall/hub/credentials-due.ts";
import { openRenewal, renewalAllowedAtMs } from "../../../../../src/join/rollcall/hub/renewal.ts";
import { renewalMessage, signMessage, toBase64 } from "../../../../../src/join/rollcall/messages.ts";
import { recoverySecretName } from "../../../../../src/model/dialects/rollcall.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";

const agent = makeAgent();
const other = makeAgent();
const iso = (ms: number): string => new Date(ms).toISOString();
const issued = (atMs: number): Pick<MemberState, "credential"> => ({
  credential: { number: 4, issuedAt: iso(atMs), expiresAt: iso(atMs + 86_400_000) },
});
const longAgo = issued(startMs - 3_600_000);

function object(kind: string, name: string, rest: Record<string, unknown> = {}, uid = `${name}-uid`): KubeObject {
  return { apiVersion: "v1", kind, metadata: { namespace: workspace, name, uid }, ...rest };
}

interface Asked {
  readonly nonce?: unknown;
  readonly credential?: unknown;
  readonly signature?: unknown;
}

/** As the holder of the agent's key asks; `changes` are made afterwards, or before where `isSigned`. */
function asking(changes: Asked = {}, { isSigned = false, by = agent, cluster = "eu-1" } = {}): KubeObject {
  const plain = { nonce: 8, credential: 4, ...(isSigned ? changes : {}) } as { nonce: number; credential: number };
  const message = renewalMessage({ hubId: hubFacts().hubId, workspace, cluster, ...plain });
  const renewal = { ...plain, signature: signMessage(by.signingPrivateKey, message), ...changes };
  return object("ClusterReport", "eu-1", { spec: { renewal } });
}

function memberAsking(report: KubeObject, state: MemberState = memberStateOf(agent, longAgo)) {
  return memberOf("eu-1", { state, children: [report] });
}

describe("openRenewal", () => {
  it("gives the request that the member's key signed", () => {
    expect(openRenewal(memberAsking(asking()), hubFacts())).toEqual({ nonce: 8, credential: 4 });
    const first = asking({ nonce: 1, credential: 0 }, { isSigned: true });
    expect(openRenewal(memberAsking(first), hubFacts())).toEqual({ nonce: 1, credential: 0 });
    const most = asking({ credential: 1_000_000_000 }, { isSigned: true });
    expect(openRenewal(memberAsking(most), hubFacts())).toMatchObject({ credential: 1_000_000_000 });
  });

  const refused: readonly (readonly [string, KubeObject])[] = [
    ["no nonce", asking({ nonce: undefined })],
    ["no credential", asking({ credential: undefined })],
    ["no signature", asking({ signature: undefined })],
    ["the signature of another agent", asking({}, { by: other })],
    ["a signature for another cluster", asking({}, { cluster: "eu-2" })],
    ["another nonce than it signed", asking({ nonce: 9 })],
    ["another credential than it signed", asking({ credential: 5 })],
    ["a number of a credential that no agent can have", asking({ credential: 1_000_000_001 }, { isSigned: true })],
    ["a negative number", asking({ credential: -1 }, { isSigned: true })],
    ["half a credential", asking({ credential: 1.5 }, { isSigned: true })],
    ["a nonce that is no whole number", asking({ nonce: 8.5 }, { isSigned: true })],
    ["a nonce that cannot be counted", asking({ nonce: 2 ** 53 }, { isSigned: true })],
    ["no nonce at all in a first request", asking({ nonce: 0 }, { isSigned: true })],
  ];
  it.each(refused)("answers nothing to a report with %s", (_, report) => {
    expect(openRenewal(memberAsking(report), hubFacts())).toBeUndefined();
  });

  it("answers each request once, and none of a member without keys", () => {
    const answered = (answeredNonce: number) => memberStateOf(agent, { ...longAgo, answeredNonce });
    expect(openRenewal(memberAsking(asking(), answered(7)), hubFacts())).toMatchObject({ nonce: 8 });
    expect(openRenewal(memberAsking(asking(), answered(8)), hubFacts())).toBeUndefined();
    expect(openRenewal(memberAsking(asking(), { clientID: "uid-1" }), hubFacts())).toBeUndefined();
    expect(openRenewal(memberOf("eu-1", { state: memberStateOf(agent) }), hubFacts())).toBeUndefined();
  });
});

const account = object("ServiceAccount", "rollcall-eu-1");
function boundBy(accountUid?: string): KubeObject {
  const bound = object("Secret", "rollcall-eu-1.4");
  return accountUid === undefined
    ? bound
    : { ...bound, metadata: { ...bound.metadata, annotations: { "rollcall.dev/account-uid": accountUid } } };
}

describe("renewalAllowedAtMs", () => {
  const recent = issued(startMs - 10_000);
  const soonMs = startMs + 20_000;
  const rows: readonly (readonly [string, MemberState, readonly KubeObject[], number])[] = [
    ["30 s after the newest credential", memberStateOf(agent, recent), [account, boundBy("rollcall-eu-1-uid")], soonMs],
    ["30 s after one whose account is not written down", memberStateOf(agent, recent), [account, boundBy()], soonMs],
    ["at once without a credential", memberStateOf(agent), [account, boundBy()], 0],
    ["at once when its Secret was deleted", memberStateOf(agent, recent), [account], 0],
    ["at once when its account was made anew", memberStateOf(agent, recent), [account, boundBy("before")], 0],
    ["at once when its account was deleted", memberStateOf(agent, recent), [boundBy("rollcall-eu-1-uid")], 0],
    ["at once when the hub's clock was set back", memberStateOf(agent, issued(startMs + 1)), [account, boundBy()], 0],
  ];
  it.each(rows)("allows the next renewal %s", (_, state, children, expected) => {
    expect(renewalAllowedAtMs(memberOf("eu-1", { state, children }), hubFacts())).toBe(expected);
  });
});

describe("memberCredentialsDue", () => {
  const token = { data: { token: toBase64(Buffer.from("recovery")) } };
  const recovery = object("Secret", recoverySecretName("eu-1", agent.digest), token);
  const dueOf = (parts: Parameters<typeof memberOf>[1]): readonly string[] =>
    memberCredentialsDue(memberOf("eu-1", parts), hubFacts()).map(({ purpose, how }) =>
      how.kind === "token-request" ? `${purpose} ${how.boundSecret?.metadata.name}` : purpose,
    );
  const request = object("ClusterRegistration", "edge-old");
  const answer = { status: { sealedAnswer: { enc: "x", ciphertext: "y" } } };
  const children = [account, boundBy("rollcall-eu-1-uid"), recovery, asking()];
  const state = memberStateOf(agent, longAgo);

  it("issues the next credential for a request of its agent, and none to a member that leaves or is revoked", () => {
    expect(dueOf({ state, children })).toEqual(["renewal rollcall-eu-1.5"]);
    expect(dueOf({ state, children, annotations: { "rollcall.dev/revoked": "b/who/when" } })).toEqual([]);
    expect(dueOf({ state, children, annotations: { "rollcall.dev/leave": "c0" } })).toEqual([]);
  });

  it("issues none before the recovery credential is filled in, none without a grant, and none too soon", () => {
    expect(dueOf({ state, children: [account, boundBy(), asking()] })).toEqual([]);
    expect(dueOf({ state: { ...state, join: undefined }, children })).toEqual([]);
    expect(dueOf({ state: memberStateOf(agent, issued(startMs - 29_999)), children })).toEqual([]);
    expect(dueOf({ state: memberStateOf(agent, issued(startMs - 30_000)), children })).toHaveLength(1);
  });

  it("answers a request to join that has no answer yet, with the number that the grant planned", () => {
    const granted = memberStateOf(agent, longAgo);
    const join = { time: iso(startMs - 3_600_000), registration: "edge-old", initiated: "agent" as const };
    const planned = { ...granted, join };
    expect(dueOf({ state: planned, children: [account, recovery, request] })).toEqual(["working rollcall-eu-1.4"]);
    expect(dueOf({ state: planned, children: [account, recovery, { ...request, ...answer }] })).toEqual([]);
    const made = [account, recovery, request, boundBy()];
    expect(dueOf({ state: planned, children: made })).toEqual(["working rollcall-eu-1.5"]);
    const used = object("ClusterReport", "eu-1", { spec: { credentialNumber: 4 } });
    expect(dueOf({ state: planned, children: [account, recovery, request, used] })).toEqual([
      "working rollcall-eu-1.5",
    ]);
    expect(dueOf({ state: granted, children: [account, recovery, request] })).toEqual(["working rollcall-eu-1.5"]);
    expect(dueOf({ state: memberStateOf(agent), children: [account, recovery, request] })).toEqual([
      "working rollcall-eu-1.1",
    ]);
  });

  it("never uses a number again, also one that only the agent remembers", () => {
    const numberFor = (changes: Partial<MemberState>, report: readonly KubeObject[] = []): number =>
      nextCredentialNumber(memberOf("eu-1", { state: memberStateOf(agent, changes), children: report }), hubFacts());
    expect(numberFor({})).toBe(1);
    expect(numberFor(longAgo)).toBe(5);
    expect(numberFor({ ...longAgo, lastCredentialNumber: 9 })).toBe(10);
    expect(numberFor(longAgo, [asking({ credential: 30 }, { isSigned: true })])).toBe(31);
    expect(numberFor(longAgo, [asking({ credential: 30 })])).toBe(5);
    expect(nextCredentialNumber(memberOf("eu-1"), hubFacts())).toBe(1);
  });
});

describe("memberDueAtMs", () => {
  const dueAt = (state: MemberState | undefined, children: readonly KubeObject[] = [], annotations = {}) =>
    memberDueAtMs(memberOf("eu-1", { ...(state ? { state } : {}), children, annotations }), hubFacts());
  const hourMs = 3_600_000;
  const bootstrap = { number: 2, issuedAt: iso(startMs), expiresAt: iso(startMs + hourMs) };

  it("is the first of what comes: the end of the bootstrap, of the credential, of a wait for a renewal", () => {
    expect(dueAt(undefined)).toBeUndefined();
    expect(dueAt({ bootstrap })).toBe(startMs + hourMs);
    expect(dueAt(memberStateOf(agent, issued(startMs)))).toBe(startMs + 24 * hourMs);
    expect(dueAt(memberStateOf(agent, { ...issued(startMs), bootstrap }))).toBe(startMs + hourMs);
    const children = [asking(), boundBy()];
    expect(dueAt(memberStateOf(agent, { ...issued(startMs), bootstrap }), children)).toBe(startMs + 30_000);
  });

  it("leaves out what is over: a used bootstrap, an end that has passed, the credential of one that was not admitted", () => {
    const used = { token: "t", time: iso(startMs), initiated: "hub" as const, registration: "r", bootstrap: 2 };
    expect(dueAt({ bootstrap, join: used })).toBeUndefined();
    expect(dueAt({ bootstrap: { ...bootstrap, expiresAt: iso(startMs) } })).toBeUndefined();
    expect(dueAt({ ...memberStateOf(agent, issued(startMs)), join: undefined })).toBeUndefined();
    expect(dueAt({ bootstrap }, [], { "rollcall.dev/leave": "c0" })).toBeUndefined();
  });
});
