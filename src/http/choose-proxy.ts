import { BlockList, isIP } from "node:net";

export interface ProxySettings {
  /** As in HTTPS_PROXY. */
  readonly httpsProxy?: string;
  /** As in NO_PROXY: hosts, `.suffixes`, `host:port`, addresses (`[fd00::7]:6443`), CIDR blocks, or `*`, separated by commas. */
  readonly noProxy?: string;
}

/**
 * The proxy that connections to `server` pass through, or undefined for none. Loopback is never proxied.
 * Source of the rules: Go, golang.org/x/net/http/httpproxy.
 */
export function chooseProxy(server: string, { httpsProxy = "", noProxy = "" }: ProxySettings): string | undefined {
  if (httpsProxy === "") return undefined;
  const url = new URL(server);
  const host = url.hostname.replace(/^\[|\]$/gu, "").toLowerCase();
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  if (isLoopback(host)) return undefined;
  const exceptions = noProxy.split(",").map((entry) => entry.trim().toLowerCase());
  if (exceptions.some((entry) => entry !== "" && isExcepted(host, port, entry))) return undefined;
  return httpsProxy.includes("://") ? httpsProxy : `http://${httpsProxy}`;
}

/** The proxy that HTTPS_PROXY and NO_PROXY of an environment name for a server, or undefined for none. */
export function proxyOf(server: string, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return chooseProxy(server, {
    httpsProxy: environment["HTTPS_PROXY"] || environment["https_proxy"],
    noProxy: environment["NO_PROXY"] || environment["no_proxy"],
  });
}

/** True for localhost, also with the dot of the root, and for the addresses that mean this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|[\].]$/gu, "").toLowerCase();
  return (
    bare === "localhost" ||
    bare.endsWith(".localhost") ||
    isInBlock(bare, "127.0.0.0", 8) ||
    bare === "::1" ||
    bare.startsWith("::ffff:7f")
  );
}

function isExcepted(host: string, port: string, entry: string): boolean {
  if (entry === "*") return true;
  const [, block = "", bits] = /^([\da-f.:]+)\/(\d+)$/u.exec(entry) ?? [];
  if (bits !== undefined) return isInBlock(host, block, Number(bits));
  if (isIP(entry) !== 0) return isSameAddress(host, entry);
  const [, name = entry, onlyPort] = /^(.*?):(\d+)$/u.exec(entry) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const address = name.replace(/^\[(.*)\]$/u, "$1");
  if (isIP(address) !== 0) return isSameAddress(host, address);
  const suffix = name.replace(/^\*?\./u, "");
  if (suffix === "") return false;
  return (suffix === name && host === suffix) || host.endsWith(`.${suffix}`);
}

/** An IPv6 address has several spellings, of which an URL keeps one. */
function isSameAddress(host: string, address: string): boolean {
  return isInBlock(host, address, isIP(address) === 4 ? 32 : 128);
}

export function isInBlock(host: string, block: string, bits: number): boolean {
  const family = isIP(host);
  if (family === 0 || isIP(block) !== family || bits > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(block, bits, family === 4 ? "ipv4" : "ipv6");
  return list.check(host, family === 4 ? "ipv4" : "ipv6");
}
