import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { textAt } from "../../../../src/core/read-json.ts";
import type { AuditRule } from "../../../../src/embedded-hub/audit/audit-policy.ts";
import { metadataPolicy } from "../../../../src/embedded-hub/audit/audit-policy.ts";
import { RequestAudit } from "../../../../src/embedded-hub/audit/request-audit.ts";
import { readRequestInfo } from "../../../../src/embedded-hub/request/request-info.ts";

const [metadata] = metadataPolicy.rules;
const atMs = Date.UTC(2027, 0, 1);
const alice = { username: "alice", uid: "7", groups: ["dev"], extra: { k: ["v"] } };

interface Setting {
  readonly rule?: Partial<AuditRule>;
  readonly method?: string;
  readonly url?: string;
  readonly code?: number | undefined;
  readonly isRefused?: boolean;
  readonly userAgent?: string;
}

/** The events of a request that a test lets pass; each stage comes a second after the one before. */
function eventsOf(setting: Setting, run: (audit: RequestAudit) => void): JsonObject[] {
  const { rule, method = "GET", url = "/api/v1/namespaces/shop/pods/p", isRefused = false } = setting;
  const info = readRequestInfo(method, url);
  if (info.kind === "malformed" || metadata === undefined) throw new Error("a request that can be read");
  const lines: string[] = [];
  let nowMs = atMs;
  const audit = new RequestAudit({
    ...{ info, user: isRefused ? undefined : alice, write: (line) => void lines.push(line) },
    rule: { ...metadata, omitStages: [], ...rule },
    facts: { auditId: "id", requestUri: url, sourceIps: isRefused ? [] : ["10.0.0.1"], userAgent: setting.userAgent },
    nowMs: () => (nowMs += 1000) - 1000,
    code: () => ("code" in setting ? setting.code : 200),
  });
  run(audit);
  audit.ended();
  audit.ended();
  expect(lines.every((line) => line.endsWith("\n"))).toBe(true);
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

const nothing = (): void => undefined;

it("an event has who asked for what, from where, and when", () => {
  const [received, complete, ...more] = eventsOf({ userAgent: "kubectl" }, (audit) => {
    audit.impersonated({ username: "bob", groups: [] });
    audit.authorized({ isAllowed: true, reason: "by a role" });
    audit.annotated("a/b", "c");
  });
  const common = {
    ...{ kind: "Event", apiVersion: "audit.k8s.io/v1", level: "Metadata", auditID: "id", verb: "get" },
    ...{ requestURI: "/api/v1/namespaces/shop/pods/p", user: alice, sourceIPs: ["10.0.0.1"], userAgent: "kubectl" },
    objectRef: { resource: "pods", namespace: "shop", name: "p", apiVersion: "v1" },
    requestReceivedTimestamp: "2027-01-01T00:00:00.000000Z",
  };
  expect(received).toEqual({ ...common, stage: "RequestReceived", stageTimestamp: "2027-01-01T00:00:00.000000Z" });
  expect(complete).toEqual({
    ...common,
    ...{ stage: "ResponseComplete", stageTimestamp: "2027-01-01T00:00:01.000000Z" },
    impersonatedUser: { username: "bob" },
    responseStatus: { metadata: {}, code: 200 },
    annotations: {
      ...{ "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "by a role", "a/b": "c" },
    },
  });
  expect(more).toEqual([]);
});

describe("an event", () => {
  it.each<readonly [string, Setting, (audit: RequestAudit) => void, readonly object[]]>([
    [
      "of a refused credential is one, without its user",
      { isRefused: true, code: 401 },
      (audit) => audit.refused(["Bearer", "Basic"]),
      [
        {
          stage: "ResponseStarted",
          user: {},
          responseStatus: { metadata: {}, message: "Authentication failed, attempted: Bearer, Basic", code: 401 },
        },
      ],
    ],
    [
      "of a request without credentials",
      { isRefused: true, code: 401 },
      (audit) => audit.refused([]),
      [{ responseStatus: { metadata: {}, message: "Authentication failed, no credentials provided", code: 401 } }],
    ],
    [
      "of a forbidden request",
      { code: 403, rule: { omitStages: ["RequestReceived"] } },
      (audit) => {
        audit.authorized({ isAllowed: false, reason: "" });
        audit.answeredStatus({
          status: "Failure",
          message: "m",
          reason: "Forbidden",
          details: { a: 1 },
          code: 403,
          kind: "Status",
        });
      },
      [
        {
          responseStatus: {
            metadata: {},
            status: "Failure",
            message: "m",
            reason: "Forbidden",
            details: { a: 1 },
            code: 403,
          },
          annotations: { "authorization.k8s.io/decision": "forbid", "authorization.k8s.io/reason": "" },
        },
      ],
    ],
    [
      "of a client that left",
      { code: undefined },
      nothing,
      [{}, { responseStatus: { metadata: {}, status: "Success", message: "Connection closed early", code: 200 } }],
    ],
    [
      "of a client that left after its answer was made",
      { code: undefined },
      (audit) => audit.answeredStatus({ code: 404 }),
      [{}, { responseStatus: { metadata: {}, code: 404 } }],
    ],
    [
      "of a watch that begins, once",
      { url: "/api/v1/pods?watch=true", rule: { omitStages: ["RequestReceived"] } },
      (audit) => [200, 201].forEach((code) => audit.started(code)),
      [
        { stage: "ResponseStarted", verb: "watch", responseStatus: { metadata: {}, code: 200 } },
        { stage: "ResponseComplete", responseStatus: { metadata: {}, code: 200 } },
      ],
    ],
    [
      "of a log that begins",
      { url: "/api/v1/namespaces/shop/pods/p/log" },
      (audit) => audit.started(200),
      [{ stage: "RequestReceived" }, { stage: "ResponseStarted" }, { stage: "ResponseComplete" }],
    ],
    ["of a get that begins is none", {}, (audit) => audit.started(200), [{ stage: "RequestReceived" }, {}]],
    [
      "of a path",
      { url: "/healthz", userAgent: "x".repeat(1025) },
      nothing,
      [{ verb: "get", userAgent: `${"x".repeat(1024)}...TRUNCATED` }, {}],
    ],
    ["of a client without a name", { userAgent: "" }, nothing, [{ stage: "RequestReceived" }, {}]],
    ["of a client with a long name", { userAgent: "x".repeat(1024) }, nothing, [{ userAgent: "x".repeat(1024) }, {}]],
  ])("%s", (_what, setting, run, expected) => {
    const events = eventsOf(setting, run);
    expect(events).toMatchObject(expected);
    expect(events).toHaveLength(expected.length);
    const { userAgent } = setting;
    if (!userAgent) expect(events[0]).not.toHaveProperty("userAgent");
    if (setting.isRefused === true) expect(events[0]).not.toHaveProperty("sourceIPs");
    if (setting.url === "/healthz") expect(events[0]).not.toHaveProperty("objectRef");
  });
});

describe("bodies in an event", () => {
  const managed = (name: string) => ({ metadata: { name, managedFields: [{ manager: "m" }] } });
  const object = {
    ...managed("p"),
    items: [managed("a")],
    rows: [{ object: managed("b"), cells: [1] }],
    object: managed("c"),
  };
  const plain = (name: string) => ({ metadata: { name } });
  const trimmed = {
    ...plain("p"),
    items: [plain("a")],
    rows: [{ object: plain("b"), cells: [1] }],
    object: plain("c"),
  };
  const run = (audit: RequestAudit): void => {
    audit.requested(object);
    if (audit.keepsResponse) audit.answered(`${JSON.stringify(object)}\n`);
  };
  const last = (setting: Setting, body = run): JsonObject | undefined => eventsOf(setting, body).at(-1);

  it.each([
    { level: "Metadata", omitManagedFields: false, request: undefined, response: undefined },
    { level: "Request", omitManagedFields: false, request: object, response: undefined },
    { level: "Request", omitManagedFields: true, request: trimmed, response: undefined },
    { level: "RequestResponse", omitManagedFields: false, request: object, response: object },
    { level: "RequestResponse", omitManagedFields: true, request: trimmed, response: trimmed },
  ] as const)("of level $level, without managed fields: $omitManagedFields", ({ request, response, ...rule }) => {
    expect(last({ rule })).toMatchObject(
      JSON.parse(JSON.stringify({ requestObject: request, responseObject: response })) as object,
    );
    expect([request === undefined, response === undefined]).toEqual(
      ["requestObject", "responseObject"].map((field) => !Object.hasOwn(last({ rule }) ?? {}, field)),
    );
  });

  it("complete the reference to the object where the path has none, but a patch does not", () => {
    const body = { metadata: { name: "n", namespace: "ns", uid: "u", resourceVersion: "5" } };
    const url = "/api/v1/pods";
    const post = { method: "POST", url, rule: { level: "Request" } } as const;
    const whole = { resource: "pods", apiVersion: "v1", namespace: "ns", name: "n", uid: "u", resourceVersion: "5" };
    expect(last(post, (audit) => audit.requested(body))?.["objectRef"]).toEqual(whole);
    expect(last({ rule: post.rule }, (audit) => audit.requested(body))?.["objectRef"]).toMatchObject({
      name: "p",
      namespace: "shop",
    });
    const patched = last(post, (audit) => audit.patched(body));
    expect([patched?.["objectRef"], patched?.["requestObject"]]).toEqual([
      { resource: "pods", apiVersion: "v1" },
      body,
    ]);
    expect(last({ url: "/healthz" }, (audit) => audit.requested(body))).not.toHaveProperty("objectRef");
    expect(last(post, (audit) => audit.patched([5]))?.["requestObject"]).toEqual([5]);
  });

  it("are left out when both together are larger than 4 MiB", () => {
    const half = 2 * 1024 * 1024;
    const rule = { level: "RequestResponse" } as const;
    const send = (more: number) => (audit: RequestAudit) => {
      audit.patched("x".repeat(half - 2));
      audit.answered(JSON.stringify("x".repeat(half - 2 + more)));
    };
    expect(textAt(last({ rule }, send(0)), "responseObject")).toHaveLength(half - 2);
    const truncated = last({ rule }, send(1));
    expect(truncated).not.toHaveProperty("requestObject");
    expect(truncated).not.toHaveProperty("responseObject");
    expect(truncated?.["annotations"]).toEqual({ "audit.k8s.io/truncated": "true" });
  });
});
