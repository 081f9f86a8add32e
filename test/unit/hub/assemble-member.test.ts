import { describe, expect, it } from "vitest";
import type { MemberParts } from "../../../src/hub/assemble-member.ts";
import { assembleMember } from "../../../src/hub/assemble-member.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { describeRef, refOf } from "../../../src/model/kubernetes.ts";
import type { MemberState } from "../../../src/model/member-state.ts";
import { resourceTypeOf, resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { clusterOf, coreObject } from "./objects.ts";

const registration = { ...coreObject("ClusterRegistration", "r"), apiVersion: "rollcall.dev/v1alpha1" };
const join = { registration: "r", time: "2027-01-15T08:00:00Z", initiated: "agent" as const };

/** Cluster eu-1 of workspace "fleet" on a hub with these objects. Those with a label are its children. */
function assemble(objects: readonly KubeObject[], state?: MemberState) {
  const held = new Map(
    objects.flatMap((object) => {
      const type = resourceTypeOf(object);
      return type === undefined ? [] : [[describeRef(refOf(type, object)), object] as const];
    }),
  );
  const parts: MemberParts = {
    get: (ref) => held.get(describeRef(ref)),
    childrenOf: (label, _workspace, name) => objects.filter(({ metadata }) => metadata.labels?.[label] === name),
    memberStateOf: () => state,
  };
  return assembleMember(
    parts,
    {
      namedSecretsOf: (_protocol, { spec }) => (spec?.protocol === "fleet" ? ["named"] : []),
      registrationTypeOf: (protocol) => (protocol === "kubefleet" ? undefined : resourceTypes.clusterRegistration),
    },
    { workspace: "fleet", name: "eu-1" },
  );
}

describe("assembleMember", () => {
  it.each([
    { reason: "the registration that it joined by", state: { join }, spec: {}, expected: ["r"] },
    { reason: "no registration before it joined", state: {}, spec: {}, expected: [] },
    {
      reason: "none of a protocol without registrations",
      state: { join },
      spec: { protocol: "kubefleet" as const },
      expected: [],
    },
    {
      reason: "those of its former protocol while it leaves that",
      state: {
        join,
        formerProtocol: { spec: { protocol: "kubefleet" as const }, leave: { commit: "c", since: join.time } },
      },
      spec: {},
      expected: [],
    },
    {
      reason: "the Secrets that its protocol names",
      state: {},
      spec: { protocol: "fleet" as const },
      expected: ["named"],
    },
  ])("has among its objects $reason", ({ state, spec, expected }) => {
    const member = assemble([clusterOf("eu-1", { spec }), registration, coreObject("Secret", "named")], state);
    expect(member?.children.map(({ metadata }) => metadata.name)).toEqual(expected);
  });

  it("has each of its objects once, and the Secret of its kubeconfig beside them", () => {
    const labels = { [labelKeys.cluster]: "eu-1" };
    const cluster = clusterOf("eu-1", { spec: { kubeConfigSecretRef: { name: "k" } } });
    const child = { ...registration, metadata: { ...registration.metadata, labels } };
    expect(assemble([cluster, child], { join })?.kubeconfigSecret).toBeUndefined();
    const { children, kubeconfigSecret } = assemble([cluster, child, coreObject("Secret", "k")], { join }) ?? {};
    expect(children?.map(({ kind }) => kind)).toEqual(["ClusterRegistration"]);
    expect(kubeconfigSecret?.metadata.name).toBe("k");
  });

  it("is undefined without a Cluster", () => {
    expect(assemble([registration], { join })).toBeUndefined();
  });
});
