import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { parseServerUrl } from "./connection.ts";
import type { KubeConnection } from "./connection.ts";
import { createTlsFiles, createTokenFile, readCredentialFile } from "./credential-files.ts";

export interface InClusterOptions {
  /** Value of KUBERNETES_SERVICE_HOST. */
  readonly host: string | undefined;
  /** Value of KUBERNETES_SERVICE_PORT. */
  readonly port: string | undefined;
  /** Default: where Kubernetes mounts a Pod's service account. */
  readonly folder?: string;
  readonly clock: Clock;
}

/**
 * The API server of the cluster that this process runs in, as its service account. Token and CA are read again while
 * the connection is used. Throws E_KUBECONFIG outside of a cluster.
 * Source: Kubernetes documentation, "Accessing the Kubernetes API from a Pod".
 */
export async function readInClusterConfig(options: InClusterOptions): Promise<KubeConnection & { namespace: string }> {
  const { host, port, folder = "/var/run/secrets/kubernetes.io/serviceaccount", clock } = options;
  if (!host || !port) {
    throw new AppError("E_KUBECONFIG", "this process does not run in a cluster", {
      remedy: "Run the agent in a Pod of its cluster: `rollcall join` and the agent's chart install it.",
    });
  }
  const getToken = createTokenFile(join(folder, "token"), clock);
  const getTls = createTlsFiles({ caPath: join(folder, "ca.crt") });
  // One after the other: of several that cannot be read, the message names the first.
  const namespace = await readCredentialFile(join(folder, "namespace"));
  await getToken();
  await getTls();
  return {
    server: parseServerUrl(`https://${host.includes(":") ? `[${host}]` : host}:${port}`),
    namespace: namespace.trim(),
    getToken,
    getTls,
  };
}
