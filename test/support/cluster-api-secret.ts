import { createPrivateKey } from "node:crypto";
import { parse, stringify } from "yaml";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";

/**
 * The Secret in which Cluster API keeps the kubeconfig of a cluster that it made: an administrator by a client certificate
 * that is in it, under names made of the cluster's, its key in the older form of PEM. `kubeconfig` is any kubeconfig with a
 * client certificate. Source: cluster-api, util/kubeconfig and controlplane/kubeadm.
 */
export function clusterApiSecret(cluster: KubeObject, kubeconfig: string): KubeObject {
  const { name, namespace = "", uid = "" } = cluster.metadata;
  const read: unknown = parse(kubeconfig);
  const [there] = objectsAt(read, "clusters");
  const [user] = objectsAt(read, "users");
  const admin = `${name}-admin`;
  const value = stringify({
    apiVersion: "v1",
    clusters: [
      {
        cluster: {
          "certificate-authority-data": textAt(there, "cluster", "certificate-authority-data"),
          server: textAt(there, "cluster", "server"),
        },
        name,
      },
    ],
    contexts: [{ context: { cluster: name, user: admin }, name: `${admin}@${name}` }],
    "current-context": `${admin}@${name}`,
    kind: "Config",
    preferences: {},
    users: [
      {
        name: admin,
        user: {
          "client-certificate-data": textAt(user, "user", "client-certificate-data"),
          "client-key-data": olderPem(textAt(user, "user", "client-key-data") ?? ""),
        },
      },
    ],
  });
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `${name}-kubeconfig`,
      namespace,
      labels: { "cluster.x-k8s.io/cluster-name": name },
      ownerReferences: [{ apiVersion: cluster.apiVersion, kind: "Cluster", name, uid }],
    },
    type: "cluster.x-k8s.io/secret",
    data: { value: Buffer.from(value, "utf8").toString("base64") },
  };
}

/** Base64 of a key's PEM in PKCS 8, as base64 of the same in the form that its algorithm had before. */
function olderPem(base64: string): string {
  const key = createPrivateKey(Buffer.from(base64, "base64"));
  const type = key.asymmetricKeyType === "ec" ? "sec1" : "pkcs1";
  return Buffer.from(key.export({ type, format: "pem" })).toString("base64");
}
