import { describe, expect, it } from "vitest";
import { digestJson } from "../../../../../src/core/digest.ts";
import {
  credentialMoments,
  credentialsFacts,
  deliverToken,
  memberCredentialsDue,
  pendingInstall,
  usableCredentials,
} from "../../../../../src/join/kubefleet/hub/working-token.ts";
import { kubefleetAgentManifest } from "../../../../../src/join/kubefleet/manifests/agent-manifest.ts";
import type { CredentialDue } from "../../../../../src/join/join.ts";
import type { MemberInstall, MemberState } from "../../../../../src/model/member-state.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import {
  credentialSecret,
  hourMs,
  issued,
  kubefleetMemberOf,
  leave,
  objectsOf,
  revoked,
  time,
  withKubeconfig,
} from "../kubefleet-scene.ts";

const at = (laterMs: number) => hubFacts({ nowMs: startMs + laterMs });
const spec = withKubeconfig;
const objects = objectsOf({ spec });
const other = { kubefleet: { identity: { kind: "ServiceAccount", name: "other", namespace: workspace } } } as const;
const served = (parts: MemberParts = {}): Member =>
  kubefleetMemberOf({ spec, state: issued(2), children: [...objects, credentialSecret(2)], ...parts });

/** Members that the hub brings no token, whatever else is true of them. */
const unserved: readonly [string, Partial<MemberParts>][] = [
  ["without a kubeconfig", { spec: {} }],
  ["with an account of its file", { spec: { ...spec, ...other } }],
  ["that leaves", { annotations: leave }],
  ["that is revoked", { annotations: revoked }],
];

describe("memberCredentialsDue: the tokens of a KubeFleet agent", () => {
  const dueOf = (member: Member, laterMs = 0): string[] =>
    memberCredentialsDue(member, at(laterMs)).map(
      ({ how, reason }) => `${how.kind === "token-request" ? how.boundSecret?.metadata.name : how.kind}: ${reason}`,
    );

  it("are asked for of the member's own account, bound to a Secret under the next number", () => {
    expect(memberCredentialsDue(served({ state: undefined }), at(0))).toEqual([
      {
        purpose: "working",
        workspace,
        how: {
          kind: "token-request",
          account: "eu-1-hub-cluster-access",
          expirationSeconds: 86_400,
          boundSecret: {
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "rollcall-eu-1.1", namespace: workspace, labels: { "rollcall.dev/cluster": "eu-1" } },
            type: "Opaque",
          },
        },
        reason: "the agent has no token",
      },
    ]);
  });

  it("live two days where a sidecar brings them", () => {
    const member = served({ state: undefined, spec: { ...spec, kubefleet: { refreshTokenImage: "refresh:1" } } });
    expect(memberCredentialsDue(member, at(0))).toMatchObject([{ how: { expirationSeconds: 172_800 } }]);
  });

  it.each<[string, Member, number, readonly string[]]>([
    ["while the newest is young", served(), 12 * hourMs - 1, []],
    ["from half of its life on", served(), 12 * hourMs, ["rollcall-eu-1.3: the agent's token is to be renewed"]],
    [
      "once its Secret is deleted",
      served({ children: objects }),
      0,
      ["rollcall-eu-1.3: the agent's token is to be renewed"],
    ],
    [
      "under a number that no former member had",
      served({ state: { lastCredentialNumber: 7 } }),
      0,
      ["rollcall-eu-1.8: the agent has no token"],
    ],
    [
      "under a number above a lost count",
      served({ state: { ...issued(9), lastCredentialNumber: 3 }, children: objects }),
      0,
      ["rollcall-eu-1.10: the agent's token is to be renewed"],
    ],
  ])("are due %s", (_when, member, laterMs, expected) => {
    expect(dueOf(member, laterMs)).toEqual(expected);
  });

  it.each([...unserved, ["whose account is not there yet", { children: [] }] as const])(
    "are not due for a member %s",
    (_which, parts) => {
      expect(dueOf(served({ state: undefined, ...parts }))).toEqual([]);
    },
  );
});

describe("deliverToken: a KubeFleet token that was issued", () => {
  const deliver = (state: MemberState | undefined) => {
    const member = served({ state });
    const [due] = memberCredentialsDue(member, at(12 * hourMs));
    if (due === undefined) throw new Error("nothing is due");
    const expiresAt = time(36 * hourMs);
    return deliverToken(member, {
      due,
      token: "opaque",
      issuedAt: time(12 * hourMs),
      expiresAt,
      random: new Uint8Array(),
    });
  };

  it("waits in the Secret that it is bound to, and is remembered beside its predecessors", () => {
    const { objects: made, state } = deliver(issued(2, { liveCredentials: [1, 2], clientID: "kept" }));
    expect(made).toMatchObject([
      { metadata: { name: "rollcall-eu-1.3" }, data: { token: Buffer.from("opaque").toString("base64") } },
    ]);
    expect(state).toEqual({
      clientID: "kept",
      credential: { number: 3, issuedAt: time(12 * hourMs), expiresAt: time(36 * hourMs) },
      liveCredentials: [1, 2, 3],
      lastCredentialNumber: 3,
    });
  });

  it("is the first where nothing is remembered, and takes the place of the oldest of three", () => {
    expect(deliver(undefined).state).toMatchObject({ liveCredentials: [1], lastCredentialNumber: 1 });
    expect(deliver(issued(3, { liveCredentials: [1, 2, 3] })).state).toMatchObject({ liveCredentials: [2, 3, 4] });
  });

  it("is given to no agent where it is bound to no Secret: it could not be revoked", () => {
    const account = "eu-1-hub-cluster-access";
    const hows: readonly CredentialDue["how"][] = [
      { kind: "random" },
      { kind: "token-request", account, expirationSeconds: 86_400 },
    ];
    for (const how of hows) {
      const due = { purpose: "working", workspace, how, reason: "" };
      const made = { due, token: "opaque", issuedAt: time(0), random: new Uint8Array() };
      expect(deliverToken(served(), made)).toEqual({ objects: [], statusWrites: [] });
    }
  });
});

