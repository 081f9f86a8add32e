import { describe, expect, it } from "vitest";
import type { ObjectChange } from "../../../src/model/generated/plan-report.ts";
import type { ObjectRef, ResourceType } from "../../../src/model/kubernetes.ts";
import type { HubWork } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { describeHubWork, withHubWork } from "../../../src/planning/review-hub-work.ts";

const { configMap, role, secret, serviceAccount } = resourceTypes;
const none: HubWork = { creates: [], updates: [], deletes: [], credentials: [], steps: [] };
const ref = (type: ResourceType, name: string): ObjectRef => ({ type, namespace: "fleet", name });
const state = ref(configMap, "rollcall-cluster-a");
const credential = { cluster: "fleet/a", number: 1 } as unknown as HubWork["credentials"][0];

describe("what the hub does after a change", () => {
  it.each<[Partial<HubWork>, string | undefined]>([
    [{}, undefined],
    [{ updates: [state] }, undefined],
    [{ updates: [state, ref(configMap, "other")] }, "the hub updates 1 ConfigMap"],
    [{ updates: [ref(secret, "rollcall-cluster-a")] }, "the hub updates 1 Secret"],
    [
      { creates: [ref(role, "a"), ref(serviceAccount, "a"), ref(role, "b")] },
      "the hub creates 2 Roles and 1 ServiceAccount",
    ],
    // An installation is one of the steps, as those of an offboarding are.
    [{ steps: ["install the agent"] }, "the hub runs 1 step: install the agent"],
    [
      { deletes: [ref(role, "a")], credentials: [credential, credential], steps: ["Waiting", "Revoking"] as never },
      "the hub issues 2 credentials, runs 2 steps: Waiting, Revoking and deletes 1 Role",
    ],
  ])("%j: %s", (work, words) => {
    expect(describeHubWork({ ...none, ...work })).toBe(words);
  });
});

describe("withHubWork", () => {
  const change = {
    action: "Create",
    kind: "Cluster",
    name: "a",
    fields: [],
    effects: ["x"],
  } as unknown as ObjectChange;

  it("is the change itself where no work is known", () => {
    expect(withHubWork(change, undefined)).toBe(change);
  });

  it("adds the work in full and as one effect", () => {
    const global = { type: resourceTypes.namespace, name: "n" };
    const work = { ...none, creates: [global], updates: [state], deletes: [ref(role, "r")], credentials: [credential] };
    const seen = withHubWork(change, work);
    expect(seen.effects).toEqual(["x", `then ${describeHubWork(work)}`]);
    expect(seen.hubWork).toEqual({
      creates: [{ kind: "Namespace", name: "n" }],
      updates: [{ kind: "ConfigMap", namespace: "fleet", name: "rollcall-cluster-a" }],
      deletes: [{ kind: "Role", namespace: "fleet", name: "r" }],
      credentials: [credential],
      steps: [],
    });
  });

  it("has no effect for a record in the member's state", () => {
    const seen = withHubWork(change, { ...none, updates: [state] });
    expect([seen.effects, seen.hubWork?.updates.length]).toEqual([["x"], 1]);
  });
});
