import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { whenApplied } from "../../simulation/invariants/newly-applied.ts";
import { repositoryKey } from "../../simulation/mirror.ts";

type Scene = Parameters<typeof whenApplied>[0];

/** A Repository whose status a test writes, and what was checked. */
function stage() {
  let elapsedMs = 0;
  let head = "";
  let repository: KubeObject | undefined;
  const checked: string[] = [];
  // What is read of the world, and nothing else.
  const world = {
    scheduler: {
      get elapsedMs() {
        return elapsedMs;
      },
    },
    remote: { refs: { get: () => head } },
  };
  const mirror = { get: () => repository };
  const scene = { world, mirror, hubUnseenAtMs: () => -Infinity } as unknown as Scene;
  const invariant = whenApplied(scene, (commit) => checked.push(commit));
  const toSecond = (second: number): void => void (elapsedMs = second * 1000);
  return {
    checked,
    push: (commit: string) => void (head = commit),
    apply: (second: number, commit: string) => {
      toSecond(second);
      const before = repository;
      repository = {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Repository",
        metadata: { name: "fleet" },
        status: { appliedCommit: commit },
      };
      invariant.onRow({ key: repositoryKey, before, after: repository } as Parameters<typeof invariant.onRow>[0]);
    },
    restore: (second: number, isNoticed: boolean) => {
      toSecond(second);
      const restore = { copy: { isNoticed }, before: new Map() };
      invariant.onRestore(restore as unknown as Parameters<typeof invariant.onRestore>[0]);
    },
    tick: (second: number) => {
      toSecond(second);
      invariant.onTick();
    },
  };
}

describe("whenApplied", () => {
  it("checks a commit as soon as it is called applied", () => {
    const { push, apply, checked } = stage();
    push("a");
    apply(1, "a");
    expect(checked).toEqual(["a"]);
  });

  it("checks it a minute later where a hub was restored and no daemon was notified", () => {
    const { push, restore, apply, tick, checked } = stage();
    push("a");
    restore(10, false);
    apply(11, "a");
    tick(60);
    expect(checked).toEqual([]);
    tick(70);
    tick(80);
    expect(checked).toEqual(["a"]);
  });

  it("checks at once where the daemons were notified", () => {
    const { push, restore, apply, checked } = stage();
    push("a");
    restore(10, true);
    apply(11, "a");
    expect(checked).toEqual(["a"]);
  });

  it("does not check what was pushed over meanwhile", () => {
    const { push, restore, apply, tick, checked } = stage();
    push("a");
    restore(10, false);
    apply(11, "a");
    push("b");
    tick(80);
    expect(checked).toEqual([]);
    apply(90, "b");
    expect(checked).toEqual(["b"]);
  });
});
