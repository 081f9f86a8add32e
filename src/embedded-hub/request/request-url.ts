/** The target of a request, taken apart once. */
export interface RequestUrl {
  /** Decoded: `%2f` is a slash like any other. Bytes that are no UTF-8 become U+FFFD. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const authority =
  /^(?:[^@%\s]*@)?(?:(?:\[[\da-f:.]*\]|[^@[\]%<>"^`{|}\\\s]*):\d*|[^@:[\]%<>"^`{|}\\\s]*|\[[\da-f:.]*\])$/iu;

/**
 * Reads the target of a request line (or `:path`) as Go's net/url does: absolute URLs lose their origin, the path is
 * decoded as a whole before anything splits it, a malformed escape is refused. Undefined: kube-apiserver answers 400.
 * `target` is Node's: one character per byte.
 */
export function parseRequestUrl(target: string): RequestUrl | undefined {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/iu.exec(target);
  if (origin !== null && !authority.test(origin[1] ?? "")) return undefined;
  const local = target.slice(origin?.[0].length ?? 0);
  const mark = local.indexOf("?");
  const path = decodeEscapes(mark < 0 ? local : local.slice(0, mark));
  if (path === undefined) return undefined;
  // `OPTIONS *` asks for no path; one of an absolute URL may be empty.
  const isPath = path.startsWith("/") || local === "*" || (path === "" && origin !== null);
  if (!isPath) return undefined;
  return { path, query: parseQuery(mark < 0 ? "" : local.slice(mark + 1)) };
}

/** A pair with a semicolon or a malformed escape does not count, as Go's url.ParseQuery has it. */
function parseQuery(text: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const mark = pair.indexOf("=");
    const key = decodeEscapes((mark < 0 ? pair : pair.slice(0, mark)).replaceAll("+", " "));
    const value = decodeEscapes(mark < 0 ? "" : pair.slice(mark + 1).replaceAll("+", " "));
    if (key !== undefined && value !== undefined) query.append(key, value);
  }
  return query;
}

function decodeEscapes(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/iu.test(text)) return undefined;
  const bytes = text.replaceAll(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
