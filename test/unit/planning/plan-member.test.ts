import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { HubFacts, Member, TokenSubject } from "../../../src/model/member.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { ChildrenInputs, ChildrenProtocol } from "../../../src/planning/plan-member.ts";
import { planChildren, planChildrenOf } from "../../../src/planning/plan-member.ts";

const { secret, role, serviceAccount } = resourceTypes;

function account(name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "fleet", ...metadata } };
}

/** As the hub applied it. */
function live(name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const owned = { manager: "rollcall-hub", operation: "Apply", fieldsV1: {} };
  return account(name, { uid: `uid-${name}`, resourceVersion: "7", managedFields: [owned], ...metadata } as never);
}

function secretOf(...managers: string[]): KubeObject {
  const managedFields = managers.map((manager) => ({ manager, operation: "Apply" as const, fieldsV1: {} }));
  return { ...live("a", { managedFields }), kind: "Secret" };
}

function changesOf(inputs: Partial<ChildrenInputs>): string[] {
  const whole = { desired: [], children: [], ownedTypes: [serviceAccount], ...inputs };
  return planChildren(whole).changes.map(({ kind, ref }) => `${kind} ${ref.name}`);
}

describe("the children of a member", () => {
  it.each<{ reason: string; inputs: Partial<ChildrenInputs>; is: string[] }>([
    { reason: "one is missing", inputs: { desired: [account("a")] }, is: ["create a"] },
    { reason: "all are there", inputs: { desired: [account("a")], children: [live("a")] }, is: [] },
    {
      reason: "one lacks a label",
      inputs: { desired: [account("a", { labels: { of: "it" } })], children: [live("a")] },
      is: ["update a"],
    },
    { reason: "one is not wanted any more", inputs: { children: [live("a")] }, is: ["delete a"] },
    {
      reason: "it is of a kind that is not owned",
      inputs: { children: [live("a")], ownedTypes: [secret, role] },
      is: [],
    },
    {
      reason: "another kind is owned beside it",
      inputs: { children: [live("a")], ownedTypes: [secret, serviceAccount] },
      is: ["delete a"],
    },
    {
      reason: "one is in use",
      inputs: { children: [live("a"), live("b")], kept: new Set(["ServiceAccount/fleet/a"]) },
      is: ["delete b"],
    },
    { reason: "it is going already", inputs: { children: [live("a", { deletionTimestamp: "t" })] }, is: [] },
    {
      reason: "it is a Secret that another manager made",
      inputs: { children: [secretOf("kubectl-create")], ownedTypes: [secret] },
      is: [],
    },
    {
      reason: "it is a Secret of the hub to which another manager added data",
      inputs: { children: [secretOf("rollcall-hub", "kube-controller-manager")], ownedTypes: [secret] },
      is: ["delete a"],
    },
    {
      reason: "an agent has taken the managers from it",
      inputs: { children: [live("a", { managedFields: [{ manager: "agent", operation: "Apply" }] })] },
      is: ["delete a"],
    },
    {
      reason: "its kind is unknown",
      inputs: { children: [{ apiVersion: "x/v1", kind: "X", metadata: { name: "x" } }] },
      is: [],
    },
  ])("when $reason", ({ inputs, is }) => {
    expect(changesOf(inputs)).toEqual(is);
  });

  it("are deleted as they were seen", () => {
    const { changes } = planChildren({ desired: [], children: [live("a")], ownedTypes: [serviceAccount] });
    expect(changes[0]).toMatchObject({ kind: "delete", uid: "uid-a", resourceVersion: "7" });
    const [bare] = planChildren({ desired: [], children: [account("a")], ownedTypes: [serviceAccount] }).changes;
    expect(bare).toMatchObject({ kind: "delete", uid: "", resourceVersion: "" });
  });

  it("are named where the program does not know their kind, and the others are made", () => {
    const odd: KubeObject = { apiVersion: "x/v1", kind: "X", metadata: { name: "x" } };
    const { changes, unknown } = planChildren({ desired: [odd, account("a")], children: [], ownedTypes: [] });
    expect(unknown).toEqual([odd]);
    expect(changes).toHaveLength(1);
  });

  it.each([
    [true, [{}, { made: "here" }]],
    [false, [undefined, undefined]],
    [undefined, [undefined, undefined]],
  ])("A262 are taken over with isAdopting %s by labels %j", (isAdopting, labels) => {
    const exclusiveNames = [{ type: serviceAccount, namespace: "fleet", name: "b", labelsToAdopt: { made: "here" } }];
    const inputs = { desired: [account("a"), account("b")], children: [], ownedTypes: [], exclusiveNames };
    const { changes } = planChildren({ ...inputs, ...(isAdopting === undefined ? {} : { isAdopting }) });
    expect(changes.map((change) => change.kind === "create" && change.labelsToAdopt)).toEqual(labels);
  });
});

describe("the children that a protocol wants", () => {
  const protocol: ChildrenProtocol = {
    ownedTypes: [serviceAccount],
    desiredObjects: () => [account("of-member")],
    desiredTokenObjects: () => [account("of-token")],
    keptObjects: () => [{ type: serviceAccount, namespace: "fleet", name: "in-use" }],
    exclusiveNames: () => [
      { type: serviceAccount, namespace: "fleet", name: "of-member", labelsToAdopt: { made: "here" } },
    ],
  };
  const hub = {} as HubFacts;
  const children = [live("in-use"), live("old")];

  it.each([
    [{ [annotationKeys.adopt]: "true" }, true],
    [{ [annotationKeys.adopt]: "yes" }, false],
    [undefined, false],
  ])("of a member or token with annotations %j are taken over: %s", (annotations, isTakenOver) => {
    const metadata = { name: "m", ...(annotations ? { annotations } : {}) };
    const member = { cluster: { metadata }, children } as unknown as Member;
    const subject = { token: { metadata }, children } as unknown as TokenSubject;
    const plans = [
      planChildrenOf(protocol, { kind: "member", member }, hub),
      planChildrenOf(protocol, { kind: "token", subject }, hub),
    ];
    expect(plans.map(({ changes }) => changes.map(({ kind, ref }) => `${kind} ${ref.name}`))).toEqual([
      ["create of-member", "delete old"],
      ["create of-token", "delete old"],
    ]);
    const adoptions = plans.map(({ changes: [change] }) => change?.kind === "create" && change.labelsToAdopt);
    expect(adoptions).toEqual(isTakenOver ? [{ made: "here" }, {}] : [undefined, undefined]);
  });
});
