import { describe, expect, it } from "vitest";
import { extractBlocks } from "./extract-blocks.ts";

describe("extractBlocks", () => {
  it("takes commands with their continuation lines, without the prompt of the page", () => {
    const text = [
      "Install it:",
      "helm install \\",
      "--wait \\",
      "a b",
      "kubectl",
      ", the CLI",
      "$ kubectl get x",
      "NAME",
    ];
    expect(extractBlocks(text.join("\n"))).toEqual([
      { kind: "shell", line: 2, text: "helm install \\\n--wait \\\na b" },
      { kind: "shell", line: 7, text: "kubectl get x" },
    ]);
  });

  it("takes a YAML document up to the first line that is none", () => {
    const text = "kind: A\nmetadata:\n  name: b\nAfter it is created, wait.\n";
    expect(extractBlocks(text)).toEqual([{ kind: "yaml", line: 1, text: "kind: A\nmetadata:\n  name: b\n" }]);
  });

  it("restores the indentation that a copy of the page lost", () => {
    const lost = "apiVersion: v1\nkind: A\nmetadata:\nname: b\nlabels:\nc: d\nspec:\n# why\ne: f\n";
    expect(extractBlocks(lost)[0]?.text).toBe(
      "apiVersion: v1\nkind: A\nmetadata:\n  name: b\n  labels:\n    c: d\nspec:\n  # why\n  e: f\n",
    );
  });
});
