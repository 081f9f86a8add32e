import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesSelector, requirementsOf } from "../../../../src/embedded-hub/selectors/object-selector.ts";
import { createSelectorIndex } from "../../../../src/embedded-hub/selectors/selector-index.ts";

const key = fc.constantFrom("app", "env");
const value = fc.constantFrom("a", "b", "");
const requirement = fc.record({
  key,
  operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist", "Like"),
  values: fc.array(value, { maxLength: 2 }),
});
const selector = fc.oneof(
  fc.constant(undefined),
  fc.record({ matchLabels: fc.dictionary(key, value), matchExpressions: fc.array(requirement, { maxLength: 2 }) }),
);
const id = fc.constantFrom("x", "y", "z");

describe("an index of selectors", () => {
  it("finds each selector that fits, once, whatever was set and deleted before", () => {
    const step = fc.oneof(fc.tuple(id, selector), id);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.dictionary(key, value), (steps, labels) => {
        const index = createSelectorIndex();
        const known = new Map<string, unknown>();
        for (const one of steps) {
          if (typeof one === "string") {
            index.delete(one);
            known.delete(one);
          } else {
            index.set(one[0], requirementsOf(one[1]));
            known.set(...one);
          }
        }
        const candidates = index.candidates(labels);
        expect(new Set(candidates).size).toBe(candidates.length);
        for (const [name, selected] of known) {
          const isFitting = matchesSelector(selected, labels);
          expect(index.selects(name, labels)).toBe(isFitting);
          if (isFitting) expect(candidates).toContain(name);
        }
        expect(candidates.filter((name) => !known.has(name))).toEqual([]);
        expect(index.isEmpty()).toBe([...known.values()].every((selected) => requirementsOf(selected) === undefined));
      }),
      { numRuns: 200 },
    );
  });

  it("offers few candidates: each selector is kept by its rarest label, not by a label that all have", () => {
    const index = createSelectorIndex();
    const apps = Array.from({ length: 100 }, (_, number) => `app-${number}`);
    for (const app of apps) {
      index.set(
        app,
        requirementsOf({
          matchLabels: { env: "prod", app },
          matchExpressions: [{ key: "old", operator: "DoesNotExist" }],
        }),
      );
    }
    // The first has nothing to compare with: any of its labels is as rare as the other.
    expect(index.candidates({ env: "prod", app: "app-7" })).toEqual(["app-0", "app-7"]);
    expect(index.candidates({ app: "app-7" })).toEqual(["app-7"]);
    expect(index.candidates({})).toEqual([]);
    expect(index.selects("unknown", {})).toBe(false);
  });
});
