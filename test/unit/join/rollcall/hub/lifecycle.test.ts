import { describe, expect, it } from "vitest";
import { valueAt } from "../../../../../src/core/read-json.ts";
import { desiredMemberObjects } from "../../../../../src/join/rollcall/hub/desired-objects.ts";
import { lifecycle } from "../../../../../src/join/rollcall/hub/lifecycle.ts";
import { memberManifest } from "../../../../../src/join/rollcall/hub/member-manifest.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";

const hub = hubFacts();
const state = memberStateOf(makeAgent());
const digestKey = "rollcall.dev/manifest-digest";
const applied = memberManifest(memberOf("eu-1", { state }), hub).digest;
const newer = { agent: { version: "0.2.0" } };
const wanted = memberManifest(memberOf("eu-1", { state, spec: newer }), hub).digest;
const held = hubFacts({ agentHold: () => ({ reason: "WaitingForWave", message: "m" }) });
const offered = desiredMemberObjects(memberOf("eu-1", { state }), hub);

/** A member whose agent runs the version before and has to wait for its wave. */
function waiting(parts: MemberParts = {}): Member {
  const report = {
    ...{ apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterReport", metadata: { name: "eu-1", namespace: workspace } },
    spec: { protocolVersion: 1, appliedManifestDigest: applied },
  };
  return memberOf("eu-1", { state, spec: newer, children: [...offered.filter(isMap), report], ...parts });
}

function isMap({ kind }: KubeObject): boolean {
  return kind === "ConfigMap";
}

function installedDigest(member: Member): unknown {
  const deployment = lifecycle.agentManifest(member, held).find(({ kind }) => kind === "Deployment");
  return deployment?.metadata.annotations?.[digestKey];
}

describe("the objects of a member's agent", () => {
  const values = {
    hub: { url: "https://hub.example.com", caBundle: "", id: hub.hubId },
    workspace,
    token: { name: "edge", credential: "opaque", proofKey: Buffer.alloc(32, 7).toString("base64") },
  };
  const secrets = (bootstrap?: Record<string, unknown>): string[] =>
    lifecycle
      .agentManifest(memberOf("eu-1"), hub, bootstrap)
      .filter(({ kind }) => kind === "Secret")
      .map(({ metadata }) => metadata.name);

  it("have the values to join by where there are usable ones", () => {
    expect(secrets(values)).toEqual([...secrets(), "rollcall-agent-values"]);
    expect(secrets({ ...values, workspace: "" })).toEqual(secrets());
  });

  it("are those of the wanted version", () => {
    expect(installedDigest(waiting())).toBe(wanted);
  });

  it("are those that were there, where a lost agent is installed again", () => {
    expect(installedDigest(waiting({ state: { ...state, rejoin: "AgentLost" } }))).toBe(applied);
  });
});

describe("the objects of a member on the hub", () => {
  const namesOf = (objects: readonly KubeObject[]): string[] =>
    objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

  it("are the account to join by, where the hub is to install the agent", () => {
    const spec = { kubeConfigSecretRef: { name: "k" } };
    expect(namesOf(desiredMemberObjects(memberOf("eu-1", { spec }), hub))).toEqual([
      "ServiceAccount rollcall-eu-1.bootstrap",
      "Role rollcall-eu-1.bootstrap",
      "RoleBinding rollcall-eu-1.bootstrap",
    ]);
    expect(desiredMemberObjects(memberOf("eu-1"), hub)).toEqual([]);
  });

  it("are its report and lease alone once it was revoked", () => {
    const annotations = { "rollcall.dev/revoked": "-/operator/now" };
    expect(namesOf(desiredMemberObjects(memberOf("eu-1", { state, annotations }), hub))).toEqual([
      "ClusterReport eu-1",
      "Lease rollcall-eu-1",
    ]);
  });

  it("keep the inputs of the manifest that is offered until another one is", () => {
    const inputsOf = (member: Member, facts = hub): unknown =>
      valueAt(desiredMemberObjects(member, facts).find(isMap), "metadata", "annotations", "rollcall.dev/agent-inputs");
    const before = valueAt(offered.find(isMap), "metadata", "annotations", "rollcall.dev/agent-inputs");
    expect(inputsOf(waiting(), held)).toBe(before);
    expect(inputsOf(waiting())).not.toBe(before);
  });

  it("name other inputs where they make the same manifest", () => {
    const same = memberOf("eu-1", {
      state,
      spec: { agent: { version: hub.version } },
      children: offered.filter(isMap),
    });
    const map = desiredMemberObjects(same, hub).find(isMap);
    const annotations = map?.metadata.annotations ?? {};
    expect(annotations[digestKey]).toBe(applied);
    expect(annotations["rollcall.dev/agent-inputs"]).not.toBe(
      offered.find(isMap)?.metadata.annotations?.["rollcall.dev/agent-inputs"],
    );
  });
});
