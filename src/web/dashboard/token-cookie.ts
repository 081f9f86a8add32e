import type { WebRequest } from "../web.ts";

const plainName = "rollcall-token";

/**
 * The name of the cookie. By https it has a prefix with which browsers let no other host of the domain, no path and no plain
 * http set it. By http another port of the same host can set it: see {@link readTokenCookie}.
 */
function nameFor({ headers }: Pick<WebRequest, "headers">): string {
  return isHttps(headers) ? `__Host-${plainName}` : plainName;
}

/** Value of the `Set-Cookie` header that keeps a token in the browser; an empty token removes it. */
export function tokenCookie(request: Pick<WebRequest, "headers">, token: string): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isHttps(request.headers) ? "; Secure" : ""}`;
  return `${nameFor(request)}=${token}; ${attributes}${token === "" ? "; Max-Age=0" : ""}`;
}

/**
 * The token in the cookie. `isForeign`: several of the name came, so another page of this host set one; none of them is
 * believed, since a browser does not report which one is whose.
 */
export function readTokenCookie(
  request: Pick<WebRequest, "headers">,
): { readonly token: string; readonly isForeign: false } | { readonly isForeign: true } | undefined {
  const start = `${nameFor(request)}=`;
  const values = (request.headers.cookie ?? "")
    .split(/; */u)
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  const [token = "", ...others] = values;
  if (others.length > 0) return { isForeign: true };
  return token === "" ? undefined : { token, isForeign: false };
}

function isHttps(headers: WebRequest["headers"]): boolean {
  return headers["x-forwarded-proto"] === "https";
}
