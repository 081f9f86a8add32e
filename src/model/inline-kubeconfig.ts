import type { JsonObject } from "../core/json.ts";

/** How a cluster is reached, from its kubeconfig. PEM. */
export interface ClusterAccess {
  readonly server: string;
  readonly caPem?: string | undefined;
  readonly certPem?: string | undefined;
  readonly keyPem?: string | undefined;
  readonly token?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  /** True when answers are to come uncompressed. */
  readonly disableCompression?: boolean | undefined;
}

/** A kubeconfig with one context, which refers to no file and no program. The context is called as its cluster. */
export function inlineKubeconfig(
  access: ClusterAccess,
  { cluster: name, user: userName }: { readonly cluster: string; readonly user: string },
): JsonObject {
  const { server, token, caPem, certPem, keyPem, tlsServerName, proxyUrl, disableCompression } = access;
  const cluster = {
    server,
    ...(caPem === undefined ? {} : { "certificate-authority-data": encode(caPem) }),
    ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
    ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }),
    ...(disableCompression === true ? { "disable-compression": true } : {}),
  };
  const user = {
    ...(token === undefined ? {} : { token }),
    ...(certPem === undefined ? {} : { "client-certificate-data": encode(certPem) }),
    ...(keyPem === undefined ? {} : { "client-key-data": encode(keyPem) }),
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name: userName, user }],
    contexts: [{ name, context: { cluster: name, user: userName } }],
    "current-context": name,
  };
}

function encode(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
