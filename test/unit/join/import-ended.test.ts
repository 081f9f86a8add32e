import { describe, expect, it } from "vitest";
import { digestJson } from "../../../src/core/digest.ts";
import { clusternetProtocol } from "../../../src/join/clusternet/hub/clusternet-protocol.ts";
import { fleetProtocol } from "../../../src/join/fleet/hub/fleet-protocol.ts";
import type { JoinProtocol } from "../../../src/join/join.ts";
import { clusternetImportLifeMs, tokenAccountName } from "../../../src/model/dialects/clusternet.ts";
import { fleetImportLifeMs, importTokenName } from "../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Member } from "../../../src/model/member.ts";
import { hubFacts, memberOf, startMs, workspace } from "./hub-scene.ts";

const minuteMs = 60_000;

describe.each([
  { protocol: fleetProtocol, lifeMs: fleetImportLifeMs, secret: `${importTokenName("eu-1")}-token` },
  { protocol: clusternetProtocol, lifeMs: clusternetImportLifeMs, secret: `${tokenAccountName("eu-1")}-token` },
])("an agent of $protocol.name whose credential ended before it joined", ({ protocol, lifeMs, secret }) => {
  const hubAt = (sinceMs: number) => hubFacts({ nowMs: startMs + sinceMs });
  const tokenOf = (madeMs: number): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secret, namespace: workspace, creationTimestamp: new Date(startMs + madeMs).toISOString() },
    data: { token: Buffer.from("t").toString("base64") },
  });
  function installed(children: readonly KubeObject[], spec: object = {}): Member {
    const declared = { protocol: protocol.name, kubeConfigSecretRef: { name: "k" }, ...spec };
    const manifestDigest = digestJson(protocol.agentManifest(memberOf("eu-1", { spec: declared }), hubFacts()));
    const time = new Date(startMs).toISOString();
    const install = { manifestDigest, kubeconfigDigest: "k", redeployGeneration: 0, bootstrap: 1, time };
    return memberOf("eu-1", { spec: declared, state: { install }, children });
  }
  const wantsToken = (of: JoinProtocol, member: Member, sinceMs: number): boolean =>
    of.desiredObjects(member, hubAt(sinceMs)).some(({ metadata }) => metadata.name === secret);

  it("is installed again, with another credential once the former one is deleted", () => {
    const former = installed([tokenOf(-minuteMs)]);
    expect(wantsToken(protocol, former, lifeMs - minuteMs)).toBe(true);
    expect(protocol.pendingBootstrap(former, hubAt(lifeMs - minuteMs))).toBeUndefined();
    expect(wantsToken(protocol, former, lifeMs)).toBe(false);
    expect(protocol.pendingBootstrap(former, hubAt(lifeMs))).toBeUndefined();
    const gone = installed([]);
    expect(wantsToken(protocol, gone, lifeMs)).toBe(true);
    const renewed = installed([tokenOf(lifeMs)]);
    expect(wantsToken(protocol, renewed, lifeMs + minuteMs)).toBe(true);
    expect(protocol.pendingBootstrap(renewed, hubAt(lifeMs + minuteMs))).toMatchObject({ number: 2 });
  });

  it("is not installed again while it is paused", () => {
    const paused = installed([], { paused: true });
    expect(wantsToken(protocol, paused, lifeMs + minuteMs)).toBe(false);
    expect(protocol.pendingBootstrap(paused, hubAt(lifeMs + minuteMs))).toBeUndefined();
  });

  it("starts anew with the other credential: a Pod that runs keeps the one that it started with", () => {
    const templateOf = (token: string): unknown => {
      const manifest = protocol.agentManifest(installed([]), hubFacts(), { token, regToken: token });
      return manifest.find(({ kind }) => kind === "Deployment")?.["spec"];
    };
    expect(templateOf("first")).toEqual(templateOf("first"));
    expect(templateOf("first")).not.toEqual(templateOf("second"));
  });
});
