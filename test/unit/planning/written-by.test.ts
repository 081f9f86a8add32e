import { describe, expect, it } from "vitest";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { authorOf, isUserAddress, shownUser, writersOf } from "../../../src/planning/written-by.ts";

const { writtenBy } = annotationKeys;
const written = (text: string | undefined) => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", ...(text === undefined ? {} : { annotations: { [writtenBy]: text } }) },
});

describe("writersOf", () => {
  it.each([
    { reason: "one user", text: "alice", users: ["alice"], beforeCount: undefined },
    {
      reason: "users before and after Rollcall",
      text: "al\nrollcall\nbo\nca",
      users: ["al", "bo", "ca"],
      beforeCount: 1,
    },
    { reason: "Rollcall at the end", text: "alice\nrollcall", users: ["alice"], beforeCount: 1 },
    { reason: "users without a name", text: "?\nalice", users: ["?", "alice"], beforeCount: undefined },
  ])("reads $users from $reason", ({ text, users, beforeCount }) => {
    expect(writersOf(written(text), "rollcall")).toEqual({ users, beforeCount });
  });

  it.each([undefined, ""])("reads nothing from the text %j", (text) => {
    expect(writersOf(written(text), "rollcall")).toBeUndefined();
  });
});

describe("authorOf", () => {
  const domain = "users.noreply.rollcall.dev";
  it.each([
    { users: ["alice"], email: `alice@${domain}` },
    { users: ["bob@example.com"], email: `bob%40example.com@${domain}` },
    { users: ["system:serviceaccount:ci:deploy"], email: `system%3Aserviceaccount%3Aci%3Adeploy@${domain}` },
  ])("is the one user: $users", ({ users, email }) => {
    expect(authorOf(users)).toEqual({ name: users[0], email });
    expect(isUserAddress(email)).toBe(true);
  });

  it.each([
    { reason: "no user", users: [] },
    { reason: "two users", users: ["mallory", "bob"] },
    { reason: "a user without a name", users: ["?"] },
    { reason: "a name that git would write without its brackets", users: ["bo<b"] },
    { reason: "a name with an invisible character, which reads as another one", users: ["bo\u200bb"] },
    { reason: "a name with spaces around it", users: [" bob"] },
    { reason: "a name of several lines", users: ["bob\nRollcall-Allow-Deletions: 9"] },
  ])("A79 is none for $reason", ({ users }) => {
    expect(authorOf(users)).toBeUndefined();
  });
});

describe("isUserAddress", () => {
  it("is false for the address of a person", () => {
    expect(isUserAddress("alice@example.com")).toBe(false);
    expect(isUserAddress("rollcall@rollcall.dev")).toBe(false);
  });
});

describe("shownUser", () => {
  it("is one line, for a trailer of a commit", () => {
    expect(shownUser("bob\nRollcall-Allow-Deletions: 9")).toBe("bob Rollcall-Allow-Deletions: 9");
  });
});
