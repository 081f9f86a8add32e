import { describe, expect, it } from "vitest";
import { findAdmissionRule } from "../../../../../src/join/fleet/hub/admission-rule.ts";
import type { AdmissionRule } from "../../../../../src/join/fleet/hub/admission-rule.ts";
import { readRequest, tokenNameOf } from "../../../../../src/join/fleet/hub/registration-request.ts";
import { importTokenName } from "../../../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member, TokenSubject } from "../../../../../src/model/member.ts";
import { indexMembers } from "../../../../../src/planning/member-index.ts";
import { hubFacts, startMs } from "../../hub-scene.ts";
import { accountOf, fleetMemberOf, fleetTokenOf, grantedMemory, requestOf } from "../fleet-scene.ts";

interface Scene {
  readonly tokens?: readonly TokenSubject[];
  readonly members?: readonly Member[];
  readonly laterMs?: number;
}

function find(registration: KubeObject, { tokens = [], members = [], laterMs = 0 }: Scene) {
  const request = readRequest(registration);
  if (request === undefined) throw new Error("no request");
  const token = tokens.find(({ name }) => name === tokenNameOf(registration));
  const scene = { ...(token ? { token } : {}), members: indexMembers(members), tokens: () => tokens };
  return findAdmissionRule(request, scene, hubFacts({ nowMs: startMs + laterMs }));
}

function ruleOf(registration: KubeObject, scene: Scene): AdmissionRule {
  const rule = find(registration, scene);
  if (typeof rule === "string") throw new Error(rule);
  return rule;
}

const named = requestOf({ token: "edge" });
const unnamed = requestOf({});
const spec = { kubeConfigSecretRef: { name: "k" } };
const revoked = { "rollcall.dev/revoked": "-/operator/now" };

/** A token that was revoked. */
function revokedToken(name: string): TokenSubject {
  const subject = fleetTokenOf(name);
  return { ...subject, token: { ...subject.token, metadata: { ...subject.token.metadata, annotations: revoked } } };
}

