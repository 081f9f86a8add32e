import { describe, expect, it } from "vitest";
import { currentBootstrap, isIdentityLost, pendingBootstrap } from "../../../../../src/join/rollcall/hub/bootstrap.ts";
import { bootstrapSecretName } from "../../../../../src/model/dialects/rollcall.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";

const agent = makeAgent();
const hourMs = 3_600_000;
const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();
const spec = { kubeConfigSecretRef: { name: "k" } };
const issued = { number: 2, issuedAt: time(0), expiresAt: time(hourMs) };
const values = {
  hub: { url: "https://hub", caBundle: "ca", id: `sha256:${"a".repeat(64)}` },
  workspace,
  token: { name: "eu-1.bootstrap", credential: "opaque", proofKey: Buffer.alloc(32, 1).toString("base64") },
};
const secret = (number = 2, content: unknown = values): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: bootstrapSecretName("eu-1", number), namespace: workspace },
  data: { values: Buffer.from(JSON.stringify(content)).toString("base64") },
});
const member = (parts: MemberParts = {}) =>
  memberOf("eu-1", { spec, state: { bootstrap: issued }, children: [secret()], ...parts });
const numberAt = (parts: MemberParts, laterMs = 0): string => {
  const bootstrap = currentBootstrap(member(parts), hubFacts({ nowMs: startMs + laterMs }));
  return bootstrap === undefined
    ? "none"
    : `${bootstrap.number}${bootstrap.values === undefined ? " to be issued" : ""}`;
};
const joined = memberStateOf(agent, { bootstrap: issued });
const { join } = joined;
if (join === undefined) throw new Error("no join");
/** Admitted by the token that the hub made. */
const byToken: MemberState = {
  ...joined,
  join: { ...join, bootstrap: 2 },
  credential: { number: 1, issuedAt: time(0), expiresAt: time(hourMs) },
};
const report: KubeObject = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterReport",
  metadata: { name: "eu-1", namespace: workspace },
  spec: { credentialNumber: 1 },
};

describe("currentBootstrap: the token that the hub makes for one cluster alone", () => {
  it.each<[string, MemberParts, number, string]>([
    ["waits to be installed", {}, 0, "2"],
    ["is good for an hour", {}, hourMs - 1, "2"],
    ["is followed by another after that", {}, hourMs, "3 to be issued"],
    ["is followed by another when its values are deleted", { children: [] }, 0, "3 to be issued"],
    [
      "is followed by another when its values were edited",
      { children: [secret(2, { ...values, workspace: "" })] },
      0,
      "3 to be issued",
    ],
    ["is the first of a new cluster", { state: undefined, children: [] }, 0, "1 to be issued"],
    ["is none of a cluster that leaves", { annotations: { "rollcall.dev/leave": "c" } }, 0, "none"],
    ["is none of a revoked one", { annotations: { "rollcall.dev/revoked": "-/operator/now" } }, 0, "none"],
    ["is none of one whose identity was lost", { status: { identity: { keys: ["sha256:1"] } } }, 0, "none"],
    ["is none without a kubeconfig", { spec: {} }, 0, "none"],
    ["is none of a paused one", { spec: { ...spec, paused: true } }, 0, "none"],
    ["is none of one that becomes another", { annotations: { "rollcall.dev/moved-to": "other/eu-2" } }, 0, "none"],
    ["is none of one whose agent came in by another way", { state: joined }, 0, "none"],
    ["stays while its agent has not read the answer", { state: byToken }, 0, "2"],
    ["stays for that in a paused cluster", { state: byToken, spec: { ...spec, paused: true } }, 0, "2"],
    [
      "is none once the agent works with its own credential",
      { state: byToken, children: [secret(), report] },
      0,
      "none",
    ],
    ["is none once it ended, and its agent was let in", { state: byToken }, hourMs, "none"],
    [
      "is another one where the agent is to come in again",
      { state: { ...byToken, rejoin: "Redeploy" }, children: [secret(), report] },
      0,
      "3 to be issued",
    ],
    [
      "is the one that is there where the agent is to come in again",
      { state: { ...joined, rejoin: "AgentLost" } },
      0,
      "2",
    ],
  ])("%s", (_what, parts, laterMs, expected) => {
    expect(numberAt(parts, laterMs)).toBe(expected);
  });
});

describe("pendingBootstrap: the values that wait to be installed", () => {
  const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: time(0) };
  it.each<[string, MemberParts, number | undefined]>([
    ["are those that were issued", {}, 2],
    [
      "are those that were issued after the last installation",
      { state: { bootstrap: issued, install: { ...install, bootstrap: 1 } } },
      2,
    ],
    [
      "are none once they are installed",
      { state: { bootstrap: issued, install: { ...install, bootstrap: 2 } } },
      undefined,
    ],
    ["are none once an agent came in by them", { state: byToken }, undefined],
    ["are none before they are issued", { state: undefined }, undefined],
  ])("%s", (_what, parts, expected) => {
    expect(pendingBootstrap(member(parts), hubFacts())?.number).toBe(expected);
  });
});

describe("isIdentityLost: whether the hub forgot who a cluster is", () => {
  it("is so only where a status names keys and the state does not", () => {
    const known = { identity: { keys: ["sha256:1"] } };
    expect(isIdentityLost(memberOf("eu-1", { status: known }))).toBe(true);
    expect(isIdentityLost(memberOf("eu-1", { status: known, state: joined }))).toBe(false);
    expect(isIdentityLost(memberOf("eu-1", { status: { identity: { keys: [] } } }))).toBe(false);
    expect(isIdentityLost(memberOf("eu-1", { status: {} }))).toBe(false);
    expect(isIdentityLost(memberOf("eu-1"))).toBe(false);
  });
});
