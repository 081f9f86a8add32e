import { expect, it } from "vitest";
import { readTargets } from "../../../../src/cli/commands/read-targets.ts";

it.each(["prod-eu-1", "fleet/prod-eu-1"])(
  "explains how an object is named where %s, the name of a cluster, stands for one",
  (name) => {
    expect(() => readTargets([name])).toThrow(
      /^there is no kind (?:prod-eu-1|fleet); there are clusters, .*; the name of an object follows its kind, as in cluster\/prod-eu-1$/u,
    );
  },
);
