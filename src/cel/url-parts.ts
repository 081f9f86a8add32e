export interface UrlParts {
  readonly text: string;
  readonly scheme: string;
  /** With the port, without the user. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
}

/** An absolute URL or path as Go reads it, or what is wrong with the text. Nothing is normalised. */
export function parseUrl(text: string): UrlParts | string {
  const fail = (reason: string): string => `parse ${JSON.stringify(text)}: ${reason}`;
  if (text === "") return fail("empty url");
  if (hasControlCharacters(text)) return fail("net/url: invalid control character in URL");
  if (text === "*") return { text, scheme: "", host: "", hostname: "", port: "", escapedPath: text, query: new Map() };
  const colon = /^([^:/?#[\]]*):/u.exec(text);
  if (colon?.[1] === "") return fail("missing protocol scheme");
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*$/u.test(colon?.[1] ?? "") ? (colon?.[1] ?? "") : "";
  const rest = scheme === "" ? text : text.slice(scheme.length + 1);
  if (scheme === "" && !rest.startsWith("/")) {
    return fail(colon === null ? "invalid URI for request" : "first path segment in URL cannot contain colon");
  }
  const [beforeQuery = "", ...queries] = splitFragment(rest).split("?");
  const isNetworkPath = beforeQuery.startsWith("//") && (scheme !== "" || !beforeQuery.startsWith("///"));
  const authority = isNetworkPath ? beforeQuery.slice(2).split("/")[0] : undefined;
  const path = authority === undefined ? beforeQuery : beforeQuery.slice(2 + authority.length);
  const place = parseAuthority(authority ?? "");
  if (typeof place === "string") return fail(place);
  // Go reads the host before it cuts a fragment off.
  if (scheme !== "" && /^\/\/[^/?]*#/u.test(rest)) return fail('invalid character "#" in host name');
  const isOpaque = scheme !== "" && !beforeQuery.startsWith("/");
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(path)?.[0];
  if (badEscape !== undefined) return fail(`invalid URL escape ${JSON.stringify(badEscape)}`);
  return {
    text,
    scheme: scheme.toLowerCase(),
    ...place,
    escapedPath: isOpaque ? "" : escapePath(path),
    query: parseQuery(queries.join("?")),
  };
}

function hasControlCharacters(text: string): boolean {
  for (const character of text) if (character < " " || character === "\u007f") return true;
  return false;
}

function splitFragment(text: string): string {
  const hash = text.indexOf("#");
  return hash < 0 ? text : text.slice(0, hash);
}

function parseAuthority(authority: string): Pick<UrlParts, "host" | "hostname" | "port"> | string {
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const bracketed = /^(\[[^\]]*\])(.*)$/su.exec(host);
  if (host.startsWith("[") && bracketed === null) return "missing ']' in host";
  const colon = host.lastIndexOf(":");
  const hostname = bracketed?.[1] ?? (colon < 0 ? host : host.slice(0, colon));
  const suffix = host.slice(hostname.length);
  if (!/^(?::\d*)?$/u.test(suffix)) return `invalid port ${JSON.stringify(suffix)} after host`;
  const escape = bracketed === null ? /%(?![89a-f][0-9a-f]).{0,2}/isu.exec(hostname)?.[0] : undefined;
  if (escape !== undefined) return `invalid URL escape ${JSON.stringify(escape)}`;
  const misfit = /[^\w.~!$&'()*+,;=:[\]<>"%\u{80}-\u{10ffff}-]/u.exec(hostname)?.[0];
  if (misfit !== undefined) return `invalid character ${JSON.stringify(misfit)} in host name`;
  if (!/^(?:[\w.:~!$&'()*+,;=@-]|%[0-9a-f]{2})*$/iu.test(authority.slice(0, Math.max(at, 0)))) {
    return "net/url: invalid userinfo";
  }
  return { host, hostname: hostname.replace(/^\[|\]$/gu, ""), port: suffix.slice(1) };
}

/** A path that is written properly stays as it is. */
function escapePath(path: string): string {
  if (/^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/u.test(path)) return path;
  return Array.from(unescape(path), (byte) => escapedBytes[byte]).join("");
}

const escapedBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  const isPlain = /[A-Za-z0-9\-_.~$&+,/:;=@]/u.test(character);
  return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
});

function unescape(text: string): Buffer {
  const parts = text.match(/%[0-9a-fA-F]{2}|[^%]+|%/gu) ?? [];
  return Buffer.concat(
    parts.map((part) => (/^%../u.test(part) ? Buffer.from(part.slice(1), "hex") : Buffer.from(part))),
  );
}

function plainPart(part: string): string {
  const text = part.replaceAll("+", " ");
  return text.includes("%") ? unescape(text).toString("utf8") : text;
}

function parseQuery(text: string): ReadonlyMap<string, readonly string[]> {
  const query = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";") || /%(?![0-9a-fA-F]{2})/u.test(pair)) continue;
    const [key = "", ...values] = pair.split("=");
    const name = plainPart(key);
    const known = query.get(name);
    const value = plainPart(values.join("="));
    if (known === undefined) query.set(name, [value]);
    else known.push(value);
  }
  return query;
}
