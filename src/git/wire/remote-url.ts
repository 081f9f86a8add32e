import { AppError } from "../../core/errors.ts";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { trimEndOf } from "../../core/trim-characters.ts";

/** Where a repository is, by how it is reached. `url` is fit for messages. */
export type RemoteAddress =
  | { readonly kind: "http"; readonly url: string }
  | { readonly kind: "ssh"; readonly url: string; readonly host: string }
  | { readonly kind: "local"; readonly url: string; readonly path: string };

export interface RemoteUrlOptions {
  /** Allows plain http and folders of this machine; only an address from the command line may have it. Default false. */
  readonly isLocalAllowed?: boolean;
}

/**
 * Reads a repository's address by allow list: `https://`, `ssh://` and `user@host:path`; with `isLocalAllowed` also
 * `http://`, `file://` and paths. Everything else is refused, among it what git would take for an option (`-...`) or a
 * command (`ext::...`), and addresses that carry a password.
 * @throws E_GIT_URL
 */
export function parseRemoteUrl(text: string, { isLocalAllowed = false }: RemoteUrlOptions = {}): RemoteAddress {
  if (text === "" || text.startsWith("-") || /[\p{Cc}\s]/u.test(text)) {
    // Spaces are fine in a path, and only there.
    if (/\p{Cc}/u.test(text) || !isPath(text)) throw refused(text);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(text)) return parseWithScheme(text, isLocalAllowed);
  if (isPath(text)) return localAddress(text, text, isLocalAllowed);
  const scpLike = /^(?<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@(?<host>[^:/@[\]]+):(?<path>[^:].*)$/u.exec(text)?.groups;
  if (scpLike) return sshAddress(text, scpLike.host ?? "", `/${scpLike.path ?? ""}`);
  if (isLocalAllowed && !text.includes(":")) return localAddress(text, text, isLocalAllowed);
  throw refused(text);
}

function parseWithScheme(text: string, isLocalAllowed: boolean): RemoteAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw refused(text);
  if (url.protocol === "file:") {
    if (url.host !== "") throw refused(text, "a file address names no host");
    const path = decoded(() => fileURLToPath(url));
    if (path === undefined) throw refused(text, malformed);
    return localAddress(text, path, isLocalAllowed);
  }
  // A URL parser would take the first folder for the host.
  if (!/^[^:]+:\/\/[^/]/u.test(text)) throw refused(text, "it names no host");
  if (url.password !== "") throw refused(text, "it carries a password", withoutCredentials);
  if (url.search !== "" || url.hash !== "") throw refused(text, "it has a query or a fragment");
  switch (url.protocol) {
    case "https:":
      return httpAddress(url);
    case "http:":
      if (!isLocalAllowed) throw refused(text, "plain http is allowed on the command line only");
      return httpAddress(url);
    case "ssh:":
      return sshAddress(text, url.hostname, url.pathname, url.username);
    default:
      throw refused(text);
  }
}

/** A longer name breaks other connections: see connection.ts in src/kube. */
const longestHost = 253;

function httpAddress(url: URL): RemoteAddress {
  if (url.hostname.length > longestHost) throw refused(url.href, "its host has more than 253 characters");
  if (url.username !== "") throw refused(url.href, "it carries a user name", withoutCredentials);
  return { kind: "http", url: trimEndOf(url.href, "/") };
}

function sshAddress(text: string, host: string, path: string, user = ""): RemoteAddress {
  // ssh takes a host or user that starts with a dash for an option. Source: CVE-2017-1000117.
  const name = decoded(() => decodeURIComponent(user));
  if (name === undefined) throw refused(text, malformed);
  if (host === "" || host.startsWith("-") || name.startsWith("-")) throw refused(text);
  if (/^\/*(?:[~-]\/*)?$/u.test(path) || /^\/*-/u.test(path)) throw refused(text);
  return { kind: "ssh", url: text, host };
}

function localAddress(text: string, path: string, isLocalAllowed: boolean): RemoteAddress {
  if (!isLocalAllowed) throw refused(text, "folders of this machine are allowed on the command line only");
  return { kind: "local", url: text, path: resolve(path) };
}

function isPath(text: string): boolean {
  return isAbsolute(text) || text === "." || text === ".." || text.startsWith("./") || text.startsWith("../");
}

const malformed = "it has a percent sign that begins no escape, or the escape of a slash";

/** What is decoded; undefined where it is malformed. */
function decoded(decode: () => string): string | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

const withoutCredentials =
  "Write the address without it. Name a file with the token by --git-token-file, or a Secret by secretRef of the Repository.";

function refused(text: string, reason = "only https and ssh addresses are supported", remedy?: string): AppError {
  // A password can be in any part of an address that was not understood: nothing before the last @ is shown, and no query.
  const [shown = ""] = text.slice(text.lastIndexOf("@") + 1).split(/[?#]/u);
  const message = `use the repository's address ${JSON.stringify(shown.slice(0, 200))}: ${reason}`;
  return new AppError("E_GIT_URL", message, remedy === undefined ? {} : { remedy });
}
