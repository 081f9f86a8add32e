import { describe, expect, it } from "vitest";
import {
  childByRef,
  filledToken,
  hasImportEnded,
  isHubInitiated,
  isLeaving,
  isRevoked,
  refOfChild,
  refsWhereInstalled,
} from "../../../src/join/member-state.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { memberOf, startMs, workspace } from "./hub-scene.ts";
import type { MemberParts } from "./hub-scene.ts";

const object = (kind: string, name: string, namespace?: string, apiVersion = "v1"): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
const time = (laterMs: number): string => new Date(startMs + laterMs).toISOString();

describe("childByRef: an object of a member", () => {
  const ref = { type: resourceTypes.secret, namespace: workspace, name: "a" };
  const own = object("Secret", "a", workspace);

  it.each<[string, KubeObject]>([
    ["of another name", object("Secret", "b", workspace)],
    ["of another namespace", object("Secret", "a", "other")],
    ["without a namespace", object("Secret", "a")],
    ["of another kind", object("ConfigMap", "a", workspace)],
    ["of another group", object("Secret", "a", workspace, "example.com/v1")],
  ])("is none %s", (_what, child) => {
    expect(childByRef({ children: [child] }, ref)).toBeUndefined();
    expect(childByRef({ children: [child, own] }, ref)).toBe(own);
  });

  it("is found without a namespace where its kind has none", () => {
    const namespace = object("Namespace", "a");
    expect(childByRef({ children: [namespace] }, { type: resourceTypes.namespace, name: "a" })).toBe(namespace);
  });

  it("is named only where its kind is known", () => {
    expect(refOfChild(own)).toEqual([ref]);
    expect(refOfChild(object("Other", "a", workspace))).toEqual([]);
  });
});

describe("filledToken: a token that the API server made", () => {
  const secret = (data: object, namespace = workspace): KubeObject => ({ ...object("Secret", "a", namespace), data });
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  it.each<[string, readonly KubeObject[], string | undefined]>([
    ["is there", [secret({ token: encode("opaque") })], "opaque"],
    ["is empty", [secret({ token: "" })], undefined],
    ["is not there yet", [secret({})], undefined],
    ["is in another namespace", [secret({ token: encode("opaque") }, "other")], undefined],
    ["is in no Secret", [], undefined],
  ])("%s", (_what, children, expected) => {
    expect(filledToken(memberOf("eu-1", { children }), "a")).toBe(expected);
  });
});

describe("hasImportEnded: the account by which an agent was installed", () => {
  const lifeMs = 10_000;
  const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: time(0) };
  const secret = (madeMs: number): KubeObject => ({
    ...object("Secret", "a-token"),
    metadata: { name: "a-token", namespace: workspace, creationTimestamp: time(madeMs) },
  });
  const hasEnded = (laterMs: number, parts: MemberParts): boolean =>
    hasImportEnded(memberOf("eu-1", parts), { nowMs: startMs + laterMs, lifeMs, account: "a" });

  it.each<[string, number, MemberParts, boolean]>([
    ["has ended after its life", lifeMs, { state: { install } }, true],
    ["has not ended before", lifeMs - 1, { state: { install } }, false],
    ["has not ended while its token is there", lifeMs, { state: { install }, children: [secret(0)] }, false],
    [
      "has not ended while a token of half a life later is there",
      lifeMs,
      { state: { install }, children: [secret(lifeMs / 2)] },
      false,
    ],
    ["has ended where a later one is there", lifeMs, { state: { install }, children: [secret(lifeMs / 2 + 1)] }, true],
    ["has not ended where nothing was installed", lifeMs, {}, false],
    ["has not ended where the time cannot be read", lifeMs, { state: { install: { ...install, time: "" } } }, false],
  ])("%s", (...[, laterMs, parts, expected]) => {
    expect(hasEnded(laterMs, parts)).toBe(expected);
  });
});

describe("what is true of a member", () => {
  const member = memberOf("eu-1");
  it("is whether it leaves: by its annotation, or because its Cluster is being deleted", () => {
    const deleted = {
      ...member,
      cluster: { ...member.cluster, metadata: { ...member.cluster.metadata, deletionTimestamp: time(0) } },
    };
    expect([isLeaving(member), isLeaving(deleted)]).toEqual([false, true]);
    expect(isLeaving(memberOf("eu-1", { annotations: { "rollcall.dev/leave": "" } }))).toBe(true);
  });

  it("is whether it is revoked, and whether the hub installs its agent", () => {
    expect([isRevoked(member), isRevoked(memberOf("eu-1", { annotations: { "rollcall.dev/revoked": "" } }))]).toEqual([
      false,
      true,
    ]);
    expect(isHubInitiated(member)).toBe(false);
    expect(isHubInitiated(memberOf("eu-1", { spec: { kubeConfigSecretRef: { name: "k" } } }))).toBe(true);
  });
});

describe("refsWhereInstalled: where an agent is removed", () => {
  const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 0, time: time(0) };
  const removedFrom = (installed: string | undefined, declared: string): unknown =>
    refsWhereInstalled(
      memberOf("eu-1", {
        spec: { agent: { namespace: declared } },
        state: { install: installed === undefined ? install : { ...install, namespace: installed } },
      }),
      ({ cluster }) => [{ type: resourceTypes.secret, namespace: cluster.spec?.agent?.namespace ?? "", name: "a" }],
    ).map(({ namespace }) => namespace);

  it("is where it was installed first, then where it is declared, each once", () => {
    expect(removedFrom("old", "new")).toEqual(["old", "new"]);
    expect(removedFrom("new", "new")).toEqual(["new"]);
    expect(removedFrom(undefined, "new")).toEqual(["new"]);
  });
});
