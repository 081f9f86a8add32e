import { describe, expect, it } from "vitest";
import { secretUsers } from "../../../src/hub/secret-users.ts";
import { clusterOf } from "./objects.ts";

const namesSecret = (name: string, ...secrets: string[]) =>
  clusterOf(name, { metadata: { annotations: { secrets: secrets.join(",") } } });

const none: readonly ReturnType<typeof namesSecret>[] = [];
const open = (clusters = none) =>
  secretUsers(clusters, ({ metadata }) => (metadata.annotations?.["secrets"] ?? "").split(",").filter(Boolean));

describe("secretUsers", () => {
  it("knows the clusters that it starts with, by workspace and Secret", () => {
    const users = open([namesSecret("a", "s1", "s2"), namesSecret("b", "s1")]);
    expect([users.of("fleet", "s1"), users.of("fleet", "s2"), users.of("other", "s1")]).toEqual([
      ["a", "b"],
      ["a"],
      [],
    ]);
  });

  it.each([
    { reason: "one that is added", before: undefined, object: namesSecret("a", "s1"), s1: ["a"], s2: [] },
    {
      reason: "one that names another",
      before: namesSecret("a", "s1"),
      object: namesSecret("a", "s2"),
      s1: [],
      s2: ["a"],
    },
    { reason: "one that is deleted", before: namesSecret("a", "s1"), object: undefined, s1: [], s2: [] },
  ])("takes in $reason", ({ before, object, s1, s2 }) => {
    const users = open(before ? [before] : none);
    users.record(before, object);
    expect([users.of("fleet", "s1"), users.of("fleet", "s2")]).toEqual([s1, s2]);
  });

  it("keeps the other users of a Secret that one names no more", () => {
    const users = open([namesSecret("a", "s1"), namesSecret("b", "s1")]);
    users.record(namesSecret("a", "s1"), undefined);
    expect(users.of("fleet", "s1")).toEqual(["b"]);
  });
});
