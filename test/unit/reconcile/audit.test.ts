import { describe, expect, it } from "vitest";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { auditFields } from "../../../src/reconcile/audit.ts";
import { creation } from "./phase-builders.ts";

const author = { name: "Ada", email: "ada@example.org" };
const context = { commit: "c1", author: undefined, isApplied: false };
const created = creation("eu-1") as Extract<PlannedChange, { kind: "create" | "update" }>;
const { ref } = created;
const source = { file: "fleet.yaml", line: 3, column: 1 };
const fields = [{ path: "spec.displayName", before: "a", after: "secret" }];
const updated = { ...created, kind: "update", fields } as unknown as PlannedChange;
const former = { ref: { ...ref, name: "eu-0" }, uid: "u", resourceVersion: "1", patchAnnotations: {} };

describe("auditFields", () => {
  it.each<{ reason: string; change: PlannedChange; isApplied?: boolean; why: string }>([
    {
      reason: "a deletion",
      change: { kind: "delete", ref, uid: "u", resourceVersion: "1", reason: "no file" },
      why: "no file",
    },
    {
      reason: "a leave",
      change: { kind: "leave", ref, commit: "c1", uid: "u", resourceVersion: "1", reason: "its file" },
      why: "its file",
    },
    { reason: "a rename", change: { ...created, former }, why: "takes the place of Cluster/fleet/eu-0" },
    { reason: "a file", change: { ...created, source }, why: "fleet.yaml:3 declares it" },
    { reason: "no position", change: created, why: "a file declares it" },
    {
      reason: "a commit that was applied before",
      change: { ...created, source },
      isApplied: true,
      why: "reverted to what fleet.yaml:3 declares",
    },
  ])("gives the reason of $reason", ({ change, isApplied = false, why }) => {
    expect(auditFields(change, { ...context, isApplied })).toEqual({
      object: "Cluster/fleet/eu-1",
      change: change.kind,
      commit: "c1",
      why,
    });
  });

  it("names the fields of an update, never their values", () => {
    const line = auditFields(updated, context);
    expect(line["fields"]).toEqual(["spec.displayName"]);
    expect(JSON.stringify(line)).not.toContain("secret");
  });

  it("names the author of the commit where it has one", () => {
    expect(auditFields(created, { ...context, author: author })["author"]).toBe("Ada <ada@example.org>");
  });
});
