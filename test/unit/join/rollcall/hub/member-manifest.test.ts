import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../../../src/core/digest.ts";
import {
  agentProgress,
  imageOf,
  liveOffer,
  memberManifest,
  offeredManifest,
  offeredSince,
  versionOf,
} from "../../../../../src/join/rollcall/hub/member-manifest.ts";
import { desiredMemberObjects } from "../../../../../src/join/rollcall/hub/desired-objects.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { HubFacts, Member } from "../../../../../src/model/member.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";

const state = memberStateOf(makeAgent());
const report = (spec: object): KubeObject => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterReport",
  metadata: { name: "eu-1", namespace: workspace },
  spec,
});
const mapOf = (member: Member, hub: HubFacts): KubeObject => {
  const map = desiredMemberObjects(member, hub).find(({ kind }) => kind === "ConfigMap");
  if (map === undefined) throw new Error("no manifest");
  return map;
};
const hub = hubFacts();
const bare = memberOf("eu-1", { state });
const map = mapOf(bare, hub);
const applied = memberManifest(bare, hub).digest;
const newer = { agent: { version: "0.2.0" } };
const wanted = memberManifest(memberOf("eu-1", { state, spec: newer }), hub).digest;
const member = (parts: MemberParts = {}, said: object = {}): Member =>
  memberOf("eu-1", {
    state,
    spec: newer,
    ...parts,
    children: [map, report({ protocolVersion: 1, appliedManifestDigest: applied, ...said }), ...(parts.children ?? [])],
  });
const held = hubFacts({ agentHold: () => ({ reason: "WaitingForWave", message: "m" }) });

describe("imageOf and versionOf: the image of an agent", () => {
  it.each([
    ["registry/rollcall", "registry/rollcall:0.1.0"],
    ["registry:5000/rollcall", "registry:5000/rollcall:0.1.0"],
    ["registry/rollcall:9", "registry/rollcall:9"],
    ["registry/rollcall@sha256:0", "registry/rollcall@sha256:0"],
  ])("%s is %s", (image, full) => {
    expect(imageOf(image, "0.1.0")).toBe(full);
  });

  it.each([
    ["registry:5000/rollcall:0.1.0", "0.1.0"],
    ["registry/rollcall@sha256:0", "sha256:0"],
    ["registry:5000/rollcall", "rollcall"],
  ])("%s is version %s", (image, version) => {
    const deployment = { kind: "Deployment", spec: { template: { spec: { containers: [{ image }] } } } };
    expect(versionOf({ objects: [deployment as unknown as KubeObject], text: "", digest: "" })).toBe(version);
  });
});

describe("offeredManifest: what an agent is to apply", () => {
  it.each<[string, Member, HubFacts, string]>([
    ["is what is wanted", member(), hub, wanted],
    ["is what it runs while it has to wait", member(), held, applied],
    ["is what it runs while it is paused", member({ spec: { ...newer, paused: true } }), hub, applied],
    ["is what is wanted where it runs that already", member({}, { appliedManifestDigest: wanted }), held, wanted],
    ["is what is wanted where it has reported nothing", member({}, { appliedManifestDigest: undefined }), held, wanted],
    ["is what is wanted where a report names no protocol", member({}, { protocolVersion: undefined }), held, wanted],
  ])("%s", (_what, of, facts, digest) => {
    expect(offeredManifest(of, facts).digest).toBe(digest);
  });

  it("is rendered anew where a user edited it", () => {
    const edited = (changes: object): Member =>
      memberOf("eu-1", {
        state,
        spec: newer,
        children: [{ ...map, ...changes }, report({ protocolVersion: 1, appliedManifestDigest: applied })],
      });
    expect(offeredManifest(edited({ data: { manifest: "[]" } }), held).digest).toBe(wanted);
    expect(offeredManifest(edited({ data: {} }), held).digest).toBe(wanted);
    const noList = { ...map.metadata.annotations, "rollcall.dev/manifest-digest": `sha256:${sha256Hex("{}")}` };
    const emptied = { data: { manifest: "{}" }, metadata: { ...map.metadata, annotations: noList } };
    expect(offeredManifest(edited(emptied), held).digest).toBe(wanted);
    expect(offeredManifest(edited({ metadata: { ...map.metadata, annotations: {} } }), held).digest).toBe(wanted);
    expect(liveOffer(edited({}))?.digest).toBe(applied);
  });
});

describe("agentProgress: an agent that is another than the wanted one", () => {
  const standOf = (of: Member, facts = hub): string | undefined => agentProgress(of, facts)?.state;
  const next = mapOf(memberOf("eu-1", { state, spec: newer }), hub);
  const offered = (parts: MemberParts = {}): Member =>
    memberOf("eu-1", {
      state,
      spec: newer,
      ...parts,
      children: [next, report({ protocolVersion: 1, appliedManifestDigest: applied })],
    });

  it.each<[string, Member, string | undefined]>([
    ["waits", member(), "waiting"],
    ["changes once the wanted one is offered", offered(), "changing"],
    ["refused it", member({}, { refusedManifestDigest: wanted }), "refused"],
    ["refused another one", member({}, { refusedManifestDigest: "sha256:0" }), "waiting"],
    ["is as wanted", member({}, { appliedManifestDigest: wanted }), undefined],
    ["has reported nothing", member({}, { appliedManifestDigest: undefined }), undefined],
    ["is paused", member({ spec: { ...newer, paused: true } }), undefined],
    ["was not let in", member({ state: {} }), undefined],
    ["leaves", member({ annotations: { "rollcall.dev/leave": "c" } }), undefined],
    ["is revoked", member({ annotations: { "rollcall.dev/revoked": "-/operator/now" } }), undefined],
    ["becomes another", member({ annotations: { "rollcall.dev/moved-to": "other/eu-2" } }), undefined],
  ])("%s: %s", (_how, of, expected) => {
    expect(standOf(of)).toBe(expected);
  });

  it("is known by its cluster, the version and the time of the offer", () => {
    expect(agentProgress(offered(), hub)).toEqual({
      key: `${workspace}/eu-1`,
      version: "0.2.0",
      state: "changing",
      offeredAtMs: startMs,
    });
  });
});

describe("offeredSince: how long an agent has had an offer", () => {
  const live = liveOffer(memberOf("eu-1", { children: [map] }));
  if (live === undefined) throw new Error("no offer");
  const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();
  const since = (laterMs: number, said: object = { appliedManifestDigest: "sha256:0" }): string =>
    offeredSince({ ...live, offeredAt: time(laterMs) }, member({}, said), hub);

  it("is from the time that is written, unless the hub's clock was set back to more than a minute before it", () => {
    expect(since(60_000)).toBe(time(60_000));
    expect(Date.parse(since(60_001))).toBe(startMs);
    expect(since(60_001, {})).toBe(time(60_001));
    expect(Date.parse(offeredSince({ ...live, offeredAt: "" }, member({}, { appliedManifestDigest: "x" }), hub))).toBe(
      startMs,
    );
  });
});
