import { expect, it } from "vitest";
import { readTargets } from "../../../../src/cli/commands/read-targets.ts";

it.each([
  ["prod-eu-1", "there are clusters, ", "cluster/prod-eu-1"],
  ["fleet/prod-eu-1", "there are clusters, ", "cluster/fleet/prod-eu-1"],
  ["my-cluster", "did you mean clusters?", "cluster/my-cluster"],
  ["Not a name", "there are clusters, ", "cluster/prod-eu-1"],
])("explains how an object is named where %s is given instead of a kind", (given, hint, form) => {
  expect(() => readTargets([given])).toThrow(hint);
  expect(() => readTargets([given])).toThrow(`(the name of an object follows its kind, as in ${form})`);
});
