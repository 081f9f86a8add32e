import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  deliverTokenValues,
  desiredTokenObjects,
  fleetTokenStatuses,
  tokenCredentialsDue,
} from "../../../../src/join/fleet/hub/desired-token-objects.ts";
import { fleetProtocol } from "../../../../src/join/fleet/hub/fleet-protocol.ts";
import { digestJson } from "../../../../src/core/digest.ts";
import { textAt } from "../../../../src/core/read-json.ts";
import type { ClusterRegistrationToken } from "../../../../src/model/generated/cluster-registration-token.ts";
import type { TokenSubject } from "../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../hub-scene.ts";
import { accountOf, fleetMemberOf, fleetTokenOf } from "./fleet-scene.ts";
import { indexMembers } from "../../../../src/planning/member-index.ts";

const account = accountOf("edge");
const at = (laterMs: number) => hubFacts({ nowMs: startMs + laterMs });
const kindsOf = (subject: TokenSubject, hub = hubFacts()): string[] =>
  desiredTokenObjects(subject, hub).map(({ kind, metadata }) => `${kind} ${metadata.name}`);

function credential(subject: TokenSubject, token: string, hub = hubFacts()) {
  const [due] = tokenCredentialsDue(subject, hub);
  if (due === undefined) throw new Error("nothing is due");
  return deliverTokenValues(subject, { due, token, issuedAt: "", random: new Uint8Array() }, hub).objects;
}

describe("desiredTokenObjects: a Fleet token", () => {
  it("is Fleet's own object until that has its uid, then the account that is named by it, with its rights", () => {
    expect(kindsOf({ ...fleetTokenOf("edge"), children: [] })).toEqual(["ClusterRegistrationToken edge"]);
    expect(kindsOf(fleetTokenOf("edge"))).toEqual([
      "ClusterRegistrationToken edge",
      `ServiceAccount ${account}`,
      `Secret ${account}-token`,
      `Role ${account}-role`,
      `RoleBinding ${account}-to-role`,
    ]);
  });

  it("may make registrations and nothing else", () => {
    const role = desiredTokenObjects(fleetTokenOf("edge"), hubFacts()).find(({ kind }) => kind === "Role");
    expect(role?.["rules"]).toEqual([
      { apiGroups: ["fleet.cattle.io"], resources: ["clusterregistrations"], verbs: ["create"] },
    ]);
  });

  it.each<[ClusterRegistrationToken["spec"], unknown, string]>([
    [{ fleet: { ttl: "5m" } }, { ttl: "5m" }, "Fleet has no least time"],
    [{ ttl: "240h" }, { ttl: "240h" }, "our own"],
    [{ fleet: { ttl: "0" } }, undefined, "0 does not end; with it Fleet would show an expiry"],
    [{ fleet: { ttl: "0s" } }, undefined, "nor does 0s"],
    [{}, undefined, "nor does none"],
  ])("%j: %j (%s)", (spec, expected, _reason) => {
    const [object] = desiredTokenObjects(fleetTokenOf("edge", spec), hubFacts());
    expect(object?.["spec"]).toEqual(expected);
  });

  it("takes everything with it at its end, the values too", () => {
    const token = fleetTokenOf("edge", { fleet: { ttl: "5m" } });
    expect(kindsOf(token, at(299_999))).toHaveLength(5);
    expect(kindsOf(token, at(300_000))).toEqual([]);
    const subject = { kind: "token", subject: token } as const;
    expect(fleetProtocol.keptObjects(subject, at(299_999))).toMatchObject([{ name: "edge", namespace: workspace }]);
    expect(fleetProtocol.keptObjects(subject, at(300_000))).toEqual([]);
    expect(tokenCredentialsDue(token, at(300_000))).toEqual([]);
  });

  it("is requeued at its end, and not for ever after", () => {
    const subject = { kind: "token", subject: fleetTokenOf("edge", { fleet: { ttl: "10m" } }) } as const;
    expect(fleetProtocol.dueAtMs(subject, at(0))).toBe(startMs + 540_000);
    expect(fleetProtocol.dueAtMs(subject, at(540_000))).toBe(startMs + 600_000);
    expect(fleetProtocol.dueAtMs(subject, at(600_000))).toBeUndefined();
    expect(fleetProtocol.dueAtMs({ kind: "token", subject: fleetTokenOf("edge") }, at(0))).toBeUndefined();
  });
});

