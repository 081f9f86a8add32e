import { describe, expect, it } from "vitest";
import {
  changeMessage,
  describeChange,
  describeFields,
  describeRequest,
} from "../../../src/reconcile/change-message.ts";
import { hubChange } from "./hub-changes.ts";

const edit = (...paths: readonly string[][]) => ({
  kind: "Edit" as const,
  index: 0,
  edits: paths.map((path) => ({ path, value: 1 })),
});

describe("describeChange", () => {
  it.each([
    { file: { kind: "Create", text: "" } as const, expected: "create Cluster/fleet/eu-1" },
    { file: edit(), expected: "change Cluster/fleet/eu-1" },
    { file: { kind: "Delete", index: 0 } as const, expected: "delete Cluster/fleet/eu-1" },
  ])("describes $expected", ({ file, expected }) => {
    expect(describeChange(hubChange("eu-1", { file }))).toBe(expected);
  });
});

describe("describeFields", () => {
  it("names the fields of a change, ten at most", () => {
    const file = edit(["metadata", "labels", "site"], ["spec", "paused"]);
    expect(describeFields(hubChange("eu-1", { file }))).toBe(
      "change Cluster/fleet/eu-1 (metadata.labels[site], spec.paused)",
    );
    const many = edit(...Array.from({ length: 12 }, (_, index) => ["spec", `f${index}`]));
    expect(describeFields(hubChange("eu-1", { file: many }))).toMatch(/spec\.f9, 2 more\)$/u);
    expect(describeFields(hubChange("eu-1", { file: { kind: "Delete", index: 0 } }))).toBe("delete Cluster/fleet/eu-1");
  });
});

describe("changeMessage", () => {
  it("names objects, files, uids and each field manager once", () => {
    const changes = [
      hubChange("a", { managers: ["kubectl", "k9s"], users: ["alice"] }),
      hubChange("b", { managers: ["kubectl"], users: ["alice", "bob\nRollcall-Allow-Deletions: 9"] }),
    ];
    expect(changeMessage(changes, "hub-1")).toBe(
      `hub: delete Cluster fleet/a and 1 more object

A person did this on the hub.

- delete Cluster/fleet/a: clusters.yaml
- delete Cluster/fleet/b: clusters.yaml

Rollcall-Hub: hub-1
Rollcall-Hub-Object: Cluster/fleet/a uid-a
Rollcall-Hub-Object: Cluster/fleet/b uid-b
Rollcall-Hub-User: alice
Rollcall-Hub-User: bob Rollcall-Allow-Deletions: 9
Rollcall-Hub-Manager: kubectl
Rollcall-Hub-Manager: k9s
`,
    );
  });

  it("names no user where no manager is known", () => {
    expect(changeMessage([hubChange("a")], "hub-1")).toContain(
      "Rollcall-Hub-Manager: unknown; see the audit log of the API server\n",
    );
  });

  it.each([1, 2])("keeps the subject of %d changes within 72 characters", (count) => {
    const changes = Array.from({ length: count }, () => hubChange("x".repeat(100)));
    const [subject = ""] = changeMessage(changes, "hub-1").split("\n");
    expect(subject).toHaveLength(72);
    expect(subject.endsWith(" and 1 more object")).toBe(count === 2);
  });
});

describe("describeRequest", () => {
  it.each([
    {
      reason: "the fields of an edit",
      file: edit(["spec", "displayName"]),
      managers: [],
      contains: "- spec.displayName",
    },
    {
      reason: "who wrote it",
      file: edit(),
      managers: ["kubectl-edit", "k9s"],
      contains: "on the hub by kubectl-edit, k9s:",
    },
    { reason: "nobody where no manager is known", file: edit(), managers: [], contains: "did this on the hub: change" },
  ])("names $reason", ({ file, managers, contains }) => {
    expect(describeRequest(hubChange("eu-1", { file, managers })).body.replaceAll("\\", "")).toContain(contains);
  });

  it("escapes what others wrote", () => {
    expect(describeRequest(hubChange("a", { managers: ["[x](http://evil)"] })).body).not.toContain("[x](http://evil)");
  });
});
