import { printable } from "../../core/printable.ts";
import type { WebRequest } from "../web.ts";

/**
 * Sent by the page with an action: the viewer whom it shows, percent-encoded. A form of another page cannot send it, and a script
 * of one needs a permission first.
 */
const actionHeader = "x-rollcall-action";

/** Another page made this request. A browser sends the origin of a request; other clients send none. */
export function isFromElsewhere({ headers }: Pick<WebRequest, "headers">): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  if (headers.origin === undefined) return false;
  return !URL.canParse(headers.origin) || new URL(headers.origin).host !== headers.host;
}

/**
 * The page of this address made this request, or a client that sent the credential itself. A cookie alone proves neither: a
 * browser adds it to requests that other pages cause.
 */
export function isOwnRequest(
  request: Pick<WebRequest, "headers">,
  credential: { readonly isCookie: boolean },
): boolean {
  if (isFromElsewhere(request)) return false;
  if (!credential.isCookie) return true;
  const { headers } = request;
  const isOfPage = headers["sec-fetch-site"] === "same-origin" || headers.origin !== undefined;
  return isOfPage && headers[actionHeader] !== undefined;
}

/**
 * The page that made this request shows this user. All tabs share the cookie: after another viewer signed in beside it, a page
 * still shows the one before.
 */
export function isFromPageOf(user: string, { headers }: Pick<WebRequest, "headers">): boolean {
  return headers[actionHeader] === encodeURIComponent(printable(user));
}

/** A page made this request, also where a proxy put the token into its header. */
export function isFromPage({ headers }: Pick<WebRequest, "headers">): boolean {
  return headers[actionHeader] !== undefined;
}
