import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { numberAt, textAt, valueAt } from "../core/read-json.ts";
import { parseJson } from "../core/parse-json.ts";
import { repositoryPath } from "./forge-address.ts";

/** The event that a webhook reports. It only causes a reconcile: the repository is read again. */
export type WebhookHint =
  | {
      readonly kind: "push";
      /** The repository's name at the forge, as in its address. Compare it with `isHintFor`. */
      readonly repository: string;
      /** `refs/heads/main`. */
      readonly ref: string;
      /** The branch was deleted. */
      readonly isDeleted?: true;
    }
  | {
      readonly kind: "pull-request";
      readonly repository: string;
      /** The target branch, as `refs/heads/main`. */
      readonly ref: string;
      readonly number: number;
    };

export type WebhookResult =
  | { readonly kind: "hint"; readonly hint: WebhookHint }
  /** Correctly signed, and nothing that the daemon reads. */
  | { readonly kind: "ignored" }
  | { readonly kind: "refused"; readonly reason: WebhookRefusal };

/**
 * - `no-secret`: no secret is configured; nothing is accepted then.
 * - `too-large`: the body is larger than is read.
 * - `unsigned`: there is no signature or token that is known.
 * - `bad-signature`: there is one, and it is not made with a secret of ours.
 * - `malformed`: rightly signed, and yet not readable.
 */
export type WebhookRefusal = "no-secret" | "too-large" | "unsigned" | "bad-signature" | "malformed";

export interface WebhookRequest {
  /** By lower-case name, as node has them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it came, not decoded. */
  readonly body: Uint8Array;
  /** Any one of them will do, so that a secret can be replaced. Empty ones do not count. */
  readonly secrets: readonly string[];
  /** Default 4 MiB. The reader of the body must stop there too. */
  readonly maximumBytes?: number;
}

/**
 * Checks a webhook of GitHub (`X-Hub-Signature-256`), Gitea and Forgejo (`X-Gitea-Signature`, `X-Forgejo-Signature`),
 * GitLab (`webhook-signature` or `X-Gitlab-Token`) or of any script (`X-Rollcall-Signature: sha256=<hex HMAC-SHA256>`, body
 * `{"repository": "owner/name", "ref": "refs/heads/main"}`), in constant time, and reads what it hints at. Pure and total:
 * no input makes it throw. A repeated webhook only causes another reconcile.
 * Sources: GitHub, "Validating webhook deliveries"; Gitea, "Webhooks"; GitLab, "Webhooks"; Standard Webhooks 1.0.
 */
export function readWebhook({ headers, body, secrets, maximumBytes = 4 * 1024 * 1024 }: WebhookRequest): WebhookResult {
  const usable = secrets.filter((secret) => secret !== "");
  if (usable.length === 0) return { kind: "refused", reason: "no-secret" };
  if (body.byteLength > maximumBytes) return { kind: "refused", reason: "too-large" };
  const checks = findChecks(headers, body);
  if (checks.length === 0) return { kind: "refused", reason: "unsigned" };
  // Every one is tried, so that the time does not reveal which one it was.
  const passed = checks.flatMap((check) => usable.filter((secret) => check(secret)));
  if (passed.length === 0) return { kind: "refused", reason: "bad-signature" };
  const payload = parsePayload(headers, body);
  if (payload === undefined) return { kind: "refused", reason: "malformed" };
  const hint = readHint(eventOf(headers), payload);
  return hint === undefined ? { kind: "ignored" } : { kind: "hint", hint };
}

const signatureHeaders = ["x-hub-signature-256", "x-rollcall-signature", "x-gitea-signature", "x-forgejo-signature"];

/**
 * False when the headers alone show that {@link readWebhook} refuses the request: no signature and no token, or only a
 * token that is none of the secrets. The body need not be read then.
 */
export function mayBeSigned(headers: WebhookRequest["headers"], secrets: readonly string[]): boolean {
  const usable = secrets.filter((secret) => secret !== "");
  if (usable.length === 0) return false;
  if (header(headers, "webhook-signature") !== undefined) return true;
  if (signatureHeaders.some((name) => hexSignature(headers, name) !== undefined)) return true;
  const token = header(headers, "x-gitlab-token");
  return token !== undefined && usable.filter((secret) => isSameText(token, secret)).length > 0;
}

function hexSignature(headers: Headers, name: string): string | undefined {
  const signature = header(headers, name)?.replace(/^sha256=/u, "");
  return signature !== undefined && /^[0-9a-f]{64}$/iu.test(signature) ? signature : undefined;
}

/** True when the hint names the repository of that address; names are compared as they are, but for case. */
export function isHintFor(hint: WebhookHint, repositoryUrl: string): boolean {
  const path = repositoryPath(repositoryUrl)?.toLowerCase();
  const name = hint.repository.toLowerCase();
  // A forge may be installed below a path, which is part of the address and not of the name.
  return path !== undefined && (path === name || path.endsWith(`/${name}`));
}

type Headers = WebhookRequest["headers"];
type Check = (secret: string) => boolean;

function header(headers: Headers, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === "string" ? value : value?.[0];
}

