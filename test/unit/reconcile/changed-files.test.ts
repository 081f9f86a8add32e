import { describe, expect, it } from "vitest";
import type { HubChange } from "../../../src/model/hub-change.ts";
import { changedFiles } from "../../../src/reconcile/changed-files.ts";
import { hubChange, parsedFile, snapshotOf } from "./hub-changes.ts";

const three = "kind: A\n---\nkind: B\n---\nkind: C\n";
const snapshot = snapshotOf(
  parsedFile("clusters.yaml", { text: three }),
  parsedFile("one.yaml", { text: "kind: A\n" }),
);
const change = (file: HubChange["file"], path = "clusters.yaml") => hubChange("a", { file, path });
const remove = (index: number, path?: string) => change({ kind: "Delete", index }, path);
const edit = (index: number) => change({ kind: "Edit", index, edits: [{ path: ["size"], value: 1 }] });

describe("changedFiles", () => {
  it.each<{ reason: string; changes: HubChange[]; files: Record<string, string | null> }>([
    {
      reason: "a new file",
      changes: [change({ kind: "Create", text: "kind: N\n" }, "new.yaml")],
      files: { "new.yaml": "kind: N\n" },
    },
    {
      reason: "null for a file whose only document is removed",
      changes: [remove(0, "one.yaml")],
      files: { "one.yaml": null },
    },
    {
      reason: "every document by its number of before, in whatever order the changes are",
      changes: [remove(0), edit(2)],
      files: { "clusters.yaml": "---\nkind: B\n---\nkind: C\nsize: 1\n" },
    },
    {
      reason: "no other document the edit of one that is removed",
      changes: [remove(0), edit(0)],
      files: { "clusters.yaml": "---\nkind: B\n---\nkind: C\n" },
    },
    { reason: "nothing for a file that the commit does not have", changes: [remove(0, "absent.yaml")], files: {} },
    {
      reason: "the first of two that want one new file",
      changes: ["kind: N\n", "kind: M\n"].map((text) => change({ kind: "Create", text }, "new.yaml")),
      files: { "new.yaml": "kind: N\n" },
    },
    {
      reason: "null when each document is removed in turn",
      changes: [remove(0), remove(1), remove(2)],
      files: { "clusters.yaml": null },
    },
  ])("gives $reason", ({ changes, files }) => {
    expect(Object.fromEntries(changedFiles(changes, snapshot))).toEqual(files);
  });
});
