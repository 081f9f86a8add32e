import { describe, expect, it } from "vitest";
import { memberFacts } from "../../../../../src/join/rollcall/hub/facts.ts";
import { memberManifest } from "../../../../../src/join/rollcall/hub/member-manifest.ts";
import type { MemberState } from "../../../../../src/model/member-state.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";

const agent = makeAgent();
const dayMs = 24 * 3_600_000;
const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();
const state: MemberState = memberStateOf(agent, {
  credential: { number: 1, issuedAt: time(0), expiresAt: time(dayMs) },
});
const reportOf = (spec: object): KubeObject => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterReport",
  metadata: { name: "eu-1", namespace: workspace },
  spec,
});
const factsOf = (spec: object | undefined, parts: MemberParts = {}, hub = hubFacts()) =>
  memberFacts(memberOf("eu-1", { state, children: spec === undefined ? [] : [reportOf(spec)], ...parts }), hub);
const well = { livez: true, readyz: true };

describe("factsOf: the health that an agent reports", () => {
  it.each<[object, string | undefined]>([
    [{}, undefined],
    [{ health: well }, "The agent reports, and the API server is ready."],
    [{ health: well, nodes: { total: 0, ready: 0 } }, "The agent reports, and the API server is ready."],
    [{ health: well, nodes: { total: 2, ready: 1 } }, "The agent reports, and the API server is ready."],
    [{ health: well, nodes: { total: 1, ready: 0 } }, "None of 1 nodes is ready."],
    [{ health: { livez: false, readyz: true } }, "The API server of the cluster fails /livez."],
    [{ health: { livez: true, readyz: false } }, "The API server of the cluster fails /readyz."],
    [{ health: { livez: false, readyz: false } }, "The API server of the cluster fails /livez."],
  ])("%j: %s", (spec, message) => {
    expect(factsOf(spec).health?.message).toBe(message);
  });
});

describe("factsOf: the credential of an agent", () => {
  const lost: MemberParts = { state: {}, status: { identity: { keys: ["sha256:1"] } } };
  it.each<[string, MemberParts, number, string]>([
    ["is none where nobody was let in", { state: {} }, 0, "Unknown NotIssued"],
    ["is being made", { state: memberStateOf(agent) }, 0, "Unknown Issuing"],
    ["is good until it ends", {}, dayMs - 1, "True Rotating"],
    ["has ended", {}, dayMs, "False Expired"],
    ["is revoked", { annotations: { "rollcall.dev/revoked": "-/operator/now" } }, 0, "False Revoked"],
    ["is of an identity that was lost", lost, 0, "False IdentityLost"],
    ["is of another agent than the file names", { spec: { clientID: "uid-2" } }, dayMs, "False ClientIDMismatch"],
    [
      "is none where no identity was ever known",
      { state: {}, status: { identity: { keys: [] } } },
      0,
      "Unknown NotIssued",
    ],
  ])("%s", (_what, parts, laterMs, expected) => {
    const { status, reason } = factsOf({}, parts, hubFacts({ nowMs: startMs + laterMs })).credentials;
    expect(`${status} ${reason}`).toBe(expected);
  });

  it("keeps the identity that was lost in sight, until a file declares one", () => {
    expect(factsOf(undefined, lost).status).toEqual({ identity: { keys: ["sha256:1"] } });
    expect(factsOf(undefined, { state: {} }).status).toEqual({});
  });

  it("is beside how the agent joined", () => {
    const { join } = state;
    if (join === undefined) throw new Error("no join");
    const byHub: MemberState = { ...state, join: { ...join, token: undefined, initiated: "hub" } };
    expect(factsOf(undefined, { state: byHub }).status.join).toEqual({ mode: "HubInitiated", time: join.time });
    expect(factsOf(undefined).status.join).toEqual({ token: "edge", mode: "AgentInitiated", time: join.time });
    const { join: _join, clientID: _id, credential: _credential, ...bare } = state;
    expect(factsOf(undefined, { state: bare }).status).toEqual({ identity: { keys: [agent.digest] } });
  });
});

describe("factsOf: whether an agent has joined", () => {
  it("is so from its first report with a credential on", () => {
    expect(factsOf({ credentialNumber: 1 }).hasJoined).toBe(true);
    expect(factsOf({ credentialNumber: 0 }).hasJoined).toBe(false);
    const { join: _join, ...unjoined } = state;
    expect(factsOf({ credentialNumber: 1 }, { state: unjoined }).hasJoined).toBe(false);
  });
});

