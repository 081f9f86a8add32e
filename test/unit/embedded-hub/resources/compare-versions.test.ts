import { expect, it } from "vitest";
import { compareVersions } from "../../../../src/embedded-hub/resources/compare-versions.ts";

/** The example of apimachinery, in the order in which Kubernetes prefers versions. */
const sorted = "v10 v2 v1 v11beta2 v10beta3 v3beta1 v12alpha1 v11alpha2 foo1 foo10 v1beta v1gamma1 v1x xv1".split(" ");

it("prefers stable versions and high numbers, and orders what is no version by its text", () => {
  for (const versions of [sorted, [...sorted].reverse(), [...sorted].sort()]) {
    expect([...versions].sort(compareVersions)).toEqual(sorted);
  }
  expect(["v1", "foo"].map((version) => compareVersions(version, version))).toEqual([0, 0]);
});
