import { describe, expect, it } from "vitest";
import { readAccess } from "../../../src/daemon/wire-publish.ts";
import type { KubeApi, KubeCache } from "../../../src/kube/kube.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { publishCluster } from "../../../src/publish/publish.ts";
import { argoClusterSecret, clusterProfile } from "../../../src/publish/published-objects.ts";

const access = { server: "https://eu-1.example.com", proxyUrl: "http://proxy:3128" };
const { signal } = new AbortController();

describe("publishCluster", () => {
  it("keeps Secrets of Argo CD's own controller, which copies our labels", async () => {
    const session = open([clusterOf("fleet", "eu-1")]);
    await session.publish("fleet", "eu-1");
    const ours = session.applied[0];
    const copy: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        ...ours?.metadata,
        name: "cluster-eu-1",
        managedFields: [{ manager: "clusterprofile-controller", operation: "Update" }],
      },
    };
    session.secrets.push(copy);
    await session.publish("fleet", "eu-1");
    expect(session.deleted).toEqual([]);
  });

  it("gives two clusters with one short name a Secret each, and leaves the name that is held", async () => {
    const session = open([clusterOf("a-b", "c")]);
    await session.publish("a-b", "c");
    session.clusters.push(clusterOf("a", "b-c"));
    await session.publish("a", "b-c");
    await session.publish("a-b", "c");
    expect(session.secrets.map(({ metadata }) => metadata.name)).toEqual(["cluster-a-b-c", "cluster-a.b-c"]);
    session.clusters.shift();
    await session.publish("a-b", "c");
    await session.publish("a", "b-c");
    expect(session.deleted).toEqual(["cluster-a-b-c"]);
    expect(session.secrets.map(({ metadata }) => metadata.name)).toEqual(["cluster-a.b-c"]);
  });
});

describe("published objects", () => {
  it("have both conditions of a ClusterProfile before anything is reported", () => {
    const { status } = clusterProfile(clusterOf("fleet", "eu-1"));
    expect(status).toMatchObject({
      conditions: [
        { type: "ControlPlaneHealthy", status: "Unknown" },
        { type: "Joined", status: "Unknown" },
      ],
    });
  });

  it("have the proxy of the kubeconfig and annotations of the file, and none of other systems", () => {
    const annotations = { "example.com/owner": "a", "rollcall.dev/adopt": "true", "argocd.argoproj.io/x": "y" };
    const plain = clusterOf("fleet", "eu-1");
    const cluster = { ...plain, metadata: { ...plain.metadata, annotations } };
    const secret = argoClusterSecret(cluster, { namespace: "argocd", publishedName: "fleet-eu-1" }, access);
    expect(secret.metadata.annotations).toEqual({ "example.com/owner": "a" });
    const { config = "" } = secret["data"] as Record<string, string>;
    expect(JSON.parse(Buffer.from(config, "base64").toString())).toMatchObject({ proxyUrl: "http://proxy:3128" });
  });
});

describe("the Secret of Argo CD", () => {
  it.each([true, false])("asks for no compression when the kubeconfig does: %s", async (isDisabled) => {
    const cluster = { server: "https://eu-1.example.com", "disable-compression": isDisabled };
    const read = await readAccess(kubeconfigOf(cluster));
    const secret = argoClusterSecret(clusterOf("fleet", "eu-1"), { namespace: "a", publishedName: "b" }, read);
    const { config = "" } = secret["data"] as Record<string, string>;
    const { disableCompression } = JSON.parse(Buffer.from(config, "base64").toString()) as Record<string, unknown>;
    expect(disableCompression).toBe(isDisabled ? true : undefined);
  });

  it("has no label by which Flux or Argo CD knows what they made themselves", () => {
    const labels = {
      env: "prod",
      "notfluxcd.io/team": "a",
      "kustomize.toolkit.fluxcd.io/name": "fleet",
      "ArgoCD.argoproj.io/instance": "fleet",
      "argocd.argoproj.io/secret-type": "repository",
    };
    const plain = clusterOf("fleet", "eu-1");
    const cluster = { ...plain, metadata: { ...plain.metadata, labels } };
    const secret = argoClusterSecret(cluster, { namespace: "argocd", publishedName: "fleet-eu-1" }, access);
    expect(Object.keys(secret.metadata.labels ?? {}).sort()).toEqual([
      "app.kubernetes.io/managed-by",
      "argocd.argoproj.io/secret-type",
      "env",
      "notfluxcd.io/team",
      "rollcall.dev/published-cluster",
      "rollcall.dev/published-workspace",
    ]);
    expect(secret.metadata.labels?.["argocd.argoproj.io/secret-type"]).toBe("cluster");
  });
});

function kubeconfigOf(cluster: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
    clusters: [{ name: "c", cluster }],
    users: [{ name: "c", user: { token: "t" } }],
  });
}

function clusterOf(namespace: string, name: string): Cluster {
  return { metadata: { namespace, name }, spec: { protocol: "rollcall" } } as Cluster;
}

/** A publisher for Argo CD on a list of Secrets. */
function open(clusters: Cluster[]) {
  const secrets: KubeObject[] = [];
  const applied: KubeObject[] = [];
  const deleted: string[] = [];
  const cache = {
    type: resourceTypes.secret,
    list: () => secrets,
    get: (namespace: string | undefined, name: string) =>
      secrets.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  } as unknown as KubeCache;
  const hubApi = {
    apply: (object: KubeObject) => {
      applied.push(object);
      const managedFields = [{ manager: "rollcall-hub", operation: "Apply" }];
      const at = secrets.findIndex(({ metadata }) => metadata.name === object.metadata.name);
      const made = { ...object, metadata: { ...object.metadata, managedFields } } as KubeObject;
      if (at < 0) secrets.push(made);
      else secrets[at] = made;
      return Promise.resolve(made);
    },
    delete: ({ name }: { readonly name: string }) => {
      deleted.push(name);
      secrets.splice(
        secrets.findIndex(({ metadata }) => metadata.name === name),
        1,
      );
      return Promise.resolve();
    },
  } as unknown as KubeApi;
  const context = {
    hubApi,
    targets: { clusterProfiles: false, argocd: "argocd" },
    clusterOf: (workspace: string, name: string) =>
      clusters.find(({ metadata }) => metadata.namespace === workspace && metadata.name === name),
    kubeconfigOf: () => "kubeconfig",
    readAccess: () => Promise.resolve(access),
    published: [cache],
  };
  return {
    clusters,
    secrets,
    applied,
    deleted,
    publish: (workspace: string, name: string) => publishCluster(context, { workspace, name }, signal),
  };
}
