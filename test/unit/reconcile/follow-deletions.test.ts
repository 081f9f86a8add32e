import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { Given } from "./followed-hub.ts";
import { byGit, byHand, commit, denied, fileOf, openFollower, race } from "./followed-hub.ts";

describe("a Cluster that a person deleted", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const objects = names.map(byGit);
  const files = Object.fromEntries(names.map((name) => [`${name}.yaml`, fileOf(name)]));

  async function removed(spec: Partial<Repository["spec"]>, count: number, given: Given = {}) {
    const world = await openFollower(spec, { objects, files, ...given });
    for (const object of objects.slice(0, count)) await world.remove(object);
    await world.clock.advance(9999);
    expect([world.follower.dueInMs(), (await world.follow()).pushed]).toEqual([1, []]);
    await world.clock.advance(1);
    return world;
  }

  it("is removed from its file ten seconds later, once", async () => {
    const { follow, follower } = await removed(commit, 1);
    expect(follower.dueInMs()).toBe(0);
    expect((await follow()).pushed).toEqual(["main -a.yaml"]);
    expect(follower.dueInMs()).toBeUndefined();
    expect((await follow()).pushed).toEqual([]);
  });

  it("is proposed where more are deleted than the budget allows", async () => {
    const { follow } = await removed({ ...commit, deletionBudget: { minimum: 2, maximum: 2 } }, 3);
    const { pushed, branches } = await follow();
    expect(pushed.filter((push) => push.startsWith("main "))).toEqual([]);
    expect(branches).toEqual(["a", "b", "c"].map((name) => `rollcall/hub/fleet/clusters.rollcall.dev/${name}`));
  });

  it("is proposed where more are deleted than the budget allows, and a new object is committed", async () => {
    const { follow, view } = await removed({ ...commit, deletionBudget: { minimum: 2, maximum: 2 } }, 3);
    const { metadata, ...made } = byHand("n");
    view.recordWritten(resourceTypes.cluster, { ...made, metadata: { ...metadata, uid: "n", resourceVersion: "100" } });
    const { pushed, branches } = await follow();
    expect(pushed.filter((push) => push.startsWith("main "))).toEqual(["main clusters/fleet/n.yaml"]);
    expect(branches).toHaveLength(3);
  });

  it("is proposed while its file protects it", async () => {
    const spec = { deletionProtection: true };
    const protectedFile = `${fileOf("a")}spec: {deletionProtection: true}\n`;
    const given = { objects: [{ ...byGit("a"), spec }, byGit("b")], files: { ...files, "a.yaml": protectedFile } };
    const { follow, remove, clock } = await openFollower(commit, given);
    await remove({ ...byGit("a"), spec });
    await clock.advance(10_000);
    expect((await follow()).pushed).toEqual(["rollcall/hub/fleet/clusters.rollcall.dev/a -a.yaml"]);
  });

  it("is committed within the budget", async () => {
    const { follow } = await removed({ ...commit, deletionBudget: { minimum: 2, maximum: 2 } }, 2);
    expect((await follow()).pushed).toEqual(["main -a.yaml -b.yaml"]);
  });

  it.each<[string, Given]>([
    ["git does not take it", { errors: [new AppError("E_GIT_REMOTE", "push")] }],
    [
      "the branch cannot be read after a lost race",
      { errors: [race], readErrors: [new AppError("E_GIT_REMOTE", "fetch")] },
    ],
  ])("is kept in mind while %s", async (_what, given) => {
    const { follow, follower } = await removed(commit, 1, given);
    await follow();
    expect(follower.dueInMs()).toBe(0);
    expect((await follow()).pushed).toEqual(["main -a.yaml"]);
  });

  it("waits with new objects for the rest of the minute in which ten commits were made", async () => {
    const { follow, follower, remove, clock, view } = await openFollower(commit, { objects, files });
    const make = (name: string, version: number): void =>
      view.recordWritten(resourceTypes.cluster, {
        ...byHand(name),
        metadata: { ...byHand(name).metadata, uid: name, resourceVersion: `${version}` },
      });
    for (let index = 0; index < 10; index += 1) {
      make(`n${index}`, 100 + index);
      expect((await follow()).pushed).toHaveLength(1);
    }
    make("last", 200);
    await remove(byGit("a"));
    expect((await follow()).pushed.filter((push) => push.startsWith("main"))).toEqual([]);
    expect(follower.dueInMs()).toBe(10_000);
    await clock.advance(10_000);
    expect((await follow()).pushed.filter((push) => push.startsWith("main"))).toEqual([]);
    expect(follower.dueInMs()).toBe(50_000);
    await clock.advance(50_000);
    expect((await follow()).pushed).toEqual(["main -a.yaml clusters/fleet/last.yaml"]);
    expect(follower.dueInMs()).toBeUndefined();
  });

  it("stays in its file when the plan did not bring it back", async () => {
    const { follow, follower, remove } = await openFollower(commit, { objects, files });
    await remove(byGit("a"));
    follower.confirm([
      {
        change: { kind: "create", ref: { type: resourceTypes.cluster, namespace: "fleet", name: "a" } },
        error: denied,
      },
    ] as never);
    expect(follower.dueInMs()).toBeUndefined();
    expect((await follow()).pushed).toEqual([]);
  });

  it("stays in its file when no file declares it, and when the policy does not take deletions", async () => {
    const undeclared = await openFollower(commit, { objects });
    await undeclared.remove(byGit("a"));
    const ignored = await openFollower({ onHubObjects: [{ policy: "Commit" }] }, { objects, files });
    await ignored.remove(byGit("a"));
    expect([undeclared.follower.dueInMs(), ignored.follower.dueInMs()]).toEqual([undefined, undefined]);
  });
});
