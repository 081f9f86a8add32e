import { describe, expect, it } from "vitest";
import type { CredentialDue, JoinProtocol } from "../../../../src/join/join.ts";
import { rollcallProtocol } from "../../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { refOf } from "../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../src/model/member.ts";
import { memberStateObject } from "../../../../src/model/member-state.ts";
import type { PlannedChange } from "../../../../src/model/plan.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { applied, create, declared, namespace, rehearse } from "./rehearsal-scene.ts";

const due: CredentialDue = { purpose: "working", workspace: "fleet", how: { kind: "random" }, reason: "test" };
const onHub = { uid: "u", resourceVersion: "1", ...applied };
const cluster = declared("Cluster", {}, onHub);
const state = memberStateObject("fleet", "eu-1", { origin: { isDeclared: true, spec: { protocol: "rollcall" } } });
const change = create(declared("Cluster", {}, { annotations: { "example.com/changed": "" } }), "update");
const none = { creates: [], updates: [], deletes: [], credentials: [], steps: [] };

function childOf(name: string, data: object = {}): KubeObject {
  const metadata = { name, namespace: "fleet", labels: { "rollcall.dev/cluster": "eu-1" } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

/** The names of the objects that a member has. */
const namesOf = ({ children }: Member): Set<string> => new Set(children.map(({ metadata }) => metadata.name));
const [a, b] = [childOf("a"), childOf("b")];

describe("the work that rehearseChanges finds", () => {
  it.each<{
    reason: string;
    /** What the protocol wants after the change; before, it wants object a. */
    desired: (member: Member) => KubeObject[];
    changes?: Partial<JoinProtocol>;
    work: object | undefined;
  }>([
    { reason: "nothing", desired: () => [a], work: undefined },
    { reason: "one object more", desired: () => [a, b], work: { creates: ["ConfigMap/fleet/b"] } },
    { reason: "another content", desired: () => [childOf("a", { x: "1" })], work: { updates: ["ConfigMap/fleet/a"] } },
    { reason: "one object less", desired: () => [], work: { deletes: ["ConfigMap/fleet/a"] } },
    {
      reason: "one object in place of another",
      desired: () => [b],
      work: { creates: ["ConfigMap/fleet/b"], deletes: ["ConfigMap/fleet/a"] },
    },
    {
      reason: "an object that is created and then changed",
      desired: (member) => [a, childOf("b", namesOf(member).has("b") ? { x: "1" } : {})],
      work: { creates: ["ConfigMap/fleet/b"] },
    },
    {
      reason: "an object that is changed and then deleted",
      desired: (member) =>
        namesOf(member).has("b") ? [b] : [childOf("a", { x: "1" }), ...(hasValue(member) ? [b] : [])],
      work: { creates: ["ConfigMap/fleet/b"], deletes: ["ConfigMap/fleet/a"] },
    },
    {
      reason: "nothing of an object that is only there in between",
      desired: (member) =>
        namesOf(member).has("c") ? [a, childOf("c")] : [a, b, ...(namesOf(member).has("b") ? [childOf("c")] : [])],
      work: { creates: ["ConfigMap/fleet/c"] },
    },
    {
      reason: "a credential with its object",
      desired: (member) => (namesOf(member).has("b") ? [a, b] : [a]),
      changes: {
        credentialsDue: (subject) =>
          subject.kind === "member" && isChanged(subject.member) && !namesOf(subject.member).has("b") ? [due] : [],
        deliver: () => Promise.resolve({ objects: [b], statusWrites: [] }),
      },
      work: { creates: ["ConfigMap/fleet/b"], credentials: ["working"] },
    },
  ])("is $reason", async ({ desired, changes, work }) => {
    const protocol: JoinProtocol = {
      ...rollcallProtocol,
      credentialsDue: () => [],
      ...changes,
      desiredObjects: (member) => (isChanged(member) ? desired(member) : [a]),
    };
    const found = await rehearse([change], {
      objects: [namespace, cluster, state, a],
      protocols: new Map([["rollcall", protocol]]),
    });
    const expected = work === undefined ? [] : [{ name: "Cluster/fleet/eu-1", ...none, ...work }];
    expect(found).toEqual({ work: expected, notes: [] });
  });

  it("names each step of an offboarding once, also when it fails and is tried again", async () => {
    const step = { kind: "delete" as const, purpose: "objects", refs: [refOf(resourceTypes.configMap, a)] };
    const protocol: JoinProtocol = {
      ...rollcallProtocol,
      desiredObjects: () => [a],
      offboardingSteps: () => [step],
      whatStaysDownstream: () => {
        throw new Error("it is broken");
      },
    };
    const ref = refOf(resourceTypes.cluster, cluster);
    const leave: PlannedChange = { kind: "leave", ref, commit: "abc", uid: "u", resourceVersion: "1", reason: "test" };
    const { work, notes } = await rehearse([leave], {
      objects: [namespace, cluster, state, a],
      protocols: new Map([["rollcall", protocol]]),
    });
    expect(work[0]?.steps).toEqual(["delete objects (objects)"]);
    expect(work[0]?.deletes).toContain("ConfigMap/fleet/a");
    expect(notes).toEqual(["What the hub does for Cluster/fleet/eu-1 is not known: it is broken."]);
  });

  it("is not known for a change that the hub does not take", async () => {
    const ref = refOf(resourceTypes.cluster, cluster);
    const leave: PlannedChange = { kind: "leave", ref, commit: "abc", uid: "u", resourceVersion: "1", reason: "test" };
    const { work, notes } = await rehearse([leave]);
    expect(work).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(/^What follows from Cluster\/fleet\/eu-1 is not known: .+\.$/u)]);
  });

  it("has no note about the old name of a cluster whose agent has not joined", async () => {
    const ref = refOf(resourceTypes.cluster, cluster);
    const rename: PlannedChange = {
      ...create(declared("Cluster", { previousName: "eu-1" }, { name: "eu-2" })),
      ...{
        former: { ref, uid: "u", resourceVersion: "1", patchAnnotations: { "rollcall.dev/moved-to": "fleet/eu-2" } },
      },
    };
    const { work, notes } = await rehearse([rename], { objects: [namespace, cluster, state] });
    expect(work[0]?.deletes).toContain("Cluster/fleet/eu-1");
    expect(notes).toEqual([]);
  });

  it.each([
    { isServingKnown: true, note: /^The daemon serves no agents of protocol fleet: it does nothing for ClusterR/u },
    {
      isServingKnown: false,
      note: /^Whether the daemon serves agents of protocol fleet .* for ClusterR.*, is not known/u,
    },
  ])(
    "is nothing for a token whose protocol is not served (known: $isServingKnown)",
    async ({ isServingKnown, note }) => {
      const token = create(declared("ClusterRegistrationToken", { protocol: "fleet" }));
      const { work, notes } = await rehearse([token], { isServingKnown });
      expect({ work, notes }).toEqual({ work: [], notes: [expect.stringMatching(note)] });
    },
  );
});

describe("other work of the process, while changes are rehearsed", () => {
  const changes = ["eu-1", "eu-2"].map((name) => create(declared("Cluster", {}, { name })));

  it("runs before each change is rehearsed: on the hub as it is, and twice after the changes", async () => {
    let pauses = 0;
    await rehearse(changes, { pause: async () => void (pauses += 1) });
    expect(pauses).toBe(6);
  });

  it("may stop the rehearsal", async () => {
    const stopping = new AbortController();
    const pause = async (): Promise<void> => stopping.abort(new Error("stopped by the test"));
    await expect(rehearse(changes, { pause, signal: stopping.signal })).rejects.toThrow("stopped by the test");
  });
});

function isChanged({ cluster: { metadata } }: Member): boolean {
  return metadata.annotations?.["example.com/changed"] !== undefined;
}

/** Whether object a has its later content. */
function hasValue({ children }: Member): boolean {
  return children.some(({ metadata, data }) => metadata.name === "a" && Object.keys(Object(data) as object).length > 0);
}
