import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHintFor, mayBeSigned, readWebhook } from "../../../src/forge/read-webhook.ts";
import type { WebhookHint, WebhookResult } from "../../../src/forge/read-webhook.ts";

const secret = "webhook-s3cret";
const hmac = (body: string, key = secret) => createHmac("sha256", key).update(body).digest("hex");

// Payloads have the fields that each forge sends with every such event; those that are not read are cut short.
const gitHubPush = JSON.stringify({
  ref: "refs/heads/main",
  before: "a".repeat(40),
  after: "b".repeat(40),
  repository: { id: 1, name: "fleet", full_name: "acme/fleet", html_url: "https://github.com/acme/fleet" },
  pusher: { name: "somebody" },
  commits: [{ id: "b".repeat(40), message: "Rollcall-Allow-Deletions: 100" }],
});
const gitHubPull = JSON.stringify({
  action: "synchronize",
  number: 7,
  pull_request: { number: 7, head: { ref: "x", sha: "b".repeat(40) }, base: { ref: "main" } },
  repository: { full_name: "acme/fleet" },
});
const gitLabPush = JSON.stringify({
  object_kind: "push",
  event_name: "push",
  ref: "refs/heads/main",
  checkout_sha: "b".repeat(40),
  project: { id: 1, path_with_namespace: "group/sub/fleet", web_url: "https://gitlab.example.com/group/sub/fleet" },
  repository: { name: "fleet", url: "git@gitlab.example.com:group/sub/fleet.git" },
});
const gitLabMerge = JSON.stringify({
  object_kind: "merge_request",
  project: { path_with_namespace: "group/fleet" },
  repository: { name: "fleet" },
  object_attributes: { iid: 3, source_branch: "x", target_branch: "main", action: "update" },
});
const generic = JSON.stringify({ repository: "acme/fleet", ref: "refs/heads/main" });

function read(headers: Record<string, string>, body: string | Uint8Array, secrets = [secret]): WebhookResult {
  return readWebhook({ headers, body: Buffer.from(body), secrets });
}

const push = (repository: string): WebhookResult => ({
  kind: "hint",
  hint: { kind: "push", repository, ref: "refs/heads/main" },
});

