import { expect, it } from "vitest";
import { readWebhook } from "../../../src/forge/read-webhook.ts";

const secret = "webhook-s3cret";
const ignored = { kind: "ignored" };

function pushOf(repository: string, ref = "refs/heads/main") {
  return { body: { repository, ref }, expected: { kind: "hint", hint: { kind: "push", repository, ref } } };
}

function changeOf(after: string, more: object = {}) {
  const [repository, ref] = ["a/b", "refs/heads/main"];
  return {
    body: { repository, ref, after },
    expected: { kind: "hint", hint: { kind: "push", repository, ref, ...more } },
  };
}

function mergeOf(iid: unknown, branch: unknown) {
  const attributes = { iid, target_branch: branch };
  const body = { object_kind: "merge_request", repository: "a/b", object_attributes: attributes };
  return { body, expected: ignored };
}

it.each([
  { reason: "an empty name", ...pushOf(""), expected: ignored },
  { reason: "a name of 500 characters", ...pushOf("x".repeat(500)) },
  { reason: "a name of 501 characters", ...pushOf("x".repeat(501)), expected: ignored },
  { reason: "a text before a ref", ...pushOf("a/b", "xrefs/heads/x"), expected: ignored },
  { reason: "a deletion", ...changeOf("0".repeat(40), { isDeleted: true }) },
  { reason: "a deletion of a SHA-256 repository", ...changeOf("0".repeat(64), { isDeleted: true }) },
  { reason: "a commit of few zeros", ...changeOf("0".repeat(39) + "1") },
  { reason: "no commit", ...changeOf("") },
  { reason: "a merge request to no branch", ...mergeOf(1, undefined) },
  { reason: "a merge request to a branch with a blank", ...mergeOf(1, "a b") },
  { reason: "a merge request to a branch with dots", ...mergeOf(1, "..") },
  { reason: "a merge request without a number", ...mergeOf(undefined, "main") },
  { reason: "a merge request of the number 0", ...mergeOf(0, "main") },
  { reason: "a merge request of half a number", ...mergeOf(1.5, "main") },
  { reason: "a merge request of a number that is too large", ...mergeOf(2 ** 53, "main") },
  { reason: "a merge request of a text for a number", ...mergeOf("1", "main") },
])("A33 a webhook bears $reason", ({ body, expected }) => {
  const headers = { "x-gitlab-token": secret };
  expect(readWebhook({ headers, body: Buffer.from(JSON.stringify(body)), secrets: [secret] })).toEqual(expected);
});
