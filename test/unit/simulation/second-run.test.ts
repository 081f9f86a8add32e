import { describe, expect, it } from "vitest";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { restIsQuiet } from "../../simulation/invariants/second-run.ts";
import { clusterPrefix } from "../../simulation/mirror.ts";

/** A hub and a repository that a test writes to; `violations` are the names of what was violated. */
function stage() {
  let elapsedMs = 0;
  let meaningfulRows = 0;
  const refs = new Map([["main", "a"]]);
  const violations: string[] = [];
  const invariant = restIsQuiet({
    world: {
      scheduler: {
        get elapsedMs() {
          return elapsedMs;
        },
        sleptMs: 0,
      },
      remote: { refs },
    },
    mirror: {
      get meaningfulRows() {
        return meaningfulRows;
      },
      lastKeys: [],
    },
    intent: { lostAgents: new Map() },
    violate: (_, text) => violations.push(text),
  });
  const remove = (annotations: Record<string, string>): void => {
    meaningfulRows += 1;
    const metadata = { namespace: "fleet", name: "c1", annotations };
    const before = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata };
    type Change = Parameters<NonNullable<typeof invariant.onRow>>[0];
    invariant.onRow?.({ key: `${clusterPrefix}fleet/c1`, before, after: undefined } as unknown as Change);
  };
  /** A credential of c1, made at an hour of the day. */
  const issue = (number: number, hour: string): void => {
    meaningfulRows += 1;
    const metadata = { namespace: "fleet", name: `rollcall-c1.${number}`, creationTimestamp: `2026-01-01T${hour}:00Z` };
    const after = { apiVersion: "v1", kind: "Secret", metadata };
    type Change = Parameters<NonNullable<typeof invariant.onRow>>[0];
    const key = `//secrets/fleet/${metadata.name}`;
    invariant.onRow?.({ key, before: undefined, after } as unknown as Change);
  };
  return {
    refs,
    remove,
    issue,
    write: () => void (meaningfulRows += 1),
    /** Time passes, in steps of ten seconds. */
    pass: (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 10) {
        elapsedMs += 10_000;
        invariant.onTick?.();
      }
    },
    violations: () => {
      invariant.atRest?.();
      return violations.splice(0);
    },
  };
}

describe("restIsQuiet", () => {
  it("is violated by a row, and by a branch that moves, within two minutes", () => {
    const { pass, write, refs, violations } = stage();
    pass(600);
    expect(violations()).toEqual([]);
    write();
    refs.set("main", "b");
    pass(110);
    expect(violations()).toEqual([
      "a branch moved in the last two minutes of rest",
      expect.stringMatching(/^1 rows were written/u),
    ]);
    pass(130);
    expect(violations()).toEqual([]);
  });

  it("holds where a removal has ended that waited for an agent", () => {
    const { pass, remove, violations } = stage();
    pass(600);
    remove({ [annotationKeys.leave]: "-" });
    pass(60);
    expect(violations()).toEqual([]);
  });

  it.each([
    { reason: "holds where a credential is renewed because of its age", hour: "16:00", violated: 0 },
    { reason: "is violated by a credential that is replaced before", hour: "14:00", violated: 1 },
  ])("$reason", ({ hour, violated }) => {
    const { pass, issue, violations } = stage();
    issue(1, "00:30");
    pass(600);
    issue(2, hour);
    pass(60);
    expect(violations()).toHaveLength(violated);
  });

  it("is violated by the removal of a cluster that was not to leave", () => {
    const { pass, remove, violations } = stage();
    pass(600);
    remove({});
    pass(60);
    expect(violations()).toHaveLength(1);
  });
});
