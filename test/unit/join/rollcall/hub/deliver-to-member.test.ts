import { describe, expect, it } from "vitest";
import { valueAt } from "../../../../../src/core/read-json.ts";
import type { Delivery } from "../../../../../src/join/join.ts";
import type { HubAnswer } from "../../../../../src/join/rollcall/answers.ts";
import {
  openAnswer,
  registrationPlace,
  renewalPlace,
  successorPlace,
} from "../../../../../src/join/rollcall/answers.ts";
import { deliverCredential } from "../../../../../src/join/rollcall/hub/deliver.ts";
import { renewalMessage, signMessage, toBase64 } from "../../../../../src/join/rollcall/messages.ts";
import { recoverySecretName } from "../../../../../src/model/dialects/rollcall.ts";
import type { Sealed } from "../../../../../src/model/generated/sealed.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";

const hub = hubFacts();
const agent = makeAgent();
const dayMs = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const issued = (number: number, expiresAt = iso(startMs + dayMs)) => ({ number, issuedAt: iso(startMs), expiresAt });

const rollcallObject = (kind: string, name: string, rest: object = {}): KubeObject => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind,
  metadata: { name, namespace: workspace },
  ...rest,
});
const recovery: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: recoverySecretName("eu-1", agent.digest), namespace: workspace },
  data: { token: toBase64(Buffer.from("recovers")) },
};

/** `boundTo`: the Secret that the credential is to be bound to. */
function delivered(purpose: string, member: Member, boundTo?: string): Delivery {
  const boundSecret = { apiVersion: "v1", kind: "Secret", metadata: { name: boundTo ?? "", namespace: workspace } };
  const request = { kind: "token-request", account: "rollcall-eu-1", expirationSeconds: 86_400, boundSecret } as const;
  const how = boundTo === undefined ? ({ kind: "random" } as const) : request;
  const credential = {
    due: { purpose, workspace, how, reason: "" },
    token: "opaque",
    issuedAt: iso(startMs),
    expiresAt: iso(startMs + dayMs),
    random: Buffer.alloc(32, 9),
  };
  return deliverCredential({ kind: "member", member }, credential, hub, { bytes: (count) => Buffer.alloc(count, 3) });
}

function opened({ statusWrites }: Delivery, path: readonly string[], place: string, readIn = workspace): HubAnswer {
  const sealed = valueAt(statusWrites[0]?.status, ...path) as Sealed;
  return openAnswer(sealed, { hubId: hub.hubId, workspace: readIn, place }, agent.sealingPrivateKey);
}

describe("deliver: the answer to a registration", () => {
  const granted = (changes: Partial<MemberState> = {}, parts: MemberParts = {}): Member =>
    memberOf("eu-1", {
      state: memberStateOf(agent, changes),
      children: [rollcallObject("ClusterRegistration", "edge-old"), recovery],
      ...parts,
    });

  it("has both credentials of the member, for its agent alone", () => {
    const answer = opened(delivered("working", granted()), ["sealedAnswer"], registrationPlace("edge-old"));
    expect(answer).toMatchObject({
      clusterName: "eu-1",
      credential: { ...issued(1), token: "opaque" },
      recoveryToken: "recovers",
      heartbeatPeriodSeconds: 60,
    });
    expect(answer.workspace).toBeUndefined();
  });

  it("needs the registration, and the member's keys", () => {
    const none = { objects: [], statusWrites: [] };
    expect(delivered("working", granted({}, { children: [recovery] }))).toEqual(none);
    const { keys: _left, ...without } = memberStateOf(agent);
    expect(delivered("working", granted({}, { state: without }))).toEqual(none);
  });

  it.each<{ reason: string; recorded: Partial<MemberState>; isRecorded: boolean }>([
    { reason: "none", recorded: {}, isRecorded: false },
    { reason: "the one before", recorded: { credential: issued(0) }, isRecorded: false },
    { reason: "the same credential", recorded: { credential: issued(1) }, isRecorded: true },
    {
      reason: "one that ends a minute later",
      recorded: { credential: issued(1, iso(startMs + dayMs + 60_000)) },
      isRecorded: true,
    },
    {
      reason: "one that ends a minute earlier",
      recorded: { credential: issued(1, iso(startMs + dayMs - 60_000)) },
      isRecorded: true,
    },
    {
      reason: "one that ends more than a minute earlier",
      recorded: { credential: issued(1, iso(startMs + dayMs - 60_001)) },
      isRecorded: false,
    },
  ])("is recorded in the state unless that has $reason", ({ recorded, isRecorded }) => {
    const { state } = delivered("working", granted(recorded), "rollcall-eu-1.1");
    expect(state?.credential).toEqual(isRecorded ? undefined : issued(1));
  });
});