describe("readWebhook", () => {
  it.each<{ from: string; headers: Record<string, string>; body: string; expected: WebhookResult }>([
    {
      from: "GitHub",
      headers: { "x-github-event": "push", "x-hub-signature-256": `sha256=${hmac(gitHubPush)}` },
      body: gitHubPush,
      expected: push("acme/fleet"),
    },
    {
      from: "GitHub, as a form",
      headers: {
        "x-github-event": "push",
        "content-type": "application/x-www-form-urlencoded",
        "x-hub-signature-256": `sha256=${hmac(`payload=${encodeURIComponent(gitHubPush)}`)}`,
      },
      body: `payload=${encodeURIComponent(gitHubPush)}`,
      expected: push("acme/fleet"),
    },
    {
      from: "Gitea",
      headers: { "x-gitea-event": "push", "x-gitea-signature": hmac(gitHubPush) },
      body: gitHubPush,
      expected: push("acme/fleet"),
    },
    {
      from: "Forgejo",
      headers: { "x-forgejo-event": "push", "x-forgejo-signature": hmac(gitHubPush).toUpperCase() },
      body: gitHubPush,
      expected: push("acme/fleet"),
    },
    {
      from: "GitLab",
      headers: { "x-gitlab-event": "Push Hook", "x-gitlab-token": secret },
      body: gitLabPush,
      expected: push("group/sub/fleet"),
    },
    {
      from: "a script",
      headers: { "x-rollcall-signature": `sha256=${hmac(generic)}` },
      body: generic,
      expected: push("acme/fleet"),
    },
    {
      from: "GitHub, of a pull request",
      headers: { "x-github-event": "pull_request", "x-hub-signature-256": `sha256=${hmac(gitHubPull)}` },
      body: gitHubPull,
      expected: {
        kind: "hint",
        hint: { kind: "pull-request", repository: "acme/fleet", ref: "refs/heads/main", number: 7 },
      },
    },
    {
      from: "GitLab, of a merge request",
      headers: { "x-gitlab-event": "Merge Request Hook", "x-gitlab-token": secret },
      body: gitLabMerge,
      expected: {
        kind: "hint",
        hint: { kind: "pull-request", repository: "group/fleet", ref: "refs/heads/main", number: 3 },
      },
    },
    {
      from: "GitLab, of a merge request, as a system hook",
      headers: { "x-gitlab-event": "System Hook", "x-gitlab-token": secret },
      body: gitLabMerge.replace('"iid":3', '"iid":1'),
      expected: {
        kind: "hint",
        hint: { kind: "pull-request", repository: "group/fleet", ref: "refs/heads/main", number: 1 },
      },
    },
    {
      from: "GitHub, as a form in a character set",
      headers: {
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
        "x-hub-signature-256": `sha256=${hmac(`payload=${encodeURIComponent(gitHubPush)}`)}`,
      },
      body: `payload=${encodeURIComponent(gitHubPush)}`,
      expected: push("acme/fleet"),
    },
    {
      from: "Gitea, of an issue",
      headers: { "x-gitea-event": "issues", "x-gitea-signature": hmac(gitHubPush) },
      body: gitHubPush,
      expected: { kind: "ignored" },
    },
    {
      from: "GitHub, of a ping",
      headers: { "x-github-event": "ping", "x-hub-signature-256": `sha256=${hmac(gitHubPush)}` },
      body: gitHubPush,
      expected: { kind: "ignored" },
    },
  ])("reads a webhook from $from", ({ headers, body, expected }) => {
    expect(read(headers, body)).toEqual(expected);
  });

  it("reads GitLab's signatures, whichever way the secret is written", () => {
    const key = Buffer.from("0123456789abcdef0123456789abcdef");
    const whsec = `whsec_${key.toString("base64")}`;
    const sign = (signingKey: string | Buffer) =>
      createHmac("sha256", signingKey).update(`id-1.1700000000.${gitLabPush}`).digest("base64");
    const headers = (signature: string) => ({
      "x-gitlab-event": "Push Hook",
      "webhook-id": "id-1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": `v1,AAAA ${signature}`,
    });
    expect(read(headers(`v1,${sign(key)}`), gitLabPush, [whsec])).toEqual(push("group/sub/fleet"));
    expect(read(headers(`v1,${sign(secret)}`), gitLabPush)).toEqual(push("group/sub/fleet"));
    expect(read({ ...headers(`v1,${sign(secret)}`), "webhook-id": "id-2" }, gitLabPush)).toMatchObject({
      reason: "bad-signature",
    });
  });

  it("A32 tries ten signatures of Standard Webhooks, and no more", () => {
    const signature = createHmac("sha256", secret).update(`id-1.1700000000.${gitLabPush}`).digest("base64");
    const headers = (others: number) => ({
      "webhook-id": "id-1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": `${"v1,AAAA ".repeat(others)}v1,${signature}`,
    });
    expect(read(headers(9), gitLabPush)).toEqual(push("group/sub/fleet"));
    expect(read(headers(10), gitLabPush)).toMatchObject({ reason: "bad-signature" });
  });

  it.each(["whsec_", "whsec_%%%"])("A32 takes no signature by the empty key that %s has", (empty) => {
    const signature = createHmac("sha256", "").update(`id-1.1700000000.${gitLabPush}`).digest("base64");
    const headers = { "webhook-id": "id-1", "webhook-timestamp": "1700000000", "webhook-signature": `v1,${signature}` };
    expect(read(headers, gitLabPush, [empty])).toMatchObject({ reason: "bad-signature" });
  });

  const good = hmac(gitHubPush);
  it.each<{ reason: string; headers: Record<string, string>; expected: string }>([
    { reason: "no signature", headers: {}, expected: "unsigned" },
    { reason: "a signature of SHA-1 alone", headers: { "x-hub-signature": "sha1=0000" }, expected: "unsigned" },
    {
      reason: "a signature by another secret",
      headers: { "x-hub-signature-256": `sha256=${hmac(gitHubPush, "other")}` },
      expected: "bad-signature",
    },
    {
      reason: "a signature of another body",
      headers: { "x-hub-signature-256": `sha256=${hmac(`${gitHubPush} `)}` },
      expected: "bad-signature",
    },
    {
      reason: "half a signature",
      headers: { "x-gitea-signature": hmac(gitHubPush).slice(0, 32) },
      expected: "bad-signature",
    },
    { reason: "more than a signature", headers: { "x-gitea-signature": `${good}00` }, expected: "bad-signature" },
    { reason: "a text before a signature", headers: { "x-gitea-signature": `00${good}` }, expected: "bad-signature" },
    {
      reason: "a text before the name of the hash",
      headers: { "x-hub-signature-256": `00sha256=${good}` },
      expected: "bad-signature",
    },
    { reason: "no hex", headers: { "x-gitea-signature": "z".repeat(64) }, expected: "bad-signature" },
    { reason: "an empty token", headers: { "x-gitlab-token": "" }, expected: "bad-signature" },
    { reason: "the start of the token", headers: { "x-gitlab-token": secret.slice(0, -1) }, expected: "bad-signature" },
  ])("A32 refuses $reason", ({ headers, expected }) => {
    expect(read({ "x-github-event": "push", ...headers }, gitHubPush)).toEqual({
      kind: "refused",
      reason: expected,
    });
  });

  it("A32 accepts nothing without a secret", () => {
    const unsigned = { "x-github-event": "push", "x-hub-signature-256": `sha256=${hmac(gitHubPush, "")}` };
    for (const secrets of [[], [""]])
      expect(read(unsigned, gitHubPush, secrets)).toEqual({ kind: "refused", reason: "no-secret" });
    expect(read({ "x-gitlab-event": "Push Hook", "x-gitlab-token": "" }, gitLabPush, [""])).toEqual({
      kind: "refused",
      reason: "no-secret",
    });
  });

  it("takes any one of several secrets, so that they can be replaced", () => {
    const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${hmac(gitHubPush)}` };
    expect(read(headers, gitHubPush, ["new", secret])).toEqual(push("acme/fleet"));
  });

  it("F20 gives the same for the same, so that a webhook that comes twice or late only enqueues the Repository", () => {
    const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${hmac(gitHubPush)}` };
    const results = [1, 2, 3].map(() => read(headers, gitHubPush));
    expect(results).toEqual([push("acme/fleet"), push("acme/fleet"), push("acme/fleet")]);
    // Neither the commits nor the message of the payload can get any further.
    expect(JSON.stringify(results)).not.toMatch(/bbbb|Rollcall-Allow/u);
  });

  it.each(["👩\u200d🚀", "東京\u3000本番", "\u00a0", "a\ufeffb"])(
    "reads a push to the branch %j, which git accepts",
    (branch) => {
      const ref = `refs/heads/${branch}`;
      const body = JSON.stringify({ ref, repository: { full_name: "acme/fleet" } });
      expect(read({ "x-gitlab-token": secret }, body)).toMatchObject({ hint: { ref } });
    },
  );

  it("F17 names the branch of our own status commits, so that they can be ignored", () => {
    const body = JSON.stringify({ ref: "refs/heads/rollcall/status", repository: { full_name: "acme/fleet" } });
    const result = read({ "x-github-event": "push", "x-hub-signature-256": `sha256=${hmac(body)}` }, body);
    expect(result).toMatchObject({ hint: { ref: "refs/heads/rollcall/status" } });
  });

  it("A34 does not read a body that is too large, signed or not", () => {
    const body = Buffer.alloc(1025, "x");
    const request = { headers: { "x-gitlab-token": secret }, body, secrets: [secret], maximumBytes: 1024 };
    expect(readWebhook(request)).toEqual({ kind: "refused", reason: "too-large" });
    expect(readWebhook({ ...request, body: body.subarray(1) })).toEqual({ kind: "refused", reason: "malformed" });
  });

  it.each([
    { reason: "no JSON", body: "hello", expected: { kind: "refused", reason: "malformed" } },
    {
      reason: "JSON nested without end",
      body: "[".repeat(200_000),
      expected: { kind: "refused", reason: "malformed" },
    },
    { reason: "null", body: "null", expected: { kind: "ignored" } },
    { reason: "a list", body: "[]", expected: { kind: "ignored" } },
    {
      reason: "a repository that is no text",
      body: '{"repository":{"full_name":7},"ref":"refs/heads/x"}',
      expected: { kind: "ignored" },
    },
    { reason: "no ref", body: '{"repository":"a/b"}', expected: { kind: "ignored" } },
    {
      reason: "a ref that is no ref",
      body: '{"repository":"a/b","ref":"--upload-pack=x"}',
      expected: { kind: "ignored" },
    },
    {
      reason: "a ref with a line end",
      body: '{"repository":"a/b","ref":"refs/heads/a\\nb"}',
      expected: { kind: "ignored" },
    },
    { reason: "a ref with dots", body: '{"repository":"a/b","ref":"refs/heads/../x"}', expected: { kind: "ignored" } },
    {
      reason: "a huge name",
      body: JSON.stringify({ repository: "x".repeat(1000), ref: "refs/heads/x" }),
      expected: { kind: "ignored" },
    },
    {
      reason: "__proto__",
      body: '{"__proto__":{"repository":"a/b"},"ref":"refs/heads/x"}',
      expected: { kind: "ignored" },
    },
    {
      reason: "a negative number",
      body: '{"object_kind":"merge_request","repository":"a/b","object_attributes":{"iid":-1,"target_branch":"main"}}',
      expected: { kind: "ignored" },
    },
    {
      reason: "the number 0",
      body: '{"object_kind":"merge_request","repository":"a/b","object_attributes":{"iid":0,"target_branch":"main"}}',
      expected: { kind: "ignored" },
    },
  ])("A33 bears $reason", ({ body, expected }) => {
    expect(read({ "x-gitlab-token": secret }, body)).toEqual(expected);
  });

  it("A33 never throws, whatever headers and body are", () => {
    const names = fc.constantFrom(
      "x-github-event",
      "x-gitlab-event",
      "x-gitlab-token",
      "x-hub-signature-256",
      "webhook-signature",
      "webhook-id",
      "content-type",
      "__proto__",
      "constructor",
      "x-gitea-signature",
    );
    const values = fc.oneof(
      fc.string(),
      fc.constantFrom(secret, "push", "Push Hook", "Merge Request Hook", "application/x-www-form-urlencoded"),
      fc.array(fc.string(), { maxLength: 2 }),
    );
    const headers = fc
      .array(fc.tuple(names, values))
      .map((entries) => Object.fromEntries(entries) as Record<string, string>);
    const bodies = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .object({
          key: fc.constantFrom(
            "repository",
            "ref",
            "project",
            "path_with_namespace",
            "object_kind",
            "object_attributes",
            "iid",
            "target_branch",
            "pull_request",
            "base",
            "number",
            "full_name",
          ),
        })
        .map((value) => Buffer.from(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(headers, bodies, (given, body) => {
        const result = readWebhook({ headers: { ...given, "x-gitlab-token": secret }, body, secrets: [secret] });
        expect(["hint", "ignored", "refused"]).toContain(result.kind);
      }),
      { numRuns: 500 },
    );
  });
});