describe("factsOf: the version of an agent", () => {
  const digestOf = (): string => memberManifest(memberOf("eu-1", { state }), hubFacts()).digest;

  it.each([
    ["0.1.0", "0.1.0", "UpToDate"],
    ["v0.1.0", "0.3.0", "UpToDate"],
    ["0.1.0", "v0.4.0", "VersionSkew"],
    ["0.9.0", "0.1.0", "UpToDate"],
    ["1.0.0", "0.1.0", "VersionSkew"],
    ["sha256:1", "9.9.9", "UpToDate"],
  ])("%s at a hub of %s: %s", (agentVersion, version, reason) => {
    const hub = hubFacts({ version });
    const appliedManifestDigest = memberManifest(memberOf("eu-1", { state }), hub).digest;
    expect(factsOf({ agentVersion, appliedManifestDigest }, {}, hub).agent.reason).toBe(reason);
  });

  it("is rolled back by the word of the agent, or as the hub remembers it, for this version alone", () => {
    expect(factsOf({ agentVersion: "0.0.9", refusedManifestDigest: digestOf() }).agent.reason).toBe("RolledBack");
    expect(factsOf({ agentVersion: "0.0.9" }, { state: { ...state, refusedVersion: "0.1.0" } }).agent.reason).toBe(
      "RolledBack",
    );
    expect(factsOf({ agentVersion: "0.0.9" }, { state: { ...state, refusedVersion: "0.2.0" } }).agent.reason).toBe(
      "Updating",
    );
  });

  it("has a text that can be shown", () => {
    const shown = factsOf({ agentVersion: `0.1\n\u001b[31m${"x".repeat(200)}` }).status.agent?.version ?? "";
    expect(shown).toMatch(/^0\.1\?\?\[31mx+$/u);
    expect(shown).toHaveLength(128);
  });
});

describe("factsOf: what an agent reports of its cluster", () => {
  const reported = (spec: object) => factsOf({ agentVersion: "1", ...spec }).status;

  it("is nothing before it reports its version", () => {
    expect(factsOf({ platform: "linux/amd64" }).status).not.toHaveProperty("platform");
  });

  it.each<[object, object | undefined]>([
    [
      { total: 3, ready: 2, notReady: 1, unknown: 0 },
      { total: 3, ready: 2, notReady: 1, unknown: 0 },
    ],
    [
      { total: 2 ** 31 - 1, ready: 0 },
      { total: 2 ** 31 - 1, ready: 0 },
    ],
    [{ total: 2 ** 31, ready: 0 }, undefined],
    [{ total: 1 }, undefined],
    [{ ready: 1 }, undefined],
    [{ total: 1, ready: -1 }, undefined],
    [{ total: 1, ready: 0.5 }, undefined],
    [
      { total: 1, ready: 1, notReady: -1, unknown: 1.5 },
      { total: 1, ready: 1 },
    ],
  ])("has nodes %j: %j", (nodes, expected) => {
    expect(reported({ nodes }).nodes).toEqual(expected);
  });

  it.each([
    ["https://10.0.0.1:6443", true],
    ["http://api", true],
    ["xhttps://api", false],
    ["https://api/?token=x", false],
    ["https://me@api", false],
    ["https://api/#x", false],
    ["https://a b", false],
    [`https://${"a".repeat(2001)}`, false],
  ])("has the address %s of its API server: %s", (url, isShown) => {
    expect(reported({ apiServer: { url } }).apiServer).toEqual(isShown ? { url } : undefined);
  });

  it("has amounts and properties of a form that can be shown, sixty-four of them", () => {
    const capacity = { cpu: 8, memory: "32Gi", odd: "1Gib", worse: "x1", flag: true };
    expect(reported({ resources: { capacity } }).resources).toEqual({ capacity: { cpu: "8", memory: "32Gi" } });
    const properties = { ok: "x".repeat(256), long: "x".repeat(257), "bad key": "x", ["k".repeat(254)]: "x" };
    expect(Object.keys(reported({ properties }).properties ?? {})).toEqual(["ok"]);
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, "x"]));
    expect(Object.keys(reported({ properties: many }).properties ?? {})).toHaveLength(64);
    expect(reported({ properties: {}, resources: {} })).toEqual(reported({}));
  });

  it("has the health that it reports, not more", () => {
    expect(reported({ health: { livez: true } }).health).toEqual({ livez: true, readyz: false });
    expect(reported({}).health).toBeUndefined();
  });
});
