import { describe, expect, it } from "vitest";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { authorOf, isUserAddress, shownUser, usersOf } from "../../../src/planning/written-by.ts";

const { writtenBy } = annotationKeys;
const written = (text: string | undefined) => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "eu-1", ...(text === undefined ? {} : { annotations: { [writtenBy]: text } }) },
});

describe("usersOf", () => {
  it.each([
    { reason: "no annotation", text: undefined, users: [] },
    { reason: "an empty annotation", text: "", users: [] },
    { reason: "one user", text: "alice", users: ["alice"] },
    { reason: "users before and after Rollcall", text: "alice\nrollcall\nbob\ncarol", users: ["bob", "carol"] },
    { reason: "Rollcall at the end", text: "alice\nrollcall", users: [] },
    { reason: "users without a name", text: "?\nalice", users: ["?", "alice"] },
  ])("reads $users from $reason", ({ text, users }) => {
    expect(usersOf(written(text), "rollcall")).toEqual(users);
  });

  it("reads nothing where the API server does not record its users: the client may have written it", () => {
    expect(usersOf(written("alice"), undefined)).toEqual([]);
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
  ])("is none for $reason", ({ users }) => {
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
