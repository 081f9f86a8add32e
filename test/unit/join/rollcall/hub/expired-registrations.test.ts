import { describe, expect, it } from "vitest";
import { expiredRegistrations } from "../../../../../src/join/rollcall/hub/expired-registrations.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";
import { indexMembers } from "../../../../../src/planning/member-index.ts";

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;
const time = new Date(startMs).toISOString();
const credential = { number: 1, issuedAt: time, expiresAt: time };
const state = memberStateOf(makeAgent(), { credential });
const report: KubeObject = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterReport",
  metadata: { name: "eu-1", namespace: workspace },
  spec: { credentialNumber: 1 },
};
const waiting = memberOf("eu-1", { state });
const confirmed = memberOf("eu-1", { state, children: [report] });

function registration(name: string, status: object = {}, tokenName = "edge"): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistration",
    metadata: { name, namespace: workspace, creationTimestamp: time },
    spec: { tokenName },
    status,
  };
}
const decided = (decision: string, name = "edge-old") => registration(name, { decision, decidedTime: time });
const collect = (registrations: readonly KubeObject[], laterMs: number, members: readonly Member[] = []): string[] =>
  expiredRegistrations(registrations, indexMembers(members), hubFacts({ nowMs: startMs + laterMs })).map(
    ({ name }) => name,
  );

describe("expired: how long a registration stays", () => {
  it.each<[string, KubeObject, readonly Member[], number]>([
    ["a refused one", decided("Refused", "r"), [], 10 * minuteMs],
    ["a proposed one", decided("Proposed", "r"), [], weekMs],
    ["an answer that its agent has", decided("Granted"), [confirmed], minuteMs],
    ["an answer that nobody fetched", decided("Granted"), [waiting], weekMs],
    ["one without a decision", registration("r"), [], 60 * minuteMs],
  ])("%s", (...[, asked, members, lifeMs]) => {
    expect(collect([asked], lifeMs, members)).toEqual([]);
    expect(collect([asked], lifeMs + 1, members)).toEqual([asked.metadata.name]);
  });

  it("is not at all, of an answer whose cluster is deleted", () => {
    expect(collect([decided("Granted", "other")], 0, [waiting])).toEqual(["other"]);
  });

  it("is for ever, where a member was admitted by it or the time of the decision cannot be read", () => {
    expect(collect([registration("edge-old")], 100 * weekMs, [waiting])).toEqual([]);
    expect(collect([registration("r", { decision: "Refused", decidedTime: "" })], 100 * weekMs)).toEqual([]);
  });

  const many = (count: number, status: object, tokenName?: (index: number) => string): KubeObject[] =>
    Array.from({ length: count }, (_, index) => registration(`r${index}`, status, tokenName?.(index)));
  const refused = { decision: "Refused", decidedTime: time };

  it("A7: is until fifty others of the same token came, refused or waiting for more than a minute", () => {
    expect(collect(many(50, refused), 0)).toEqual([]);
    expect(collect(many(51, refused), 0)).toEqual(["r0"]);
    expect(collect(many(51, {}), minuteMs)).toEqual([]);
    expect(collect(many(51, {}), minuteMs + 1)).toEqual(["r0"]);
    expect(
      collect(
        many(100, refused, (index) => `token-${index % 2}`),
        0,
      ),
    ).toEqual([]);
    const half = many(40, {}).map((one) => ({ ...one, metadata: { ...one.metadata, name: `w-${one.metadata.name}` } }));
    expect(collect([...many(40, refused), ...half], 2 * minuteMs)).toEqual([]);
  });

  it("A221: is for all that a person may be reviewing, whatever the holder of their token asks after them", () => {
    const proposed = many(50, { decision: "Proposed", decidedTime: time });
    const later = many(60, refused).map((one) => ({
      ...one,
      metadata: { ...one.metadata, name: `l-${one.metadata.name}` },
    }));
    expect(collect([...proposed, ...later], 0)).toEqual(later.slice(0, 10).map(({ metadata }) => metadata.name));
    expect(collect(many(51, { decision: "Proposed", decidedTime: time }), 0)).toEqual(["r50"]);
  });

  it.each(["Malformed", "UnsupportedVersion", "WrongName", "UnknownToken"])(
    "A7: counts those that are refused as %s as one token's: the sender chose its name",
    (reason) => {
      expect(
        collect(
          many(51, { ...refused, reason }, (index) => `token-${index}`),
          0,
        ),
      ).toEqual(["r0"]);
      expect(
        collect(
          many(51, { ...refused, reason: "NameTaken" }, (index) => `token-${index}`),
          0,
        ),
      ).toEqual([]);
    },
  );

  it("A119: counts those that were made without the values of the token that they name as one token's", () => {
    const forged = many(51, { ...refused, reason: "ProofInvalid" }, (index) => `token-${index}`);
    expect(collect(forged, 0)).toEqual(["r0"]);
  });

  it("A285: counts those by tokens that have ended as one token's: each cluster that the hub installed has one", () => {
    const closed = many(51, { ...refused, reason: "TokenClosed" }, (index) => `eu-${index}.bootstrap`);
    expect(collect(closed, 0)).toEqual(["r0"]);
  });
});
