/** A file of a Cluster whose kubeconfig is in the Secret `<name>-kubeconfig`. */
export function clusterFile(name: string, labels: Record<string, string>, agent?: { readonly image: string }): string {
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, labels },
    spec: {
      kubeConfigSecretRef: { name: `${name}-kubeconfig` },
      heartbeat: { periodSeconds: 10 },
      ...(agent === undefined ? {} : { agent }),
    },
  });
}

/** A file of a token that lets `hub-*` in, once. */
export function tokenFile(name: string): string {
  const spec = { ttl: "24h", maxRegistrations: 1, clusterNames: ["hub-*"] };
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name },
    spec,
  });
}
