import { describe, expect, it } from "vitest";
import { done, next } from "../../../../src/hub/members/member-scope.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { coreObject } from "../objects.ts";
import { openMemberWorld } from "./member-world.ts";

async function open() {
  const world = await openMemberWorld();
  await world.addCluster("eu-1", { state: {} });
  return { ...world, scope: world.scopeOf("eu-1") };
}

describe("openMemberScope", () => {
  it("reads the facts once, and no member before the first write", async () => {
    const { scope, reads } = await open();
    void [scope.member, scope.member, scope.hub, scope.hub];
    expect(reads).toEqual({ members: 0, facts: 1 });
  });

  it.each([
    { reason: "an object is written", isDelete: false },
    { reason: "an object is deleted", isDelete: true },
  ])("reads both again when $reason", async ({ isDelete }) => {
    const { scope, reads, put } = await open();
    await put(coreObject("ConfigMap", "c"));
    void [scope.member, scope.hub];
    if (isDelete) await scope.write.delete({ type: resourceTypes.configMap, namespace: "fleet", name: "c" });
    else await scope.write.apply(coreObject("ConfigMap", "c", {}, { data: { a: "1" } }));
    const before = reads.members;
    void [scope.member, scope.member, scope.hub, scope.hub];
    expect([reads.members - before, reads.facts]).toEqual([1, 2]);
  });

  it("keeps a member that is deleted meanwhile as it was seen last", async () => {
    const { scope, put, hub } = await open();
    await put(coreObject("ConfigMap", "rollcall-cluster-eu-1", {}, { data: {} }));
    await hub.api.delete({ type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" });
    expect(scope.readAgain().cluster.metadata.name).toBe("eu-1");
  });
});

describe("the result of a phase", () => {
  it("is next, or done with the time of the next pass", () => {
    expect([next, done(), done(7)]).toEqual([
      { kind: "next" },
      { kind: "done", requeueAfterMs: undefined },
      { kind: "done", requeueAfterMs: 7 },
    ]);
  });
});
