// audit: who asked for what, and what was answered: a file of JSON lines (audit.k8s.io/v1 Event), by the rules of a policy.
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { AppError } from "../../core/errors.ts";
import type { Clock, Random } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { UserInfo } from "../auth/auth.ts";
import { makeUid } from "../metadata/system-fields.ts";
import type { HubMetrics } from "../metrics/hub-metrics.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { openAuditFile } from "./audit-file.ts";
import { metadataPolicy, parseAuditPolicy } from "./audit-policy.ts";
import { ruleFor } from "./match-rule.ts";
import { RequestAudit } from "./request-audit.ts";

export interface AuditOptions {
  /** The file that receives the lines. */
  readonly logFile: string;
  /** A Policy of audit.k8s.io/v1. Default: level Metadata for all requests, when they are answered. */
  readonly policyFile?: string;
  /** Default 100 MiB. */
  readonly maxBytes?: number;
  /** Full files that stay. Default 10. */
  readonly maxBackups?: number;
}

/** What is read of a request. */
export interface AuditedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly url?: string | undefined;
  readonly remoteAddress: string | undefined;
}

/** What is read of its answer. */
export interface AuditedResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
  /** When it was sent, or its client disconnected. */
  readonly once: (event: "close", listener: () => void) => unknown;
  readonly destroyed: boolean;
}

export interface AuditLog {
  /**
   * Writes that a request arrived, and later how it ended; undefined when no rule wants to know. `user` is the one of
   * the credential, before impersonation; undefined when it is not valid. Resolves when the log has room.
   */
  readonly open: (
    exchange: { readonly request: AuditedRequest; readonly response: AuditedResponse },
    info: RequestInfo,
    user: UserInfo | undefined,
  ) => Promise<{ readonly auditId: string; readonly audit: RequestAudit } | undefined>;
  /** Ends the requests that are open. Resolves when all lines are written. */
  readonly close: () => Promise<void>;
}

interface AuditScope {
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Random;
  readonly metrics: Pick<HubMetrics, "countAudit">;
  readonly log: Log;
}

const defaultMaxBytes = 100 * 1024 * 1024;
const defaultMaxBackups = 10;

/** Throws E_READ or E_USAGE for the policy, and E_DISK_WRITE for the log. */
export async function openAuditLog(options: AuditOptions, scope: AuditScope): Promise<AuditLog> {
  const { logFile, policyFile, maxBytes = defaultMaxBytes, maxBackups = defaultMaxBackups } = options;
  const { clock, random, metrics, log } = scope;
  const nowMs = (): number => clock.nowMs();
  const policy = policyFile === undefined ? metadataPolicy : parseAuditPolicy(await readPolicy(policyFile), policyFile);
  const file = await openAuditFile({
    path: logFile,
    maxBytes,
    maxBackups,
    nowMs,
    onFailure: (error, lostLines) => {
      metrics.countAudit({ events: 0, lost: lostLines });
      log.error("events of the audit log are lost", { error, lostLines });
    },
  });
  const write = (line: string): void => {
    metrics.countAudit({ events: 1, lost: 0 });
    file.append(line);
  };
  const ends = new Set<() => void>();
  return {
    open: async ({ request, response }, info, user) => {
      const rule = ruleFor(policy, user, info);
      if (rule === undefined) return undefined;
      await file.whenRoomy();
      const { headers, url = "" } = request;
      const auditId = textOf(headers["audit-id"]) ?? makeUid(random);
      const userAgent = textOf(headers["user-agent"]);
      const facts = { auditId, requestUri: url, sourceIps: sourceIpsOf(request), userAgent };
      const code = (): number | undefined => (response.headersSent ? response.statusCode : undefined);
      const audit = new RequestAudit({ rule, info, user, facts, nowMs, code, write });
      const end = (): void => {
        ends.delete(end);
        audit.ended();
      };
      ends.add(end);
      if (response.destroyed) end();
      else response.once("close", end);
      return { auditId, audit };
    },
    close: () => {
      // An answer that waited behind another one on its connection never reports that it is closed.
      for (const end of ends) end();
      return file.close();
    },
  };
}

async function readPolicy(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    throw new AppError("E_READ", `read the audit policy ${path}: ${code}`, { cause: error });
  }
}

/** The addresses that proxies report, then the connection's other end. Source: k8s.io/apimachinery, util/net SourceIPs. */
function sourceIpsOf({ headers, remoteAddress }: AuditedRequest): readonly string[] {
  const forwarded = (textOf(headers["x-forwarded-for"]) ?? "").split(",").map((text) => text.trim());
  const addresses = forwarded.filter((text) => isIP(text) !== 0);
  const real = textOf(headers["x-real-ip"])?.trim() ?? "";
  if (isIP(real) !== 0 && !addresses.includes(real)) addresses.push(real);
  const remote = remoteAddress?.replace(/^::ffff:(?=\d+\.)/u, "");
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === "string" ? header : header?.[0];
  return text === "" ? undefined : text;
}
