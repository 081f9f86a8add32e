import type { LookupFunction } from "node:net";
import { AppError } from "../core/errors.ts";
import { trimEndOf } from "../core/trim-characters.ts";
import { proxyPassword } from "../http/proxy.ts";

/** What a TLS connection to the server is made with. PEM. */
export interface TlsMaterial {
  /** Absent: the authorities that Node.js trusts. */
  readonly caPem?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
}

/** How to reach one API server, and as whom. Made by the readers of kubeconfigs and in-cluster files, or manually. */
export interface KubeConnection {
  /** `https://host:port/prefix`, without a slash at the end. */
  readonly server: string;
  /** Asked for every new connection, so that renewed files are used. The same object means nothing changed. */
  readonly getTls: () => Promise<TlsMaterial>;
  /**
   * The bearer token, asked before every request; undefined sends none. `rejected` is a token that the server has just
   * refused with 401: a cache of it must be refreshed.
   */
  readonly getToken?: (rejected?: string) => Promise<string | undefined>;
  /** The name the server's certificate must bear, when it is not the host. */
  readonly tlsServerName?: string;
  /** An http or https proxy that is asked to CONNECT. */
  readonly proxyUrl?: string;
  /** How the names of server and proxy are resolved. Default: as the system does. */
  readonly lookups?: { readonly server: LookupFunction; readonly proxy: LookupFunction };
  /** How a person runs kubectl against this server, such as `kubectl --kubeconfig FILE`. Default: it is not known. */
  readonly kubectl?: string;
  /**
   * Accept any certificate: only for documents that prove themselves by a signature, and refused together with
   * credentials. Default false.
   */
  readonly isUnverified?: boolean;
}

export interface FixedConnectionOptions extends TlsMaterial {
  readonly server: string;
  readonly token?: string;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
}

/** A connection whose credentials never change. Throws E_KUBECONFIG. */
export function fixedConnection(options: FixedConnectionOptions): KubeConnection {
  const { server, tlsServerName, proxyUrl, caPem, certPem, keyPem } = options;
  const tls: TlsMaterial = { caPem, certPem, keyPem };
  const token = options.token === undefined ? undefined : checkToken(options.token);
  return {
    server: parseServerUrl(server),
    getTls: () => Promise.resolve(tls),
    ...(token === undefined ? {} : { getToken: () => Promise.resolve(token) }),
    ...(tlsServerName === undefined ? {} : { tlsServerName: checkServerName(tlsServerName, "tls-server-name") }),
    ...(proxyUrl === undefined ? {} : { proxyUrl: parseProxyUrl(proxyUrl) }),
  };
}

/** The server's address in its normal form. Throws E_KUBECONFIG unless it is plain https. */
export function parseServerUrl(text: string): string {
  const url = parseUrl(text, "server");
  if (url.protocol !== "https:") {
    // Without what may be a password. The host is checked.
    throw new AppError("E_KUBECONFIG", `server ${url.protocol}//${url.host} is not https: credentials need it`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new AppError("E_KUBECONFIG", "server must be https://host:port/path without user, query or fragment");
  }
  return url.origin + trimEndOf(url.pathname, "/");
}

/** The proxy's address. Throws E_KUBECONFIG unless it is http or https. */
export function parseProxyUrl(text: string): string {
  const url = parseUrl(text, "proxy-url");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AppError("E_KUBECONFIG", `proxy-url has scheme ${url.protocol.slice(0, -1)}: use an http or https proxy`);
  }
  return url.href;
}

/** The password of a proxy's address, as it is sent. */
export function proxySecrets(proxyUrl: string | undefined): readonly string[] {
  return [proxyPassword(proxyUrl)].filter((password) => password !== "");
}

/** A token that is valid in a header. Throws E_KUBECONFIG; its message never contains the token. */
export function checkToken(text: string): string {
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/u.test(token)) {
    throw new AppError("E_KUBECONFIG", "the token is empty or has characters that no token has");
  }
  return token;
}

function parseUrl(text: string, field: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The URL may have a password in it: it is not repeated, and neither is the parser's message.
  if (url === undefined) throw new AppError("E_KUBECONFIG", `${field} is not a URL`);
  checkServerName(url.hostname, `the host of ${field}`);
  return url;
}

/**
 * A name that TLS can ask for. Of a longer one OpenSSL leaves an error behind, which ends whichever other connection of this
 * process reads next: that to the hub, or one to another cluster. Throws E_KUBECONFIG.
 */
function checkServerName(name: string, field: string): string {
  if (name.length <= longestServerName && !/[^\x21-\x7e]/u.test(name)) return name;
  throw new AppError(
    "E_KUBECONFIG",
    `${field} is not a name of a host: it may have ${longestServerName} characters of ASCII`,
  );
}

/** Source: RFC 1035. OpenSSL takes 255. */
const longestServerName = 253;
