import type { Session } from "../../model/generated/page-api.ts";
import { isJsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { WebAnswer, WebRequest, WebRoute } from "../web.ts";
import type { Access, Viewer } from "./access.ts";
import { cookieName } from "./access.ts";
import { apiError, json, refusal, securityHeaders } from "./page-answers.ts";

const path = "/api/v1/session";
/** What a cookie can hold. */
const longestToken = 3800;

/** Who the caller is; signing in and out. The token lives in a cookie that no script reads, and nowhere here. */
export function sessionRoutes(access: Access): WebRoute[] {
  return [
    { method: "GET", path, answer: (request) => readSession(access, request) },
    { method: "POST", path, answer: (request) => signIn(access, request) },
    { method: "DELETE", path, answer: (request) => signOut(request) },
  ];
}

async function readSession(access: Access, request: WebRequest): Promise<WebAnswer> {
  const admission = await access.admit(request);
  return admission.kind === "refused" ? refusal(admission) : json(request, sessionOf(access, admission.viewer));
}

async function signIn(access: Access, request: WebRequest): Promise<WebAnswer> {
  if (isFromElsewhere(request)) return apiError(403, "Forbidden", "This request comes from another page.");
  const token = readToken(await request.readBody(16_384));
  if (token === undefined) return apiError(400, "BadRequest", "This is no bearer token.");
  if (token.length > longestToken)
    return apiError(
      400,
      "BadRequest",
      `The token has ${token.length} characters; a cookie holds ${longestToken}. Use a shorter one.`,
    );
  const admission = await access.admitToken(token);
  if (admission.kind === "refused") return refusal(admission);
  const answer = await json(request, sessionOf(access, admission.viewer));
  return { ...answer, headers: { ...answer.headers, "set-cookie": cookie(request, token) } };
}

function signOut(request: WebRequest): WebAnswer {
  if (isFromElsewhere(request)) return apiError(403, "Forbidden", "This request comes from another page.");
  return { status: 204, headers: { ...securityHeaders, "set-cookie": `${cookie(request, "")}; Max-Age=0` }, body: "" };
}

function sessionOf(access: Access, { user, canSeeFleet, canSeeRepository, workspaces }: Viewer): Session {
  return {
    access: access.mode,
    ...(user === undefined ? {} : { user }),
    canSeeFleet,
    canSeeRepository,
    workspaces: [...workspaces],
  };
}

function readToken(body: Uint8Array): string | undefined {
  const parsed = parseJson(new TextDecoder().decode(body));
  const token = isJsonObject(parsed) ? parsed["token"] : undefined;
  return typeof token === "string" && /^[\w\-.~+/=]+$/u.test(token.trim()) ? token.trim() : undefined;
}

/** A browser sends the origin of a request; other clients send none. */
function isFromElsewhere({ headers }: WebRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return headers.origin !== undefined && URL.canParse(headers.origin) && new URL(headers.origin).host !== headers.host;
}

function cookie({ headers }: WebRequest, value: string): string {
  const isHttps = headers["x-forwarded-proto"] === "https";
  return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict${isHttps ? "; Secure" : ""}`;
}
