import type { MatrixRequest } from "./make-request.ts";

/** A request as bytes: one character is one byte. */
export interface RawRequest {
  /** What was changed, for messages. */
  readonly form: string;
  /** `AUTHORITY` is the placeholder of the server's `host:port`. */
  readonly text: string;
}

interface Head {
  method: string;
  target: string;
  version: string;
  host: string | undefined;
  readonly headers: [string, string][];
  body: string;
  lineEnd: string;
}

type Change = readonly [name: string, change: (head: Head, pick: (list: readonly string[]) => string) => void];

const otherHosts = ["evil.example", "AUTHORITY", "localhost", "10.0.0.1:443"];

/** Forms of a target that clients of HTTP/2 cannot send, or proxies and servers read in different ways. */
const targetChanges: readonly Change[] = [
  [
    "absolute target",
    (head, pick) => void (head.target = `${pick(["https", "http", "HTTPS"])}://AUTHORITY${head.target}`),
  ],
  ["absolute target of another host", (head, pick) => void (head.target = `https://${pick(otherHosts)}${head.target}`)],
  ["absolute target with user", (head) => void (head.target = `https://user:pw@AUTHORITY${head.target}`)],
  ["network path", (head, pick) => void (head.target = `//${pick(otherHosts)}${head.target}`)],
  [
    "other scheme",
    (head, pick) => void (head.target = `${pick(["ftp", "file", "javascript", "a"])}://x${head.target}`),
  ],
  ["no slash", (head) => void (head.target = head.target.slice(1))],
  ["asterisk", (head) => void (head.target = "*")],
  ["authority", (head) => void (head.target = "AUTHORITY")],
  ["fragment", (head, pick) => void (head.target += pick(["#", "#x", "#/api/v1/secrets", "?#x"]))],
  [
    "trailing dots",
    (head, pick) =>
      void (head.target = insert(head.target, pick([".", "..", "%2e", "%2E%2E", "..;", "..;/", "/..;/"]))),
  ],
  [
    "escaped slash",
    (head, pick) => void (head.target = head.target.replaceAll("/", pick(["/", "%2F"])).replace(/^%2F/u, "/")),
  ],
  ["escaped once", (head, pick) => void (head.target = escapeOne(head.target, Number(pick(indexes(head.target)))))],
  [
    "escaped twice",
    (head) =>
      void (head.target = head.target.replace(/[a-z](?=[^/]*$)/u, (text) => `%25${text.charCodeAt(0).toString(16)}`)),
  ],
  ["doubled slash", (head, pick) => void (head.target = head.target.replaceAll("/", pick(["//", "/./", "/;/", "/"])))],
  [
    "backslash",
    (head, pick) => void (head.target = head.target.replace(/(?<=.)\//u, pick(["\\", "\\\\", "%5c", "%5C"]))),
  ],
  [
    "raw characters",
    (head, pick) =>
      void (head.target += pick(['"', "<", ">", "^", "`", "{", "|", "}", "[", "]", "\x7f", "\xc3\xa4", "\xff", "'"])),
  ],
  ["space", (head, pick) => void (head.target += pick([" ", "\t", " x", "%20", "+"]))],
  [
    "control character",
    (head, pick) => void (head.target += pick(["\x00", "\x01", "\x0b", "\x1f", "%00", "%0a", "%0d%0aX:%20y"])),
  ],
];

const headChanges: readonly Change[] = [
  [
    "method",
    (head, pick) =>
      void (head.method = pick([
        "get",
        "Get",
        "FOO",
        "CONNECT",
        "TRACE",
        "OPTIONS",
        "PROPFIND",
        "QUERY",
        "M-SEARCH",
        "X",
        "G\u00cbT",
        "GE T",
        "",
      ])),
  ],
  [
    "version",
    (head, pick) =>
      void (head.version = pick([
        "HTTP/1.0",
        "HTTP/1.2",
        "HTTP/2.0",
        "HTTP/0.9",
        "http/1.1",
        "HTTP/1",
        "",
        "HTTP/1.1 ",
      ])),
  ],
  [
    "host",
    (head, pick) =>
      void (head.host = pick(["evil.example", "AUTHORITY.", "", "a b", "a/b", "x:y", "[::1", "user@AUTHORITY"])),
  ],
  ["no host", (head) => void (head.host = undefined)],
  ["second host", (head) => void head.headers.push(["Host", "AUTHORITY"])],
  [
    "upgrade",
    (head, pick) =>
      void head.headers.push(
        ["Connection", pick(["Upgrade", "keep-alive, Upgrade", "upgrade, HTTP2-Settings"])],
        ["Upgrade", pick(["websocket", "h2c", "SPDY/3.1", "TLS/1.0", "x", "HTTP/2.0"])],
        ["HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA"],
      ),
  ],
  ["upgrade without connection", (head) => void head.headers.push(["Upgrade", "websocket"])],
  [
    "length",
    (head, pick) =>
      void head.headers.push([
        "Content-Length",
        pick(["-1", "+0", "0x0", "1e1", "", "99999999999999999999", "0, 0", "0"]),
      ]),
  ],
  [
    "encoding",
    (head, pick) =>
      void head.headers.push([
        "Transfer-Encoding",
        pick(["identity", "gzip", "chunked, gzip", "gzip, chunked", "xchunked", "CHUNKED", ""]),
      ]),
  ],
  ["expect", (head, pick) => void head.headers.push(["Expect", pick(["100-continue", "x", "100-Continue"])])],
  [
    "method override",
    (head) =>
      void head.headers.push(
        ["X-HTTP-Method-Override", "DELETE"],
        ["X-Forwarded-Uri", "/api/v1/nodes"],
        ["X-Original-URL", "/api/v1/nodes"],
      ),
  ],
  ["remote user", (head) => void head.headers.push(["X-Remote-User", "admin"], ["X-Remote-Group", "system:masters"])],
  [
    "odd header",
    (head, pick) =>
      void head.headers.push([
        pick(["a b", "a ", " a", "", "a\x00", "a\xff", "a("]),
        pick(["x", "\x00", "\xff", "a\rb"]),
      ]),
  ],
  ["folded header", (head, pick) => void head.headers.push(["X-Folded", pick(["a\r\n b", "a\r\n\tb", "a\n b"])])],
  [
    "second impersonation",
    (head, pick) =>
      void head.headers.push([pick(["impersonate-user", "Impersonate-User", "IMPERSONATE-USER"]), "system:admin"]),
  ],
  ["impersonation with underscores", (head) => void head.headers.push(["Impersonate_User", "system:admin"])],
  [
    "authorization",
    (head, pick) =>
      void head.headers.push(["Authorization", pick(["Bearer x", "Basic eDp5", "Bearer", "bearer  x", ""])]),
  ],
  ["line ends", (head) => void (head.lineEnd = "\n")],
];

/** A request of the matrix in a form of HTTP/1.1 that is rare, or wrong. */
export function makeRawRequest(
  { method, target, body }: MatrixRequest,
  user: string | undefined,
  random: () => number,
): RawRequest {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
  const head: Head = {
    method,
    target,
    version: "HTTP/1.1",
    host: "AUTHORITY",
    headers: user === undefined ? [] : [["Impersonate-User", user]],
    body: body === undefined ? "" : JSON.stringify(body),
    lineEnd: "\r\n",
  };
  const names: string[] = [];
  const change = (changes: readonly Change[]): void => {
    const [name, apply] = changes[Math.floor(random() * changes.length)] ?? ["", () => undefined];
    apply(head, pick);
    names.push(name);
  };
  if (random() < 0.65) change(targetChanges);
  if (names.length === 0 || random() < 0.4) change(headChanges);
  if (random() < 0.2) change(random() < 0.5 ? targetChanges : headChanges);
  return { form: names.join(" + "), text: textOf(head, random() < 0.2) };
}

function textOf({ method, target, version, host, headers, body, lineEnd }: Head, isChunked: boolean): string {
  const type: [string, string] = [
    "Content-Type",
    method === "PATCH" ? "application/merge-patch+json" : "application/json",
  ];
  const framing: [string, string][] =
    body === ""
      ? []
      : isChunked
        ? [type, ["Transfer-Encoding", "chunked"]]
        : [type, ["Content-Length", String(body.length)]];
  const hosts: [string, string][] = host === undefined ? [] : [["Host", host]];
  const all = [...hosts, ["Connection", "close"], ...framing, ...headers];
  // One that changes the connection has its own session.
  const sent = headers.some(([name]) => name === "Connection")
    ? all.filter(([name, value]) => name !== "Connection" || value !== "close")
    : all;
  const lines = [
    `${method} ${target} ${version}`.trimEnd(),
    ...sent.map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ];
  const content = body === "" || !isChunked ? body : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  return lines.join(lineEnd) + content;
}

function insert(target: string, text: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target + text : target.slice(0, mark) + text + target.slice(mark);
}

function indexes(text: string): string[] {
  return Array.from({ length: Math.max(1, text.length - 1) }, (_, index) => String(index + 1));
}

/** With upper-case digits. */
function escapeOne(target: string, index: number): string {
  const hex = target.charCodeAt(index).toString(16).toUpperCase().padStart(2, "0");
  return target[index] === "%" || index >= target.length
    ? target
    : `${target.slice(0, index)}%${hex}${target.slice(index + 1)}`;
}
