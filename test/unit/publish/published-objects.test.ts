import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { ClusterAccess } from "../../../src/model/inline-kubeconfig.ts";
import {
  argoClusterSecret,
  clusterProfile,
  fluxKubeconfigSecret,
  namesakes,
  publishedNames,
} from "../../../src/publish/published-objects.ts";

function cluster(metadata: object = {}, fields: Partial<Cluster> = {}): Cluster {
  const named = { namespace: "fleet", name: "eu-1", ...metadata };
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: named, spec: {}, ...fields };
}

const place = { namespace: "tools", publishedName: "fleet-eu-1" };

function valueOf(secret: KubeObject, key: string): string {
  return Buffer.from((secret["data"] as Record<string, string>)[key] ?? "", "base64").toString("utf8");
}

describe("argoClusterSecret", () => {
  const configOf = (access: Partial<ClusterAccess>): unknown =>
    JSON.parse(valueOf(argoClusterSecret(cluster(), place, { server: "https://a", ...access }), "config"));

  it.each([
    { access: {}, config: {}, tls: {} },
    { access: { token: "t" }, config: { bearerToken: "t" }, tls: {} },
    { access: { proxyUrl: "http://p" }, config: { proxyUrl: "http://p" }, tls: {} },
    { access: { disableCompression: true }, config: { disableCompression: true }, tls: {} },
    { access: { disableCompression: false }, config: {}, tls: {} },
    { access: { caPem: "c" }, config: {}, tls: { caData: "Yw==" } },
    { access: { certPem: "c", keyPem: "k" }, config: {}, tls: { certData: "Yw==", keyData: "aw==" } },
    { access: { tlsServerName: "n" }, config: {}, tls: { serverName: "n" } },
  ])("has of $access exactly what is known, and always checks certificates", ({ access, config, tls }) => {
    expect(configOf(access)).toEqual({ ...config, tlsClientConfig: { insecure: false, ...tls } });
  });

  it("is named after the published name", () => {
    const secret = argoClusterSecret(cluster(), place, { server: "https://a" });
    expect(secret.metadata).toMatchObject({ namespace: "tools", name: "cluster-fleet-eu-1" });
    expect([valueOf(secret, "name"), valueOf(secret, "server")]).toEqual(["fleet-eu-1", "https://a"]);
  });
});

describe("labels and annotations of published objects", () => {
  it.each([
    { key: "zone", isCopied: true },
    { key: "example.com/zone", isCopied: true },
    { key: "notargoproj.io/zone", isCopied: true },
    { key: "argoproj.io", isCopied: true },
    { key: "argoproj.io/zone", isCopied: false },
    { key: "argocd.argoproj.io/zone", isCopied: false },
    { key: "Reconcile.FluxCD.io/zone", isCopied: false },
    { key: "rollcall.dev/zone", isCopied: false },
  ])("copy $key: $isCopied", ({ key, isCopied }) => {
    const { metadata } = fluxKubeconfigSecret(cluster({ labels: { [key]: "x" }, annotations: { [key]: "x" } }), place, {
      server: "https://a",
    });
    expect(metadata.labels?.[key] === "x").toBe(isCopied);
    expect(metadata.annotations).toEqual(isCopied ? { [key]: "x" } : undefined);
  });

  it("cannot be replaced by labels of the file", () => {
    const labels = { "app.kubernetes.io/managed-by": "other" };
    const { metadata } = fluxKubeconfigSecret(cluster({ labels }), place, { server: "https://a" });
    expect(metadata.labels).toMatchObject({
      "app.kubernetes.io/managed-by": "rollcall",
      "rollcall.dev/published-cluster": "eu-1",
    });
  });
});

describe("clusterProfile", () => {
  it("has both conditions before the first report", () => {
    const { object, status } = clusterProfile(cluster());
    expect(object["spec"]).toMatchObject({ displayName: "eu-1" });
    expect(status).toMatchObject({ conditions: [{ status: "Unknown" }, { status: "Unknown" }] });
    expect(Object.keys(status as object)).toEqual(["conditions"]);
  });

  it("has the reported conditions, version and properties", () => {
    const time = "2027-01-01T00:00:00Z";
    const joined = {
      type: "Joined",
      status: "True",
      reason: "Joined",
      message: "m",
      lastTransitionTime: time,
    } as const;
    const status = { kubernetesVersion: "v1.34.1", platform: "linux/amd64", conditions: [joined] };
    const profile = clusterProfile(cluster({}, { spec: { displayName: "EU" }, status }));
    expect(profile.object["spec"]).toMatchObject({ displayName: "EU" });
    expect(profile.status).toMatchObject({
      version: { kubernetes: "v1.34.1" },
      properties: [{ name: "rollcall.dev/platform", value: "linux/amd64" }],
      conditions: [{ type: "ControlPlaneHealthy", status: "Unknown" }, joined],
    });
  });

  it("has no generation of the Cluster in a condition: kubectl wait compares it with that of the profile", () => {
    const seen = { status: "True", reason: "R", message: "m", lastTransitionTime: "2027-01-01T00:00:00Z" } as const;
    const conditions = (["Joined", "Healthy"] as const).map((type) => ({ ...seen, type, observedGeneration: 1 }));
    expect(clusterProfile(cluster({}, { status: { conditions } })).status).toEqual({
      conditions: [
        { ...seen, type: "ControlPlaneHealthy" },
        { ...seen, type: "Joined" },
      ],
    });
  });
});

describe("names", () => {
  it("lists the other Clusters of one short name", () => {
    const one = cluster({ namespace: "a", name: "b-c" });
    expect(publishedNames(one)).toEqual({ short: "a-b-c", long: "a.b-c" });
    expect(namesakes(one)).toEqual([{ workspace: "a-b", name: "c" }]);
    expect(namesakes(cluster({ namespace: "a", name: "b" }))).toEqual([]);
  });
});