describe("usableCredentials: KubeFleet tokens that stay good", () => {
  const install: MemberInstall = {
    manifestDigest: "m",
    kubeconfigDigest: "k",
    redeployGeneration: 0,
    bootstrap: 2,
    time: time(0),
  };
  const both = issued(2, { liveCredentials: [1, 2] });
  const usable = (parts: MemberParts, laterMs: number): string[] =>
    usableCredentials(served(parts), at(laterMs)).map(({ name }) => name);
  const [first, second] = ["rollcall-eu-1.1", "rollcall-eu-1.2"];

  it("A8: are the newest alone, ten minutes after that was brought and not before", () => {
    const state = { ...both, install };
    expect(usable({ state }, 10 * 60_000 - 1)).toEqual([first, second]);
    expect(usable({ state }, 10 * 60_000)).toEqual([second]);
  });

  it("are all of them while the newest was not brought, or was never installed", () => {
    expect(usable({ state: { ...both, install: { ...install, bootstrap: 1 } } }, 23 * hourMs)).toEqual([first, second]);
    expect(usable({ state: both }, 23 * hourMs)).toEqual([first, second]);
  });

  it.each(unserved)("A8: are none for a member %s", (_which, parts) => {
    expect(usable({ state: both, ...parts }, 0)).toEqual([]);
    expect(credentialMoments(served({ state: both, ...parts }))).toEqual([]);
  });

  it("change when the newest is renewed, when it ends, and when its predecessors do", () => {
    const moments = (state: MemberState | undefined) => credentialMoments(served({ state })).map((ms) => ms - startMs);
    expect(moments({ ...both, install })).toEqual([12 * hourMs, 24 * hourMs, 10 * 60_000]);
    expect(moments(both)).toEqual([12 * hourMs, 24 * hourMs]);
    expect(moments(undefined)).toEqual([]);
    const sidecar = { ...spec, kubefleet: { refreshTokenImage: "refresh:1" } };
    expect(credentialMoments(served({ spec: sidecar, state: { ...both, install } })).at(-1)).toBe(
      startMs + 13 * hourMs,
    );
  });
});

describe("pendingInstall: when the hub installs KubeFleet's agent, or brings it a token", () => {
  const manifestDigest = digestJson(kubefleetAgentManifest(kubefleetMemberOf({ spec }), hubFacts()));
  const install: MemberInstall = {
    manifestDigest,
    kubeconfigDigest: "k",
    redeployGeneration: 0,
    bootstrap: 2,
    time: time(0),
  };
  const pending = (parts: MemberParts = {}) => pendingInstall(served(parts), at(0));
  const with2 = (changes: Partial<MemberInstall>): MemberState => issued(2, { install: { ...install, ...changes } });
  const bring = { number: 2, values: { token: "token 2" } };
  const paused = { ...spec, paused: true };

  it.each<[string, MemberParts, unknown]>([
    ["it was never installed", {}, bring],
    ["it is as it should be", { state: with2({}) }, undefined],
    ["its token is an older one", { state: with2({ bootstrap: 1 }) }, bring],
    ["its file asks for it", { state: with2({}), spec: { ...spec, agent: { redeployGeneration: 1 } } }, bring],
    ["it should be another one", { state: with2({ manifestDigest: "other" }) }, bring],
    ["it is paused, with the newest token", { state: with2({ manifestDigest: "other" }), spec: paused }, undefined],
    ["it is paused, with an older token", { state: with2({ bootstrap: 1 }), spec: paused }, bring],
    ["no token was issued", { state: {} }, undefined],
    ["its token is deleted", { children: objects }, undefined],
  ])("when %s", (_when, parts, expected) => {
    expect(pending(parts)).toEqual(expected);
  });

  it.each(unserved)("never for a member %s", (_which, parts) => {
    expect(pending(parts)).toBeUndefined();
  });

  it.each(["Namespace", "Role", "RoleBinding", "InternalMemberCluster"])(
    "not before its %s is there: an agent that is refused waits ever longer",
    (kind) => {
      const children = [...objects.filter((object) => object.kind !== kind), credentialSecret(2)];
      expect(pending({ children })).toBeUndefined();
    },
  );
});

describe("credentialsFacts: what is reported of a KubeFleet agent's credential", () => {
  it.each<[string, MemberParts, { readonly afterMs: number; readonly isInUse: boolean }, string]>([
    ["a revoked one", { annotations: revoked }, { afterMs: 0, isInUse: true }, "False Revoked"],
    ["an account of the file", { spec: { ...spec, ...other } }, { afterMs: 0, isInUse: false }, "True NotRotatable"],
    ["a token without an end, in use", { spec: {} }, { afterMs: 0, isInUse: true }, "True NotRotatable"],
    ["a token without an end, not in use", { spec: {} }, { afterMs: 0, isInUse: false }, "Unknown NotIssued"],
    ["none yet", { state: {} }, { afterMs: 0, isInUse: false }, "Unknown NotIssued"],
    ["a token that is good", {}, { afterMs: 24 * hourMs - 1, isInUse: true }, "True Valid"],
    ["a token that ended", {}, { afterMs: 24 * hourMs, isInUse: true }, "False Expired"],
  ])("of %s", (_what, parts, { afterMs, isInUse }, expected) => {
    const { status, reason } = credentialsFacts(served(parts), at(afterMs), isInUse);
    expect(`${status} ${reason}`).toBe(expected);
  });
});
