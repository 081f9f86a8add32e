/** A proxy as its address names it. */
export interface Proxy {
  readonly url: URL;
  /** The value of `proxy-authorization`; undefined when the address has no credentials. */
  readonly authorization: string | undefined;
  /** What must not show in messages; empty when there is none. */
  readonly password: string;
}

/** Reads `http://user:password@host:port`. @throws TypeError when it is no URL */
export function readProxy(proxyUrl: string): Proxy {
  const url = new URL(proxyUrl);
  const password = decoded(url.password);
  const pair = `${decoded(url.username)}:${password}`;
  const authorization = pair === ":" ? undefined : `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
  return { url, authorization, password };
}

/** The password of a proxy's address as it is sent, to be kept out of messages. Empty: no proxy, no password, no URL. */
export function proxyPassword(proxyUrl: string | undefined): string {
  return proxyUrl === undefined || !URL.canParse(proxyUrl) ? "" : readProxy(proxyUrl).password;
}

/** A percent sign that begins no escape is kept: users write passwords like `50%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