/** A check for each signature or token that is there; some forges send several, each made with a secret. */
function findChecks(headers: Headers, body: Uint8Array): Check[] {
  const checks: Check[] = [];
  for (const name of signatureHeaders) {
    const signature = header(headers, name)?.replace(/^sha256=/u, "");
    if (signature !== undefined) checks.push((secret) => isHexHmac(signature, secret, body));
  }
  const standard = header(headers, "webhook-signature");
  if (standard !== undefined) checks.push((secret) => isStandardSignature(standard, { headers, secret, body }));
  const token = header(headers, "x-gitlab-token");
  if (token !== undefined) checks.push((secret) => isSameText(token, secret));
  return checks;
}

function isHexHmac(hex: string, secret: string, body: Uint8Array): boolean {
  const expected = createHmac("sha256", secret).update(body).digest();
  return /^[0-9a-f]{64}$/iu.test(hex) && timingSafeEqual(Buffer.from(hex, "hex"), expected);
}

/** `v1,<base64>` over id, time and body; there may be several, with blanks between them. */
function isStandardSignature(
  signatures: string,
  { headers, secret, body }: { readonly headers: Headers; readonly secret: string; readonly body: Uint8Array },
): boolean {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  // There is no base64 text behind the prefix: every sender knows such a key.
  if (key.length === 0) return false;
  const prefix = `${header(headers, "webhook-id") ?? ""}.${header(headers, "webhook-timestamp") ?? ""}.`;
  const expected = createHmac("sha256", key).update(prefix).update(body).digest("base64");
  const given = signatures.split(" ").slice(0, 10);
  return given.filter((signature) => isSameText(signature, `v1,${expected}`)).length > 0;
}

/** Compares hashes: they have one length, whatever the texts have. */
function isSameText(left: string, right: string): boolean {
  const hashOf = (text: string) => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(hashOf(left), hashOf(right));
}

function parsePayload(headers: Headers, body: Uint8Array): unknown {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  const isForm = (header(headers, "content-type") ?? "").startsWith("application/x-www-form-urlencoded");
  return parseJson(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
}

function eventOf(headers: Headers): string | undefined {
  const names = ["x-github-event", "x-gitea-event", "x-forgejo-event", "x-gitlab-event"];
  return names.map((name) => header(headers, name)).find((event) => event !== undefined);
}

function readHint(event: string | undefined, payload: unknown): WebhookHint | undefined {
  const repository =
    textAt(payload, "project", "path_with_namespace") ??
    textAt(payload, "repository", "full_name") ??
    textAt(payload, "repository");
  if (repository === undefined || repository === "" || repository.length > 500) return undefined;
  switch (event) {
    case "push":
    case "Push Hook":
    case "System Hook":
    case undefined:
      return isMergeRequest(payload) ? readMergeRequest(repository, payload) : readPush(repository, payload);
    case "pull_request":
    case "pull_request_sync":
      return pullRequestHint(repository, numberAt(payload, "number"), textAt(payload, "pull_request", "base", "ref"));
    case "Merge Request Hook":
      return readMergeRequest(repository, payload);
    case "delete":
      return readDeletion(repository, payload);
    default:
      return undefined;
  }
}

function isMergeRequest(payload: unknown): boolean {
  return valueAt(payload, "object_kind") === "merge_request";
}

function readMergeRequest(repository: string, payload: unknown): WebhookHint | undefined {
  const number = numberAt(payload, "object_attributes", "iid");
  return pullRequestHint(repository, number, textAt(payload, "object_attributes", "target_branch"));
}

function pullRequestHint(
  repository: string,
  number: number | undefined,
  base: string | undefined,
): WebhookHint | undefined {
  if (number === undefined || !Number.isSafeInteger(number) || number < 1) return undefined;
  if (base === undefined || !isRef(`refs/heads/${base}`)) return undefined;
  return { kind: "pull-request", repository, ref: `refs/heads/${base}`, number };
}

function readPush(repository: string, payload: unknown): WebhookHint | undefined {
  const ref = textAt(payload, "ref");
  if (ref === undefined || !isRef(ref)) return undefined;
  const after = textAt(payload, "after") ?? "";
  // Instead of a commit, git names zeros.
  const isDeleted = after !== "" && after.replaceAll("0", "") === "";
  return { kind: "push", repository, ref, ...(isDeleted ? { isDeleted } : {}) };
}

/** For a deleted branch, Gitea and Forgejo send this in the place of a push. Source: Gitea, services/webhook/notifier.go. */
function readDeletion(repository: string, payload: unknown): WebhookHint | undefined {
  const ref = `refs/heads/${textAt(payload, "ref") ?? ""}`;
  if (textAt(payload, "ref_type") !== "branch" || !isRef(ref)) return undefined;
  return { kind: "push", repository, ref, isDeleted: true };
}

/** Git accepts other spaces than that of ASCII, and joined emoji. Source: git, refs.c, check_refname_format. */
function isRef(text: string): boolean {
  return /^refs\/[^\p{Cc} ~^:?*[\\]{1,500}$/u.test(text) && !text.includes("..");
}
