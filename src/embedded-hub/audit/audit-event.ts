import { compact } from "../../core/compact.ts";
import type { UserInfo } from "../auth/auth.ts";
import type { ResourceRequest } from "../request/request-info.ts";
import type { AuditLevel, AuditStage } from "./audit-policy.ts";

/** What is known of a request. Source: Kubernetes API, audit.k8s.io/v1 Event. */
export interface AuditFacts {
  readonly level: AuditLevel;
  readonly auditId: string;
  readonly requestUri: string;
  readonly verb: string;
  /** Undefined: the credential is not valid. */
  readonly user: UserInfo | undefined;
  readonly impersonatedUser?: UserInfo;
  readonly sourceIps: readonly string[];
  readonly userAgent: string | undefined;
  readonly object: ObjectReference | undefined;
  readonly status?: ResponseStatus;
  /** As JSON. */
  readonly requestObject?: string;
  /** As JSON. */
  readonly responseObject?: string;
  readonly receivedMs: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Empty texts are left out. */
export interface ObjectReference {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

/** The fields of a Status that an event repeats. */
export interface ResponseStatus {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: unknown;
  readonly code?: number | undefined;
}

/** Larger bodies of one request are left out of its events, as kube-apiserver does where it truncates. */
const bodiesLimitCharacters = 4 * 1024 * 1024;
const userAgentLimit = 1024;

/** One line. Bodies are copied as they are, not parsed. */
export function renderEvent(facts: AuditFacts, stage: AuditStage, stageMs: number): string {
  const { requestObject, responseObject, annotations } = facts;
  const isTruncated = (requestObject?.length ?? 0) + (responseObject?.length ?? 0) > bodiesLimitCharacters;
  const head = compact({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: facts.level,
    auditID: facts.auditId,
    stage,
    requestURI: facts.requestUri,
    verb: facts.verb,
    user: userOf(facts.user),
    impersonatedUser: facts.impersonatedUser === undefined ? undefined : userOf(facts.impersonatedUser),
    sourceIPs: facts.sourceIps.length === 0 ? undefined : facts.sourceIps,
    userAgent: truncateUserAgent(facts.userAgent),
    objectRef: facts.object === undefined ? undefined : withoutEmpty(facts.object),
    responseStatus: facts.status === undefined ? undefined : { metadata: {}, ...compact(facts.status) },
  });
  const tail = compact({
    requestReceivedTimestamp: microTime(facts.receivedMs),
    stageTimestamp: microTime(stageMs),
    annotations: isTruncated ? { ...annotations, "audit.k8s.io/truncated": "true" } : annotations,
  });
  const bodies = isTruncated
    ? ""
    : `${member("requestObject", requestObject)}${member("responseObject", responseObject)}`;
  return `${JSON.stringify(head).slice(0, -1)}${bodies},${JSON.stringify(tail).slice(1)}\n`;
}

/** The object that the path names. */
export function referenceOf(info: ResourceRequest): ObjectReference {
  const { resource, namespace, name, subresource, group: apiGroup, version: apiVersion } = info;
  return { resource, namespace, name, uid: "", apiGroup, apiVersion, resourceVersion: "", subresource };
}

function member(name: string, json: string | undefined): string {
  return json === undefined ? "" : `,"${name}":${json}`;
}

function userOf(user: UserInfo | undefined): object {
  if (user === undefined) return {};
  const { username, uid, groups, extra } = user;
  return compact({ username, uid, groups: groups.length === 0 ? undefined : groups, extra });
}

function withoutEmpty(reference: ObjectReference): object {
  return Object.fromEntries(Object.entries(reference).filter(([, text]) => text !== ""));
}

function truncateUserAgent(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  return text.length > userAgentLimit ? `${text.slice(0, userAgentLimit)}...TRUNCATED` : text;
}

/** With microseconds, as Kubernetes writes them; the hub's clock has milliseconds. */
function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}