describe("findAdmissionRule: a Fleet agent that names a token", () => {
  it("counts the use after those that the token's members remember", () => {
    const members = [fleetMemberOf("a", { state: grantedMemory({ clientID: "a" }) })];
    const tokens = [fleetTokenOf("edge", { maxRegistrations: 2, clusterLabels: { from: "token" } })];
    const rule = ruleOf(named, { tokens, members });
    expect(rule).toMatchObject({ kind: "token", tokenName: "edge", nextUse: 2, account: accountOf("edge") });
    expect(rule).toMatchObject({ isUsedUp: false, needsApproval: false, clusterLabels: { from: "token" } });
  });

  it.each<[readonly string[] | undefined, string | undefined, readonly string[], readonly string[]]>([
    [undefined, undefined, ["eu-1", "us-1"], []],
    [[], undefined, [], []],
    [["eu-1"], "eu-1", ["eu-1"], ["eu-1"]],
    [["eu-*"], undefined, ["eu-1"], []],
    [["eu-1", "us-1"], undefined, ["eu-1", "us-1"], ["eu-1", "us-1"]],
    [["eu-1", "us-*"], undefined, ["eu-1", "us-1"], ["eu-1"]],
  ])("by clusterNames %j names %s, creates %j and admits again %j", (clusterNames, onlyName, creates, again) => {
    const rule = ruleOf(named, {
      tokens: [fleetTokenOf("edge", clusterNames === undefined ? {} : { clusterNames: [...clusterNames] })],
    });
    const names = ["eu-1", "us-1"];
    expect(rule.onlyName).toBe(onlyName);
    expect(names.filter(rule.mayCreate)).toEqual(creates);
    expect(names.filter(rule.isNamed)).toEqual(again);
  });

  it.each<[string, Scene, string]>([
    ["a token of another protocol", { tokens: [fleetTokenOf("edge", { protocol: "clusternet" })] }, "UnknownToken"],
    ["a token that declares no protocol", { tokens: [fleetTokenOf("edge", { protocol: undefined })] }, "UnknownToken"],
    ["a revoked token", { tokens: [revokedToken("edge")] }, "TokenClosed"],
    ["a token that ended", { tokens: [fleetTokenOf("edge", { ttl: "1h" })], laterMs: 3_600_000 }, "TokenClosed"],
    ["no token", {}, "UnknownToken"],
  ])("is refused by %s", (_what, scene, reason) => {
    expect(find(named, scene)).toBe(reason);
  });

  it("is refused by the name of an account that the hub made, once that is closed", () => {
    const asked = requestOf({ token: "import-token-eu-1" });
    expect(find(asked, { members: [fleetMemberOf("eu-1", { spec })] })).toMatchObject({ kind: "import" });
    for (const parts of [{}, { spec, annotations: revoked }, { spec, annotations: { "rollcall.dev/leave": "c" } }])
      expect(find(asked, { members: [fleetMemberOf("eu-1", parts)] })).toBe("TokenClosed");
  });

  it("has, by the account that the hub made for one cluster, the right to be that cluster and no other", () => {
    const rule = ruleOf(requestOf({ token: "import-token-eu-1" }), { members: [fleetMemberOf("eu-1", { spec })] });
    expect(rule).toMatchObject({ kind: "import", account: "import-token-eu-1", onlyName: "eu-1", isUsedUp: false });
    expect(["eu-1", "eu-2"].map(rule.mayCreate)).toEqual([true, false]);
    expect(["eu-1", "eu-2"].map(rule.isNamed)).toEqual([true, false]);
  });

  const long = "e".repeat(63);
  const tokenOfLong = importTokenName(long);
  const alike = tokenOfLong.slice("import-token-".length);

  it.each<[string, Parameters<typeof fleetMemberOf>[1]]>([
    ["whose agent asks by itself", {}],
    ["of another protocol", { spec: { ...spec, protocol: "rollcall" } }],
  ])("A287 is not refused because of a cluster %s, with a name to which its own is shortened", (_what, parts) => {
    const members = [fleetMemberOf(alike, parts), fleetMemberOf(long, { spec })];
    expect(importTokenName(alike)).toBe(tokenOfLong);
    expect(find(requestOf({ token: tokenOfLong }), { members })).toMatchObject({ kind: "import", onlyName: long });
    const tokens = [fleetTokenOf(tokenOfLong)];
    expect(find(requestOf({ token: tokenOfLong }), { members, tokens })).toBe("TokenNameReserved");
  });

  it("A287 is not admitted as another cluster that the hub installs, whose name is shortened to the same text", () => {
    for (const names of [
      [alike, long],
      [long, alike],
    ]) {
      const members = names.map((name) => fleetMemberOf(name, { spec }));
      expect(find(requestOf({ token: tokenOfLong }), { members })).toBe("TokenAmbiguous");
    }
  });

  it.each([
    ["t".repeat(47), `${"t".repeat(47)}-1`, false],
    ["t".repeat(48), `${"t".repeat(48)}-1`, true],
    ["t".repeat(48), "u".repeat(48), false],
  ])("A72: by %s beside %s is ambiguous: %s", (token, other, isAmbiguous) => {
    const rule = find(requestOf({ token }), { tokens: [fleetTokenOf(token), fleetTokenOf(other)] });
    expect(rule === "TokenAmbiguous").toBe(isAmbiguous);
  });

  it("is not held up by a token with a long name that has no account yet", () => {
    const long = "t".repeat(48);
    const bare = { ...fleetTokenOf(`${long}-1`), children: [] };
    expect(find(requestOf({ token: long }), { tokens: [fleetTokenOf(long), bare] })).toMatchObject({ kind: "token" });
  });
});

describe("findAdmissionRule: a Fleet agent that names no token", () => {
  it("may do what every open Fleet token allows, and is never admitted again", () => {
    const tokens = [
      fleetTokenOf("a", { clusterNames: ["eu-1", "eu-*"] }),
      fleetTokenOf("b", { clusterNames: ["*-1"] }),
    ];
    const rule = ruleOf(unnamed, { tokens });
    expect(rule).toMatchObject({ kind: "unnamed", tokenName: "", account: "", onlyName: undefined, isUsedUp: false });
    expect(["eu-1", "eu-2", "us-1"].filter(rule.mayCreate)).toEqual(["eu-1"]);
    expect(rule.isNamed("eu-1")).toBe(false);
    expect(rule.agentLabels).toBeUndefined();
  });

  it("needs an approval where one of them does, and has no labels where one of them limits those", () => {
    const [open, asking] = [fleetTokenOf("a"), fleetTokenOf("b", { approval: "PullRequest" })];
    expect(ruleOf(unnamed, { tokens: [open] }).needsApproval).toBe(false);
    expect(ruleOf(unnamed, { tokens: [open, asking] }).needsApproval).toBe(true);
    const narrow = fleetTokenOf("b", { agentLabels: ["zone"] });
    expect(ruleOf(unnamed, { tokens: [open, narrow] }).agentLabels).toEqual([]);
  });

  it.each<[string, TokenSubject]>([
    ["of another protocol", fleetTokenOf("edge", { protocol: "clusternet" })],
    ["that was revoked", revokedToken("edge")],
  ])("is refused where the only token is one %s", (_what, token) => {
    expect(find(unnamed, { tokens: [token] })).toBe("UnknownToken");
  });

  it("is refused where one of several open tokens counts", () => {
    const tokens = [fleetTokenOf("a"), fleetTokenOf("b", { maxRegistrations: 100 })];
    expect(find(unnamed, { tokens })).toBe("TokenNotNamed");
  });
});
