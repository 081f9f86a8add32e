import { describe, expect, it } from "vitest";
import { idAt, readComment, readPullRequest } from "../../../src/forge/pull-request-json.ts";
import type { JsonObject } from "../../../src/core/json.ts";

const head = { ref: "join/door", sha: "a".repeat(40), repo: { id: 7 } };
const base = { ref: "main", repo: { id: 7 } };
const pull = { number: 3, title: "Admit", body: "text", html_url: "https://forge.example.com/3", head, base };

describe("readPullRequest", () => {
  it("reads what the forge answers", () => {
    expect(readPullRequest({ ...pull, draft: true }, (body) => body)).toEqual({
      ...{ number: 3, title: "Admit", body: "text", url: "https://forge.example.com/3" },
      ...{ headBranch: "join/door", headCommit: "a".repeat(40), baseBranch: "main", isFork: false, isDraft: true },
    });
    expect(readPullRequest({ number: 3, head, base })).toMatchObject({ title: "", body: "", url: "", isDraft: false });
  });

  it.each<{ lacks: string; json: JsonObject }>([
    { lacks: "a number", json: { ...pull, number: "3" } },
    { lacks: "a commit", json: { ...pull, head: { ...head, sha: null } } },
    { lacks: "a branch", json: { ...pull, head: { ...head, ref: null } } },
    { lacks: "a target", json: { ...pull, base: null } },
  ])("is undefined for one that lacks $lacks", ({ json }) => {
    expect(readPullRequest(json)).toBeUndefined();
  });

  it.each<{ reason: string; head: JsonObject; base?: JsonObject; isFork: boolean }>([
    { reason: "another repository", head: { ...head, repo: { id: 8 } }, isFork: true },
    { reason: "a repository that is deleted", head: { ...head, repo: null }, isFork: true },
    {
      reason: "no repository, into one that is not named",
      head: { ...head, repo: null },
      base: { ref: "main" },
      isFork: true,
    },
    { reason: "a push to refs/for", head: { ...head, ref: "refs/pull/3/head" }, isFork: true },
    { reason: "the same repository, by its number alone", head: { ...head, repo: null, repo_id: 7 }, isFork: false },
    { reason: "a repository of the number 0", head: { ...head, repo: null, repo_id: 0 }, isFork: true },
    {
      reason: "a deleted repository of the number 0 on both sides",
      head: { ...head, repo: null, repo_id: 0 },
      base: { ref: "main", repo_id: 0 },
      isFork: true,
    },
    {
      reason: "a deleted repository of the number -1 on both sides",
      head: { ...head, repo: null, repo_id: -1 },
      base: { ref: "main", repo_id: -1 },
      isFork: true,
    },
  ])(
    "A123 takes $reason for a fork: $isFork, and keeps no text of one",
    ({ head: from, base: into = base, isFork }) => {
      const read = readPullRequest({ ...pull, head: from, base: into }, (body) => body);
      expect(read).toMatchObject({ isFork, body: isFork ? "" : "text" });
    },
  );
});

describe("idAt", () => {
  it.each([
    { id: 7, expected: "7" },
    { id: "7", expected: "7" },
    { id: "", expected: undefined },
    { id: null, expected: undefined },
    { id: true, expected: undefined },
  ])("is $expected for $id", ({ id, expected }) => {
    expect(idAt({ user: { id } }, "user", "id")).toBe(expected);
  });
});

describe("readComment", () => {
  it.each<{ what: string; json: JsonObject; expected: unknown }>([
    { what: "a comment", json: { id: 1, user: { id: 2 }, body: "x" }, expected: { id: "1", authorId: "2", body: "x" } },
    { what: "a comment without an author", json: { id: 1 }, expected: { id: "1", authorId: undefined, body: "" } },
    { what: "a comment of a timeline", json: { id: 1, type: "comment", body: "x" }, expected: { id: "1", body: "x" } },
    { what: "an event of a timeline", json: { id: 1, type: "label", body: "x" }, expected: undefined },
    { what: "a text without an id", json: { body: "x" }, expected: undefined },
  ])("reads $what", ({ json, expected }) => {
    expect(readComment(json)).toEqual(expected);
  });
});
