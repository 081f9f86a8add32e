import { chooseProxy } from "../http/choose-proxy.ts";

/** The proxy that HTTPS_PROXY and NO_PROXY of an environment name for a server, or undefined for none. */
export function proxyOf(server: string, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return chooseProxy(server, {
    httpsProxy: environment["HTTPS_PROXY"] || environment["https_proxy"],
    noProxy: environment["NO_PROXY"] || environment["no_proxy"],
  });
}
