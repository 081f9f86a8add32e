import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { createGitObjects } from "../../simulation/git-objects.ts";
import { freshDaemonAgrees } from "../../simulation/invariants/fresh-start.ts";

const key = "/rollcall.dev/clusterregistrations/fleet/token-1";
const clusterKey = "/rollcall.dev/clusters/fleet/eu-1";

function refused(uid: string, decidedTime: string): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistration",
    metadata: { namespace: "fleet", name: "token-1", uid },
    status: { decision: "Refused", decidedTime },
  };
}

/** What the invariant finds when a fresh daemon makes `after` of `before`. */
function violationsOf(before: [string, KubeObject][], after: [string, KubeObject][]): string[] {
  let objects = new Map(before);
  const violations: string[] = [];
  const invariant = freshDaemonAgrees({
    world: { remote: { objects: createGitObjects(), refs: new Map() } },
    mirror: { below: () => objects },
    violate: (_, text) => void violations.push(text),
  });
  invariant.onFreshStart?.();
  objects = new Map(after);
  invariant.afterFreshStart?.();
  return violations;
}

describe("freshDaemonAgrees", () => {
  const asked = refused("first", "2026-01-01T00:00:00Z");

  it.each([
    { reason: "the request is another one", after: refused("second", "2026-01-01T00:11:00Z") },
    { reason: "the request expired", after: undefined },
  ])("accepts that an agent asks again: $reason", ({ after }) => {
    expect(violationsOf([[key, asked]], after === undefined ? [] : [[key, after]])).toEqual([]);
    expect(violationsOf(after === undefined ? [] : [[key, after]], [[key, asked]])).toEqual([]);
  });

  it("finds a request that is decided again, and an object that is made again", () => {
    const [found, ...others] = violationsOf([[key, asked]], [[key, refused("first", "2026-01-01T00:11:00Z")]]);
    expect(found).toContain(`${key} is changed`);
    expect(others).toEqual([]);
    expect(violationsOf([], [[clusterKey, asked]])).toEqual([`${clusterKey} is made`]);
  });

  it("finds a branch that is moved, unless a person wrote it last", () => {
    const found = (by: string): number => {
      const objects = createGitObjects();
      const commit = (file: string, parents: string[]): string =>
        objects.commit({
          parents,
          changes: new Map([[file, "x\n"]]),
          message: file,
          author: { name: by, email: "a@example.com" },
          committedAtMs: 0,
        });
      const head = commit("one.yaml", []);
      const refs = new Map([["status", head]]);
      const violations: string[] = [];
      const invariant = freshDaemonAgrees({
        world: { remote: { objects, refs } },
        mirror: { below: () => new Map() },
        violate: (_, text) => void violations.push(text),
      });
      invariant.onRefUpdate?.({ branch: "status", before: undefined, after: head, by });
      invariant.onFreshStart?.();
      refs.set("status", commit("two.yaml", [head]));
      invariant.afterFreshStart?.();
      return violations.length;
    };
    expect([found("daemon-0"), found("people")]).toEqual([1, 0]);
  });
});
