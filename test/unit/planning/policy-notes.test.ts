import { describe, expect, it } from "vitest";
import { emptyFleet } from "../../../src/model/declared-fleet.ts";
import type { Policy } from "../../../src/model/generated/policy.ts";
import { policyNotes } from "../../../src/planning/policy-notes.ts";

function policy(name: string, expression = "true", namespace?: string): Policy {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const spec = { rules: [{ expression, message: "no" }] };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Policy", metadata, spec };
}

function fleetOf(...policies: readonly Policy[]) {
  return { policies: policies.map((object) => ({ object })) };
}

describe("policyNotes", () => {
  const house = policy("house-rules");

  it.each([
    { reason: "removed", after: [], note: "A policy is removed, and files are evaluated without: house-rules." },
    {
      reason: "changed",
      after: [policy("house-rules", "false")],
      note: "A policy is changed, and files are evaluated by the new rules: house-rules.",
    },
    {
      reason: "moved to a namespace",
      after: [policy("house-rules", "true", "fleet")],
      note: "A policy is removed, and files are evaluated without: house-rules.",
    },
  ])("A199 name a policy that is $reason", ({ after, note }) => {
    expect(policyNotes(fleetOf(house), fleetOf(...after))).toEqual([note]);
  });

  it.each([
    { reason: "the base is not known", before: undefined, after: fleetOf() },
    {
      reason: "a policy is added or stays",
      before: fleetOf(house),
      after: fleetOf(policy("a"), policy("house-rules")),
    },
    { reason: "the branch was not read to its end", before: fleetOf(house), after: emptyFleet },
  ])("have nothing where $reason", ({ before, after }) => {
    expect(policyNotes(before, after)).toEqual([]);
  });

  it("count those that are not named", () => {
    const many = Array.from({ length: 22 }, (_value, index) => policy(`p-${index}`, "true", "fleet"));
    const [note] = policyNotes(fleetOf(...many), fleetOf());
    expect(note).toMatch(
      /^Policies are removed, and files are evaluated without: fleet\/p-0, .*fleet\/p-19 and 2 more\.$/u,
    );
  });
});
