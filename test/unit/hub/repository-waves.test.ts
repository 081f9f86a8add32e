import { describe, expect, it } from "vitest";
import { RepositoryWaves } from "../../../src/hub/repository-waves.ts";
import type { AgentProgress } from "../../../src/planning/agent-waves.ts";

const waiting = (key: string): AgentProgress => ({ key, version: "0.2.0", state: "waiting", isUnresponsive: false });

/** Cluster `x/...` belongs to Repository `x`; one agent at a time changes. */
function start(clusters: Readonly<Record<string, readonly string[]>>) {
  const moved = new Map<string, string>();
  const limits = { maxUnavailable: 1 };
  const waves = new RepositoryWaves({
    rollout: () => ({ ...limits, deadlineSeconds: 60 }),
    nowMs: () => 0,
    after: () => () => undefined,
    clusterKeys: (label) => clusters[label] ?? [],
    repositoryOf: (key) => moved.get(key) ?? key.split("/")[0] ?? "",
    onAllowed: () => undefined,
  });
  const allowed = (...keys: string[]) => keys.filter((key) => waves.holdOf(key) === undefined);
  return { waves, moved, limits, allowed };
}

describe("RepositoryWaves", () => {
  it("allows one of each Repository, whatever the other does", () => {
    const { waves, allowed } = start({ a: ["a/1", "a/2"], b: ["b/1"] });
    for (const key of ["a/1", "a/2", "b/1"]) waves.record(key, waiting(key));
    expect(allowed("a/1", "a/2", "b/1")).toEqual(["a/1", "b/1"]);
  });

  it("waits for every cluster of the Repository, and of no other", () => {
    const { waves, allowed } = start({ a: ["a/1", "a/2"], b: ["b/1"] });
    waves.record("a/1", waiting("a/1"));
    waves.record("b/1", waiting("b/1"));
    expect(allowed("a/1", "b/1")).toEqual(["b/1"]);
  });

  it("gives the place of a cluster that is removed to the next", () => {
    const { waves, allowed } = start({ a: ["a/1", "a/2"] });
    for (const key of ["a/1", "a/2"]) waves.record(key, waiting(key));
    waves.forget("a/1");
    expect(allowed("a/2")).toEqual(["a/2"]);
  });

  it("counts a cluster that changed its owner there alone", () => {
    const { waves, moved, allowed } = start({ a: ["a/1", "a/2"], b: [] });
    for (const key of ["a/1", "a/2"]) waves.record(key, waiting(key));
    moved.set("a/1", "b");
    waves.record("a/1", waiting("a/1"));
    expect(allowed("a/1", "a/2")).toEqual(["a/1", "a/2"]);
  });

  it("takes in other limits", () => {
    const { waves, limits, allowed } = start({ a: ["a/1", "a/2"] });
    for (const key of ["a/1", "a/2"]) waves.record(key, waiting(key));
    limits.maxUnavailable = 2;
    expect(allowed("a/1", "a/2")).toEqual(["a/1"]);
    waves.recordRollouts();
    expect(allowed("a/1", "a/2")).toEqual(["a/1", "a/2"]);
  });
});