describe("isHintFor", () => {
  const hint = (repository: string): WebhookHint => ({ kind: "push", repository, ref: "refs/heads/main" });

  it.each([
    { name: "acme/fleet", url: "https://github.com/acme/fleet.git", expected: true },
    { name: "Acme/Fleet", url: "https://github.com/acme/fleet", expected: true },
    { name: "acme/fleet", url: "git@github.com:acme/fleet.git", expected: true },
    { name: "acme/fleet", url: "https://example.com/git/acme/fleet", expected: true },
    { name: "fleet", url: "https://github.com/notfleet", expected: false },
    { name: "cme/fleet", url: "https://github.com/acme/fleet", expected: false },
    { name: ".*", url: "https://github.com/acme/fleet", expected: false },
    { name: "acme/fleet", url: "https://github.com/acme/fleet-two", expected: false },
    { name: "acme/fleet", url: "/srv/acme/fleet", expected: false },
  ])("A32 compares $name and $url literally: $expected", ({ name, url, expected }) => {
    expect(isHintFor(hint(name), url)).toBe(expected);
  });
});

describe("the body of a webhook", () => {
  const hex = "0".repeat(64);
  it.each([
    { what: "a signature of GitHub", headers: { "x-hub-signature-256": `sha256=${hex}` }, isRead: true },
    { what: "a signature of Gitea", headers: { "x-gitea-signature": hex }, isRead: true },
    { what: "a signature of Standard Webhooks", headers: { "webhook-signature": "v1,AAAA" }, isRead: true },
    { what: "the token of GitLab", headers: { "x-gitlab-token": secret }, isRead: true },
    { what: "another token of GitLab", headers: { "x-gitlab-token": `${secret}x` }, isRead: false },
    { what: "an empty token of GitLab", headers: { "x-gitlab-token": "" }, isRead: false },
    { what: "half a signature", headers: { "x-gitea-signature": hex.slice(2) }, isRead: false },
    { what: "more than a signature", headers: { "x-gitea-signature": `${hex}00` }, isRead: false },
    { what: "a text before a signature", headers: { "x-gitea-signature": `x${hex}` }, isRead: false },
    { what: "a text before the hash", headers: { "x-hub-signature-256": `xsha256=${hex}` }, isRead: false },
    { what: "nothing", headers: {}, isRead: false },
  ])("is read with $what: $isRead", ({ headers, isRead }) => {
    expect(mayBeSigned(headers, ["", secret])).toBe(isRead);
    expect(mayBeSigned(headers, [""])).toBe(false);
  });
});
