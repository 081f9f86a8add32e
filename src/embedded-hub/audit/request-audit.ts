import { compact } from "../../core/compact.ts";
import { parseExactJson } from "../../core/exact-json.ts";
import { isJsonObject, stringifyJson } from "../../core/json.ts";
import { numberAt, textAt, valueAt } from "../../core/read-json.ts";
import type { Decision, UserInfo } from "../auth/auth.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { AuditFacts, ObjectReference } from "./audit-event.ts";
import { referenceOf, renderEvent } from "./audit-event.ts";
import type { AuditRule, AuditStage } from "./audit-policy.ts";

export interface RequestAuditOptions {
  readonly rule: AuditRule;
  readonly info: RequestInfo;
  /** Undefined: the credential is not valid. */
  readonly user: UserInfo | undefined;
  readonly facts: Pick<AuditFacts, "auditId" | "requestUri" | "sourceIps" | "userAgent">;
  readonly nowMs: () => number;
  /** The status code of the answer; undefined when nothing was answered. */
  readonly code: () => number | undefined;
  readonly write: (line: string) => void;
}

/** Collects what is known of one request, and writes it at each stage. A class for what it collects. */
export class RequestAudit {
  private readonly options: RequestAuditOptions;
  private facts: AuditFacts;
  private readonly isLong: boolean;
  private hasStarted = false;
  private hasEnded = false;

  /** Writes that the request arrived. */
  constructor(options: RequestAuditOptions) {
    const { rule, info, user, facts, nowMs } = options;
    this.options = options;
    this.facts = {
      ...facts,
      level: rule.level,
      verb: info.verb,
      user,
      object: info.kind === "resource" ? referenceOf(info) : undefined,
      receivedMs: nowMs(),
    };
    this.isLong = info.kind === "resource" && (info.verb === "watch" || info.subresource === "log");
    if (user !== undefined) this.write("RequestReceived", this.facts.receivedMs);
  }

  /** True: {@link answered} is to be called. */
  get keepsResponse(): boolean {
    return this.options.rule.level === "RequestResponse";
  }

  impersonated(user: UserInfo): void {
    this.facts = { ...this.facts, impersonatedUser: user };
  }

  /** The credential is not valid. `attempted` are the kinds that were shown. */
  refused(attempted: readonly string[]): void {
    const message =
      attempted.length > 0
        ? `Authentication failed, attempted: ${attempted.join(", ")}`
        : "Authentication failed, no credentials provided";
    this.facts = { ...this.facts, status: { message } };
  }

  authorized({ isAllowed, reason }: Decision): void {
    const annotations = {
      "authorization.k8s.io/decision": isAllowed ? "allow" : "forbid",
      "authorization.k8s.io/reason": reason,
    };
    this.facts = { ...this.facts, annotations };
  }

  annotated(key: string, value: string): void {
    this.facts = { ...this.facts, annotations: { ...this.facts.annotations, [key]: value } };
  }

  /** The object in the body of a request. */
  requested(object: object): void {
    const { object: reference } = this.facts;
    if (reference !== undefined) this.facts = { ...this.facts, object: completed(reference, object) };
    this.patched(object);
  }

  /** The patch in the body of a request: it does not identify the object reliably. */
  patched(patch: unknown): void {
    const { level } = this.options.rule;
    if (level !== "Request" && level !== "RequestResponse") return;
    this.facts = { ...this.facts, requestObject: stringifyJson(this.trimmed(patch)) };
  }

  /** The body of an answer, as JSON. */
  answered(json: string): void {
    const { omitManagedFields } = this.options.rule;
    const responseObject = omitManagedFields ? stringifyJson(this.trimmed(parseExactJson(json))) : json.trimEnd();
    this.facts = { ...this.facts, responseObject };
  }

  /** The answer is a Status. */
  answeredStatus(answer: object): void {
    const [status, message, reason] = ["status", "message", "reason"].map((name) => textAt(answer, name));
    const known = { status, message, reason, details: valueAt(answer, "details"), code: numberAt(answer, "code") };
    this.facts = { ...this.facts, status: compact(known) };
  }

  /** The answer to a long-running request begins. */
  started(code: number): void {
    if (!this.isLong || this.hasStarted) return;
    this.hasStarted = true;
    this.facts = { ...this.facts, status: { ...this.facts.status, code } };
    this.write("ResponseStarted", this.options.nowMs());
  }

  /** The answer was sent, or its client disconnected. */
  ended(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const code = this.options.code();
    const isUnanswered = code === undefined && this.facts.status === undefined;
    const status = isUnanswered
      ? ({ status: "Success", message: "Connection closed early", code: 200 } as const)
      : { ...this.facts.status, ...(code === undefined ? {} : { code }) };
    this.facts = { ...this.facts, status };
    this.write(this.options.user === undefined ? "ResponseStarted" : "ResponseComplete", this.options.nowMs());
  }

  private write(stage: AuditStage, stageMs: number): void {
    if (this.options.rule.omitStages.includes(stage)) return;
    this.options.write(renderEvent(this.facts, stage, stageMs));
  }

  private trimmed(value: unknown): unknown {
    return this.options.rule.omitManagedFields ? withoutManagedFields(value) : value;
  }
}

function completed(reference: ObjectReference, object: object): ObjectReference {
  const of = (field: string): string => textAt(object, "metadata", field) ?? "";
  return {
    ...reference,
    namespace: reference.namespace || of("namespace"),
    name: reference.name || of("name"),
    uid: reference.uid || of("uid"),
    resourceVersion: reference.resourceVersion || of("resourceVersion"),
  };
}

/** Of an object, of the items of a list, and of the objects in the rows of a table. */
function withoutManagedFields(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { metadata, items, rows, object } = value;
  const each = (list: readonly unknown[]): unknown[] => list.map((item) => withoutManagedFields(item));
  return {
    ...value,
    ...(isJsonObject(metadata) ? { metadata: withoutKey(metadata, "managedFields") } : {}),
    ...(Array.isArray(items) ? { items: each(items) } : {}),
    ...(Array.isArray(rows) ? { rows: each(rows) } : {}),
    ...(isJsonObject(object) ? { object: withoutManagedFields(object) } : {}),
  };
}

function withoutKey(object: object, key: string): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}