describe("deliver: a renewed credential", () => {
  const message = renewalMessage({ hubId: hub.hubId, workspace, cluster: "eu-1", nonce: 8, credential: 4 });
  const renewal = { nonce: 8, credential: 4, signature: signMessage(agent.signingPrivateKey, message) };
  const asking = (changes: Partial<MemberState> = {}): Member =>
    memberOf("eu-1", {
      state: memberStateOf(agent, changes),
      children: [rollcallObject("ClusterReport", "eu-1", { spec: { renewal } }), recovery],
    });

  it("is sealed for the request, and the credential in use stays valid", () => {
    const delivery = delivered("renewal", asking({ credential: issued(4), lastCredentialNumber: 4 }));
    const answer = opened(delivery, ["renewal", "sealed"], renewalPlace("eu-1", 8));
    expect(answer.credential).toEqual({ ...issued(5), token: "opaque" });
    expect(delivery.state).toMatchObject({ credential: issued(5), liveCredentials: [4, 5], answeredNonce: 8 });
  });

  it("is the only one of a member that had none", () => {
    expect(delivered("renewal", asking()).state?.liveCredentials).toHaveLength(1);
  });
});

describe("deliver: a successor's credential", () => {
  const former = (place: string): Member => ({
    ...memberOf("old", { state: memberStateOf(agent), children: [rollcallObject("ClusterReport", "old")] }),
    workspace: place,
  });
  const successor = (parts: MemberParts = {}, from = workspace): Member => ({
    ...memberOf("eu-1", { state: memberStateOf(agent), children: [recovery], ...parts }),
    former: former(from),
  });

  it("is sealed for the agent of the previous name, in the report of that", () => {
    const delivery = delivered("successor", successor());
    expect(delivery.statusWrites[0]?.ref).toMatchObject({ namespace: workspace, name: "old" });
    expect(valueAt(delivery.statusWrites[0]?.status, "successor")).toMatchObject({ workspace, name: "eu-1" });
    const answer = opened(delivery, ["successor", "sealed"], successorPlace("old"));
    expect(answer).toMatchObject({ clusterName: "eu-1", credential: issued(1), recoveryToken: "recovers" });
    expect(answer.workspace).toBeUndefined();
    expect(delivery.state).toMatchObject({ credential: issued(1), liveCredentials: [1] });
  });

  it("names the workspace of a successor in another one", () => {
    const delivery = delivered("successor", successor({}, "other"));
    expect(delivery.statusWrites[0]?.ref.namespace).toBe("other");
    expect(opened(delivery, ["successor", "sealed"], successorPlace("old"), "other").workspace).toBe(workspace);
  });

  it("leaves the credential valid that the agent may have from before", () => {
    const state = memberStateOf(agent, { credential: issued(2), lastCredentialNumber: 2 });
    expect(delivered("successor", successor({ state })).state?.liveCredentials).toEqual([2, 3]);
  });

  it("needs the member's keys", () => {
    const { keys: _left, ...state } = memberStateOf(agent);
    expect(delivered("successor", successor({ state }))).toEqual({ objects: [], statusWrites: [] });
  });
});

describe("deliver: the values by which a member's agent joins", () => {
  const valuesOf = (spec: MemberParts["spec"]): unknown => {
    const member = memberOf("eu-1", { spec: { kubeConfigSecretRef: { name: "k" }, ...spec } });
    const credential = {
      due: { purpose: "bootstrap", workspace, how: { kind: "random" }, reason: "" } as const,
      ...{ token: "opaque", issuedAt: iso(startMs), random: Buffer.alloc(32, 9) },
    };
    const entropy = { bytes: (count: number) => Buffer.alloc(count, 3) };
    const { objects } = deliverCredential({ kind: "member", member }, credential, hub, entropy);
    return JSON.parse(Buffer.from(String(valueAt(objects[0], "data", "values")), "base64").toString("utf8"));
  };

  it("name the cluster, with its clientID where git declares one", () => {
    expect(valuesOf({})).toMatchObject({ hub: { url: hub.endpoint.url, caBundle: "ca" }, cluster: { name: "eu-1" } });
    expect(valueAt(valuesOf({}), "cluster")).toEqual({ name: "eu-1" });
    expect(valueAt(valuesOf({ clientID: "declared" }), "cluster")).toEqual({ name: "eu-1", clientID: "declared" });
  });

  it("name the hub as the Cluster declares it", () => {
    const hubEndpoint = { url: "https://other.example.com" };
    expect(valueAt(valuesOf({ hubEndpoint }), "hub")).toMatchObject({ ...hubEndpoint, caBundle: "ca" });
    expect(valueAt(valuesOf({ hubEndpoint: { ...hubEndpoint, caBundle: "own" } }), "hub", "caBundle")).toBe("own");
  });
});
