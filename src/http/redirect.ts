/** Where an answer sends a client. */
export type Redirect =
  | { readonly kind: "within"; readonly url: URL }
  /** Another origin, which gets no credentials; of an address without one, such as `file:`, its scheme. */
  | { readonly kind: "elsewhere"; readonly origin: string }
  /** Without an address that can be read. */
  | { readonly kind: "nowhere" };

/** True for the statuses that name another address. */
export function isRedirect(statusCode: number): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode);
}

/** Reads a `location` header. Only an address of the same origin and without credentials of its own may be followed. */
export function redirectOf(from: URL, location: string | undefined): Redirect {
  if (location === undefined || !URL.canParse(location, from.href)) return { kind: "nowhere" };
  const target = new URL(location, from.href);
  const isWithin = target.origin === from.origin && target.username === "" && target.password === "";
  if (isWithin) return { kind: "within", url: target };
  return { kind: "elsewhere", origin: target.origin === "null" ? target.protocol : target.origin };
}
