/** Issues certificates that the hub takes as proof of who a client is. */
export const clientSigner = "kubernetes.io/kube-apiserver-client";
