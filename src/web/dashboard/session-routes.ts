import type { Session } from "../../model/generated/page-api.ts";
import { isJsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { WebAnswer, WebRequest, WebRoute } from "../web.ts";
import type { Access, Viewer } from "./access.ts";
import { isFromElsewhere } from "./own-request.ts";
import { apiError, json, refusal, securityHeaders } from "./page-answers.ts";
import { tokenCookie } from "./token-cookie.ts";

const path = "/api/v1/session";
/** What a cookie can hold. */
const longestToken = 3800;

interface SessionOptions {
  readonly access: Access;
  /** The page offers actions. */
  readonly hasActions: boolean;
}

/** Who the caller is; signing in and out. The token lives in a cookie that no script reads, and nowhere here. */
export function sessionRoutes(options: SessionOptions): WebRoute[] {
  return [
    { method: "GET", path, answer: (request) => readSession(options, request) },
    { method: "POST", path, answer: (request) => signIn(options, request) },
    { method: "DELETE", path, answer: (request) => signOut(request) },
  ];
}

async function readSession(options: SessionOptions, request: WebRequest): Promise<WebAnswer> {
  const admission = await options.access.admit(request);
  return admission.kind === "refused" ? refusal(admission) : json(request, sessionOf(options, admission.viewer));
}

async function signIn(options: SessionOptions, request: WebRequest): Promise<WebAnswer> {
  if (isFromElsewhere(request)) return apiError(403, "Forbidden", "This request comes from another page.");
  const token = readToken(await request.readBody(16_384));
  if (token === undefined) return apiError(400, "BadRequest", "This is no bearer token.");
  if (token.length > longestToken)
    return apiError(
      400,
      "BadRequest",
      `The token has ${token.length} characters; a cookie holds ${longestToken}. Use a shorter one.`,
    );
  const admission = await options.access.admitToken(token);
  if (admission.kind === "refused") return refusal(admission);
  const answer = await json(request, sessionOf(options, admission.viewer));
  return { ...answer, headers: { ...answer.headers, "set-cookie": tokenCookie(request, token) } };
}

function signOut(request: WebRequest): WebAnswer {
  if (isFromElsewhere(request)) return apiError(403, "Forbidden", "This request comes from another page.");
  return { status: 204, headers: { ...securityHeaders, "set-cookie": tokenCookie(request, "") }, body: "" };
}

function sessionOf({ access, hasActions }: SessionOptions, viewer: Viewer): Session {
  const { user, canSeeFleet, canSeeRepository, workspaces } = viewer;
  return {
    access: access.mode,
    ...(user === undefined ? {} : { user }),
    canSeeFleet,
    canSeeRepository,
    workspaces: [...workspaces],
    ...(hasActions ? { hasActions } : {}),
  };
}

function readToken(body: Uint8Array): string | undefined {
  const parsed = parseJson(new TextDecoder().decode(body));
  const token = isJsonObject(parsed) ? parsed["token"] : undefined;
  return typeof token === "string" && /^[\w\-.~+/=]+$/u.test(token.trim()) ? token.trim() : undefined;
}
