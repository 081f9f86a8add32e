import { createPrivateKey } from "node:crypto";
import type { KeyPair } from "./authority.ts";

/** A kubeconfig with everything inline, as YAML. Its key is in the form that clients in all languages read: SEC1. */
export function renderKubeconfig(server: string, caPem: string, client: KeyPair): string {
  const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  return [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    "  - name: hub",
    "    cluster:",
    `      server: ${server}`,
    `      certificate-authority-data: ${base64(caPem)}`,
    "users:",
    "  - name: admin",
    "    user:",
    `      client-certificate-data: ${base64(client.certPem)}`,
    `      client-key-data: ${base64(createPrivateKey(client.keyPem).export({ type: "sec1", format: "pem" }).toString())}`,
    "contexts:",
    "  - name: hub",
    "    context:",
    "      cluster: hub",
    "      user: admin",
    "current-context: hub",
    "",
  ].join("\n");
}
