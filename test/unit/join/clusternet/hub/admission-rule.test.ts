import { describe, expect, it } from "vitest";
import { findAdmissionRule } from "../../../../../src/join/clusternet/hub/admission-rule.ts";
import { readRequest } from "../../../../../src/join/clusternet/hub/registration-request.ts";
import type { Member, TokenSubject } from "../../../../../src/model/member.ts";
import { copiedMembers } from "../../copied-members.ts";
import { hubFacts, startMs } from "../../hub-scene.ts";
import {
  clusternetMemberOf,
  doorOf,
  granted,
  hourMs,
  leave,
  requestOf,
  revoked,
  withKubeconfig,
} from "../clusternet-scene.ts";

interface Scene {
  readonly token?: TokenSubject;
  readonly members?: readonly Member[];
  readonly laterMs?: number;
}

function find(tokenName: string | undefined, { token, members = [], laterMs = 0 }: Scene) {
  const request = readRequest(requestOf());
  if (typeof request === "string") throw new Error(request);
  const scene = { ...(token ? { token } : {}), members: copiedMembers(members), tokens: () => [] };
  return findAdmissionRule({ request, tokenName }, scene, hubFacts({ nowMs: startMs + laterMs }));
}

describe("findAdmissionRule: a Clusternet agent that names a token", () => {
  it("counts the use after those that members remember, and admits whom the token writes out", () => {
    const token = doorOf({ maxRegistrations: 2, agentLabels: ["env"], clusterLabels: { from: "token" } });
    const rule = find("door", { token, members: [clusternetMemberOf({ state: granted() }, "eu-5")] });
    expect(rule).toMatchObject({
      kind: "token",
      tokenName: "door",
      nextUse: 2,
      isUsedUp: false,
      needsApproval: false,
      agentLabels: ["env"],
      clusterLabels: { from: "token" },
    });
    if ("reason" in rule) throw new Error(rule.reason);
    expect([rule.isNamed("eu-1"), rule.isNamed("eu-2")]).toEqual([true, false]);
  });

  it("names no cluster by a token that names none, and none by a pattern", () => {
    for (const clusterNames of [undefined, [], ["eu-*"]]) {
      const rule = find("door", { token: doorOf({ clusterNames }) });
      expect("reason" in rule ? rule.reason : rule.isNamed("eu-1")).toBe(false);
    }
  });

  it("is used up, or needs an approval, where the token declares it", () => {
    const members = [clusternetMemberOf({ state: granted() }, "eu-5")];
    expect(find("door", { token: doorOf({ maxRegistrations: 1 }), members })).toMatchObject({ isUsedUp: true });
    expect(find("door", { token: doorOf({ approval: "PullRequest" }) })).toMatchObject({ needsApproval: true });
  });

  it.each<[string, Scene, string]>([
    ["there is no such token", {}, "UnknownToken"],
    ["the token is of another protocol", { token: doorOf({ protocol: "fleet" }) }, "UnknownToken"],
    ["the token declares no protocol", { token: doorOf({ protocol: undefined }) }, "UnknownToken"],
    ["the token ended", { token: doorOf({ ttl: "1h" }), laterMs: hourMs }, "TokenClosed"],
  ])("is refused where %s", (_where, scene, reason) => {
    expect(find("door", scene)).toMatchObject({ reason });
  });
});

describe("findAdmissionRule: a Clusternet agent that names no token", () => {
  const installed = clusternetMemberOf({ spec: withKubeconfig });

  it("may be the cluster whose agent the hub installs, and no other", () => {
    const rule = find(undefined, { members: [installed] });
    expect(rule).toMatchObject({ kind: "import", tokenName: "", isUsedUp: false, needsApproval: false });
    if ("reason" in rule) throw new Error(rule.reason);
    expect([rule.isNamed("eu-1"), rule.isNamed("eu-2")]).toEqual([true, false]);
  });

  it.each<[string, readonly Member[]]>([
    ["no cluster has that name", [clusternetMemberOf({ spec: withKubeconfig }, "eu-2")]],
    ["the hub installs nothing there", [clusternetMemberOf()]],
    ["the cluster leaves", [clusternetMemberOf({ spec: withKubeconfig, annotations: leave })]],
    ["the cluster is revoked", [clusternetMemberOf({ spec: withKubeconfig, annotations: revoked })]],
  ])("is refused where %s", (_where, members) => {
    expect(find(undefined, { members })).toMatchObject({ reason: "NoToken" });
  });
});
