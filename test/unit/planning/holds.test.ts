import { describe, expect, it } from "vitest";
import type { Removal } from "../../../src/model/plan.ts";
import type { HoldInputs } from "../../../src/planning/holds.ts";
import { holdReason, isDeclaredByBrokenFile } from "../../../src/planning/holds.ts";
import { live } from "./plan-builders.ts";

const nothing: HoldInputs = {
  hasDocuments: true,
  brokenFiles: new Set(),
  brokenObjects: new Set(),
  hasUnidentifiedNewFile: false,
  files: new Set(["clusters/eu-1.yaml"]),
  changedFiles: new Set(),
  wasAppliedBefore: true,
  isForeignHistory: false,
  isApproved: false,
};
const removal = (kind: Removal["kind"]): Removal => ({ kind, cluster: "prod/eu-1", reason: "test" });
const file = { files: new Set<string>() };
const protectedSpec = { spec: { deletionProtection: true } };
const suspended = { annotations: { "rollcall.dev/reconcile": "disabled" } };

interface Case {
  readonly when: string;
  readonly holds?: Partial<HoldInputs>;
  readonly kind?: Removal["kind"] | "other";
  readonly extra?: Parameters<typeof live>[1];
  readonly isIncomplete?: boolean;
  readonly because: ReturnType<typeof holdReason>;
}

const cases: readonly Case[] = [
  { when: "nothing holds it", because: undefined },
  { when: "the hub is not read to its end", isIncomplete: true, because: "not-synced" },
  { when: "the tree has no document", holds: { hasDocuments: false }, because: "empty-tree" },
  {
    when: "the tree has no document, whatever is approved",
    holds: { hasDocuments: false, isApproved: true },
    because: "empty-tree",
  },
  {
    when: "its file has errors",
    holds: { brokenFiles: new Set(["clusters/eu-1.yaml"]) },
    because: "held-by-bad-file",
  },
  {
    when: "a broken document declares it",
    holds: { brokenObjects: new Set(["Cluster/prod/eu-1"]) },
    because: "held-by-bad-file",
  },
  {
    when: "a broken document declares a namesake elsewhere",
    holds: { brokenObjects: new Set(["Cluster/other/eu-1"]) },
    because: undefined,
  },
  {
    when: "its file was deleted and an unreadable one came",
    holds: { hasUnidentifiedNewFile: true, ...file },
    because: "held-by-bad-file",
  },
  {
    when: "an unreadable file came, and its own is there",
    holds: { hasUnidentifiedNewFile: true },
    because: undefined,
  },
  {
    when: "an unreadable file came, and its own is not known",
    holds: { hasUnidentifiedNewFile: true },
    extra: { annotations: { "rollcall.dev/source-file": undefined as unknown as string } },
    because: "held-by-bad-file",
  },
  { when: "its file was deleted, and none came", holds: file, because: undefined },
  {
    when: "the history is another one, whatever else holds it: what waits for a reason of its own settles the commit",
    holds: {
      isForeignHistory: true,
      hasUnidentifiedNewFile: true,
      brokenFiles: new Set(["clusters/eu-1.yaml"]),
      ...file,
    },
    extra: protectedSpec,
    because: "foreign-history",
  },
  {
    when: "nothing was applied before, whatever else holds it",
    holds: { wasAppliedBefore: false, hasUnidentifiedNewFile: true, ...file },
    extra: suspended,
    because: "not-applied-before",
  },
  {
    when: "another history is approved, and a file with errors may declare it",
    holds: { isForeignHistory: true, isApproved: true, hasUnidentifiedNewFile: true, ...file },
    because: "held-by-bad-file",
  },
  { when: "it is suspended", extra: suspended, because: "suspended" },
  { when: "a suspended object is no cluster", extra: suspended, kind: "other", because: "suspended" },
  { when: "it is protected", extra: protectedSpec, because: "protected" },
  { when: "its protection is off", extra: { spec: { deletionProtection: false } }, because: undefined },
  { when: "it is protected, but only moves", extra: protectedSpec, kind: "move", because: undefined },
  { when: "it is protected and changes its protocol", extra: protectedSpec, kind: "protocol", because: "protected" },
  { when: "a protected object is no cluster", extra: protectedSpec, kind: "other", because: "protected" },
  { when: "nothing was applied before", holds: { wasAppliedBefore: false }, because: "not-applied-before" },
  {
    when: "it is approved at the first time",
    holds: { wasAppliedBefore: false, isApproved: true },
    because: undefined,
  },
  { when: "the history is another one", holds: { isForeignHistory: true }, because: "foreign-history" },
  { when: "another history is approved", holds: { isForeignHistory: true, isApproved: true }, because: undefined },
  {
    when: "only a label is removed, whatever the file has",
    holds: { brokenFiles: new Set(["clusters/eu-1.yaml"]) },
    extra: protectedSpec,
    kind: "label",
    because: undefined,
  },
  {
    when: "a label is removed, and nothing was applied before",
    holds: { wasAppliedBefore: false },
    kind: "label",
    because: "not-applied-before",
  },
  {
    when: "a label is removed by another history",
    holds: { isForeignHistory: true },
    kind: "label",
    because: "foreign-history",
  },
  {
    when: "a label is removed by a tree without document",
    holds: { hasDocuments: false },
    kind: "label",
    because: "empty-tree",
  },
];

describe("holdReason", () => {
  it.each(cases)("is $because where $when", ({ holds, kind = "leave", extra, isIncomplete = false, because }) => {
    const asked = kind === "other" ? undefined : removal(kind);
    expect(holdReason(live("eu-1", extra), asked, { ...nothing, ...holds }, !isIncomplete)).toBe(because);
  });

  it("A86 ends a suspended token with its file, and keeps a suspended group and Secret", () => {
    const reasonOf = (kind: string) => holdReason({ ...live("eu-1", suspended), kind }, undefined, nothing, true);
    expect(["ClusterRegistrationToken", "ClusterGroup", "Secret"].map(reasonOf)).toEqual([
      undefined,
      "suspended",
      "suspended",
    ]);
  });

  it("takes an object without a spec for unprotected", () => {
    for (const spec of [undefined, null]) {
      expect(holdReason({ ...live("eu-1"), spec }, removal("leave"), nothing, true)).toBeUndefined();
    }
  });
});

describe("isDeclaredByBrokenFile", () => {
  it("knows an object by kind, namespace and name, or by its file", () => {
    const evaluate = (brokenFiles: readonly string[], brokenObjects: readonly string[]) =>
      isDeclaredByBrokenFile(live("eu-1"), {
        brokenFiles: new Set(brokenFiles),
        brokenObjects: new Set(brokenObjects),
      });
    expect(evaluate([], [])).toBe(false);
    expect(evaluate(["clusters/eu-1.yaml"], [])).toBe(true);
    expect(evaluate(["clusters/eu-2.yaml"], ["ClusterGroup/prod/eu-1"])).toBe(false);
    expect(evaluate([], ["Cluster/prod/eu-1"])).toBe(true);
  });
});
