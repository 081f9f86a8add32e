import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readAccess } from "../../../src/daemon/wire-publish.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { ClusterAccess } from "../../../src/model/inline-kubeconfig.ts";
import { fluxKubeconfigSecret } from "../../../src/publish/published-objects.ts";

const declared = { metadata: { namespace: "fleet", name: "eu-1" }, spec: {} } as Cluster;
const pem = (text: string): string => `-----BEGIN ${text}-----\nMIIB\n-----END ${text}-----\n`;

function published(access: ClusterAccess): string {
  const secret = fluxKubeconfigSecret(declared, { namespace: "flux-system", publishedName: "fleet-eu-1" }, access);
  const { value = "" } = secret["data"] as Record<string, string>;
  return Buffer.from(value, "base64").toString("utf8");
}

const tokenFile = "tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token";
const lines = (...texts: string[]): string => texts.join("\n");
const cluster = ["clusters:", "- name: c", "  cluster: {server: https://eu-1.example.com}"];

describe("the kubeconfig for Flux", () => {
  it.each([
    {
      how: "a merge key of its context",
      text: lines(
        "current-context: c",
        "contexts:",
        "- name: c",
        "  context: {cluster: c, <<: {user: u}}",
        ...cluster,
        "users:",
        "- name: u",
        `  user: {${tokenFile}}`,
      ),
    },
    {
      how: "a user that no context names",
      text: lines(
        "current-context: c",
        "contexts:",
        "- name: c",
        "  context: {cluster: c, user: c}",
        ...cluster,
        "users:",
        "- name: c",
        "  user: {token: t}",
        "- name: u",
        `  user: {${tokenFile}}`,
      ),
    },
  ])("A127 $how gives Flux no file of its own Pod to send to the cluster", async ({ text }) => {
    expect(JSON.stringify(parse(text, { version: "1.1" }))).toContain("tokenFile");
    const value = published(await readAccess(text));
    expect(value).not.toContain("tokenFile");
    expect(parse(value)).toMatchObject({ clusters: [{ cluster: { server: "https://eu-1.example.com" } }] });
  });

  it("has all of a kubeconfig that is used, and is read as the same connection again", async () => {
    const access = {
      server: "https://eu-1.example.com",
      token: "t",
      caPem: pem("CERTIFICATE"),
      certPem: pem("CERTIFICATE"),
      tlsServerName: "kubernetes",
      proxyUrl: "http://proxy.example.com:3128/",
      disableCompression: true,
    };
    expect(await readAccess(published(access))).toEqual({ ...access, keyPem: undefined });
  });

  it("has a client key in base64", () => {
    const value = published({ server: "https://eu-1.example.com", keyPem: pem("PRIVATE KEY") });
    const key = Buffer.from(pem("PRIVATE KEY")).toString("base64");
    expect(parse(value)).toMatchObject({ users: [{ user: { "client-key-data": key } }] });
  });

  it("has no fields that the kubeconfig does not have", () => {
    expect(parse(published({ server: "https://eu-1.example.com", disableCompression: false }))).toEqual({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "cluster", cluster: { server: "https://eu-1.example.com" } }],
      users: [{ name: "cluster", user: {} }],
      contexts: [{ name: "cluster", context: { cluster: "cluster", user: "cluster" } }],
      "current-context": "cluster",
    });
  });
});
