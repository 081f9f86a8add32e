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

/**
 * A kubeconfig of what was read of one, and of nothing else. Parsers differ, such as in merge keys of YAML and in entries
 * that no context names: the text itself may hold a program or a file for its reader that this program did not see.
 */
export function kubeconfigOf(access: ClusterAccess): string {
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
  const name = "cluster";
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
  return `${JSON.stringify(kubeconfig, undefined, 2)}\n`;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