describe("deliverTokenValues: a Fleet token's values", () => {
  it("are one key of YAML with every key that Fleet's chart reads", () => {
    const [secret] = credential(fleetTokenOf("edge"), "opaque");
    expect(secret).toMatchObject({ metadata: { name: "edge" }, type: "fleet.cattle.io/cluster-registration-values" });
    const text = Buffer.from(textAt(secret, "data", "values") ?? "", "base64").toString("utf8");
    expect(parse(text)).toEqual({
      clusterNamespace: workspace,
      apiServerURL: "https://hub.example.com:6443",
      apiServerCA: "ca",
      token: "opaque",
      systemRegistrationNamespace: "cattle-fleet-clusters-system",
      tokenName: "edge",
      // What its chart makes of this is how agents of 0.15 name the token by which they ask.
      labels: { "rollcall.dev/token": "edge" },
    });
  });

  it("keep a CA of many lines as it is", () => {
    const hub = hubFacts({ endpoint: { url: "https://hub", caBundle: 'A\nB: "c"\n' } });
    const [secret] = credential(fleetTokenOf("edge"), "opaque", hub);
    const text = Buffer.from(textAt(secret, "data", "values") ?? "", "base64").toString("utf8");
    expect(textAt(parse(text), "apiServerCA")).toBe('A\nB: "c"\n');
  });

  it("are made again for another address of the hub, and only then", () => {
    const [secret] = credential(fleetTokenOf("edge"), "opaque");
    const filled = fleetTokenOf("edge", {}, secret === undefined ? [] : [secret]);
    expect(tokenCredentialsDue(filled, hubFacts())).toEqual([]);
    const moved = hubFacts({ endpoint: { url: "https://other", caBundle: "ca" } });
    expect(tokenCredentialsDue(filled, moved)).toHaveLength(1);
  });
});

describe("tokenStatuses: a Fleet token", () => {
  const statusOf = (subject: TokenSubject, hub = hubFacts()): unknown =>
    fleetTokenStatuses(subject, indexMembers([]), hub).find(({ ref }) => ref.type.group === "fleet.cattle.io")?.status;

  it("names the Secret as soon as the values are there, and its end only if it has one", () => {
    const [secret] = credential(fleetTokenOf("edge"), "opaque");
    const children = secret === undefined ? [] : [secret];
    expect(statusOf(fleetTokenOf("edge"))).toBeUndefined();
    expect(statusOf(fleetTokenOf("edge", {}, children))).toEqual({ secretName: "edge" });
    expect(statusOf(fleetTokenOf("edge", { fleet: { ttl: "0" } }, children))).toEqual({ secretName: "edge" });
    expect(statusOf(fleetTokenOf("edge", { fleet: { ttl: "1h" } }, children))).toEqual({
      secretName: "edge",
      expires: "2027-01-15T09:00:00Z",
    });
  });
});

describe("the account that the hub installs an agent with", () => {
  const hourMs = 3600_000;
  const installed = fleetMemberOf("eu-1", { spec: { kubeConfigSecretRef: { name: "eu-1-kubeconfig" } } });
  const install = {
    bootstrap: 1,
    redeployGeneration: 0,
    kubeconfigDigest: "sha256:1",
    time: new Date(startMs).toISOString(),
  };
  const tokenSecret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "import-token-eu-1-token",
      namespace: workspace,
      creationTimestamp: new Date(startMs - 1000).toISOString(),
    },
  };
  const member: typeof installed = {
    ...installed,
    children: [tokenSecret],
    state: { install: { ...install, manifestDigest: digestJson(fleetProtocol.agentManifest(installed, at(0))) } },
  };
  const hasAccount = (ms: number): boolean =>
    fleetProtocol.desiredObjects(member, at(ms)).some(({ metadata }) => metadata.name === "import-token-eu-1");

  it("ends after twelve hours, although its agent never asked and nothing else happens", () => {
    const subject = { kind: "member", member } as const;
    expect(hasAccount(12 * hourMs - 1)).toBe(true);
    expect(fleetProtocol.dueAtMs(subject, at(0))).toBe(startMs + 12 * hourMs);
    expect(hasAccount(12 * hourMs)).toBe(false);
    expect(fleetProtocol.dueAtMs(subject, at(12 * hourMs))).toBeUndefined();
  });
});
