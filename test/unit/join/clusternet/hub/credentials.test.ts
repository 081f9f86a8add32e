import { describe, expect, it } from "vitest";
import { credentialsBy } from "../../../../../src/join/clusternet/hub/credentials.ts";
import { accountCredentials, bootstrapCredentials } from "../../../../../src/join/clusternet/hub/token-credentials.ts";
import { clusternetImportLifeMs } from "../../../../../src/model/dialects/clusternet.ts";
import type { Member, TokenSubject } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import {
  clusternetMemberOf,
  doorOf,
  granted,
  heard,
  leave,
  managedOf,
  objectsOf,
  requestOf,
  revoked,
  time,
  withKubeconfig,
} from "../clusternet-scene.ts";

const credentials = credentialsBy(accountCredentials);
const at = (laterMs: number) => hubFacts({ nowMs: startMs + laterMs });
const minuteMs = 60_000;
const install = { manifestDigest: "other", kubeconfigDigest: "k", redeployGeneration: 0, time: time(0) };
const member = (parts: MemberParts): { readonly kind: "member"; readonly member: Member } => ({
  kind: "member",
  member: clusternetMemberOf(parts),
});
const token = (subject: TokenSubject) => ({ kind: "token", subject }) as const;
const minutesUntil = (subject: Parameters<typeof credentials.dueAtMs>[0], laterMs = 0): number | undefined => {
  const moment = credentials.dueAtMs(subject, at(laterMs));
  return moment === undefined ? undefined : (moment - startMs) / minuteMs;
};

describe("dueAtMs: when something of Clusternet's changes by time alone", () => {
  it("is when the answer may not be read by the token any more, and nothing after", () => {
    const living = member({ state: granted(), children: [managedOf(heard)] });
    expect([minutesUntil(living), minutesUntil(living, 10 * minuteMs)]).toEqual([10, undefined]);
    expect(minutesUntil(member({ state: granted() }))).toBe(24 * 60);
  });

  it("is when the credential of an installation ends, or the answer, whichever is sooner", () => {
    const spec = withKubeconfig;
    expect(minutesUntil(member({ spec, state: { install } }))).toBe(12 * 60);
    expect(minutesUntil(member({ spec, state: granted({ install }), children: [managedOf(heard)] }))).toBe(10);
    expect(minutesUntil(member({ spec, state: { install: { ...install, time: "" } } }))).toBeUndefined();
    expect(minutesUntil(member({ state: { install } }))).toBeUndefined();
    expect(minutesUntil(member({ spec, state: { install } }), clusternetImportLifeMs)).toBeUndefined();
  });

  it("is never for one that leaves", () => {
    expect(minutesUntil(member({ state: granted(), annotations: leave }))).toBeUndefined();
  });

  it("is when a token's end is near, and when it ends, and never for one that is closed or does not end", () => {
    const ending = token(doorOf({ ttl: "100m" }));
    expect([0, 90, 100].map((minute) => minutesUntil(ending, minute * minuteMs))).toEqual([90, 100, undefined]);
    expect(minutesUntil(token(doorOf()))).toBeUndefined();
    const closed = doorOf({ ttl: "100m" });
    closed.token.metadata.annotations = revoked;
    expect(minutesUntil(token(closed))).toBeUndefined();
  });
});

describe("credentials of Clusternet's", () => {
  const made = (purpose: string) => ({
    due: { purpose, workspace, how: { kind: "random" }, reason: "" } as const,
    token: "opaque",
    issuedAt: "",
    random: new Uint8Array(64),
  });
  const admitted = member({ state: granted(), children: [...objectsOf({ state: granted() }), requestOf()] });

  it("are due for members and for tokens", () => {
    expect(credentials.credentialsDue(admitted, at(0)).map(({ purpose }) => purpose)).toEqual(["working"]);
    const byBootstrap = credentialsBy(bootstrapCredentials);
    expect(byBootstrap.credentialsDue(token(doorOf()), at(0)).map(({ purpose }) => purpose)).toEqual([
      "bootstrap:eu-1",
    ]);
  });

  it("go into the request of the agent, or into the values of the token, and nowhere for another purpose", async () => {
    const answer = await credentials.deliver(admitted, made("working"), at(0));
    expect(answer.statusWrites).toHaveLength(1);
    const values = await credentials.deliver(token(doorOf()), made("values"), at(0));
    expect(values.objects.map(({ metadata }) => metadata.name)).toEqual(["door"]);
    await expect(credentials.deliver(admitted, made("recovery"), at(0))).rejects.toThrow("unknown purpose recovery");
  });

  it("are kept: the state of a member, and the values of an open token", () => {
    const kept = (subject: Parameters<typeof credentials.keptObjects>[0], laterMs = 0) =>
      credentials.keptObjects(subject, at(laterMs)).map(({ type, name }) => `${type.kind}/${name}`);
    expect(kept(admitted)).toEqual(["ConfigMap/rollcall-cluster-eu-1"]);
    expect(kept(token(doorOf({ ttl: "1h" })))).toEqual(["Secret/door"]);
    expect(kept(token(doorOf({ ttl: "1h" })), 60 * minuteMs)).toEqual([]);
  });
});
