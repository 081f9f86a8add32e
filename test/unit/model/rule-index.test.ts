import { describe, expect, it } from "vitest";
import { indexRules } from "../../../src/model/rule-index.ts";
import type { ClusterSelector } from "../../../src/model/selector.ts";

const env = (value: string): ClusterSelector => ({ matchLabels: { env: value } });

describe("indexRules", () => {
  const rules = [
    { id: 0, workspace: "a", selector: env("prod") },
    { id: 1, workspace: undefined, selector: env("prod") },
    { id: 2, workspace: "a", selector: {} },
    { id: 3, workspace: "b", selector: {} },
    { id: 4, workspace: undefined, selector: env("dev") },
    { id: 5, workspace: "a", selector: undefined },
  ];
  const index = indexRules(rules, (rule) => rule);
  const found = (workspace: string | undefined): number[] =>
    index.matching(workspace, { name: "eu-1", labels: { env: "prod" } }).map(({ id }) => id);

  it("finds the rules of the workspace and those of all, in their order", () => {
    expect(found("a")).toEqual([0, 1, 2]);
    expect(found("b")).toEqual([1, 3]);
    expect(found("c")).toEqual([1]);
    expect(found(undefined)).toEqual([1]);
  });
});
