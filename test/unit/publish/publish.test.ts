import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { readAccess } from "../../../src/daemon/wire-publish.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { NamedKubeconfig } from "../../../src/publish/publish.ts";
import { argoClusterSecret, clusterProfile } from "../../../src/publish/published-objects.ts";
import type { Session } from "./publisher.ts";
import { access, clusterOf, openPublisher } from "./publisher.ts";

describe("publishCluster", () => {
  it("keeps Secrets of Argo CD's own controller, which copies our labels", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
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
    const session = openPublisher([clusterOf("a-b", "c")]);
    await session.publish("a-b", "c");
    session.clusters.push(clusterOf("a", "b-c"));
    session.state.access = { server: "https://b-c.example.com" };
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

describe("what is published when it is wanted no more", () => {
  it.each([
    ["its Secret is deleted", (session: Session) => void (session.state.kubeconfig = undefined)],
    ["the Cluster is deleted by hand", (session: Session) => void session.clusters.splice(0)],
    ["the Cluster leaves", (session: Session) => void session.clusters.splice(0, 1, leaving({}))],
  ])("stays as long as something uses it, when %s", async (_how, change) => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.users = ["Application.argoproj.io/argocd/shop"];
    await session.publish("fleet", "eu-1");
    change(session);
    expect(await session.publish("fleet", "eu-1")).toBe(1000);
    expect(session.deleted).toEqual([]);
    session.state.users = [];
    expect(await session.publish("fleet", "eu-1")).toBeUndefined();
    expect(session.deleted).toEqual(["cluster-fleet-eu-1"]);
  });

  it("stays untouched during the grace period of a Cluster that leaves", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    await session.publish("fleet", "eu-1");
    session.clusters.splice(0, 1, leaving({ deletionGracePeriod: "1h" }));
    await session.publish("fleet", "eu-1");
    session.clusters.splice(0, 1, leaving({ deletionGracePeriod: "1h" }, "2026-12-31T23:30:00Z"));
    expect(await session.publish("fleet", "eu-1")).toBe(1_800_000);
    expect(session.deleted).toEqual([]);
    session.clusters.splice(0, 1, leaving({ deletionGracePeriod: "1h" }, "2026-12-31T22:30:00Z"));
    await session.publish("fleet", "eu-1");
    expect(session.deleted).toEqual(["cluster-fleet-eu-1"]);
  });

  it.each([
    ["is refused", (session: Session) => void (session.state.refusal = new AppError("E_KUBECONFIG", "no server"))],
    [
      "belongs to Cluster API",
      (session: Session) => void (session.state.kubeconfig = { text: "", isClusterApis: true }),
    ],
  ])("waits for its whole time anew after a kubeconfig that %s has kept it meanwhile", async (_which, keep) => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    const { kubeconfig } = session.state;
    session.state.users = ["Application.argoproj.io/argocd/shop"];
    await session.publish("fleet", "eu-1");
    session.state.kubeconfig = undefined;
    expect(await session.publish("fleet", "eu-1")).toBe(1000);
    session.state.kubeconfig = kubeconfig;
    keep(session);
    expect(await session.publish("fleet", "eu-1")).toBeUndefined();
    session.state.nowMs += 3600_000;
    session.state.kubeconfig = undefined;
    expect(await session.publish("fleet", "eu-1")).toBe(1000);
    expect(session.deleted).toEqual([]);
  });

  it("is removed at once when the Cluster that leaves is revoked", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.users = ["Application.argoproj.io/argocd/shop"];
    await session.publish("fleet", "eu-1");
    const cluster = leaving({});
    const annotations = { ...cluster.metadata.annotations, "rollcall.dev/revoked": "-/a/b" };
    session.clusters.splice(0, 1, { ...cluster, metadata: { ...cluster.metadata, annotations } });
    await session.publish("fleet", "eu-1");
    expect(session.deleted).toEqual(["cluster-fleet-eu-1"]);
  });

  it("stays when the Cluster is revoked, until its kubeconfig's Secret is deleted: then it is removed at once", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.users = ["Application.argoproj.io/argocd/shop"];
    await session.publish("fleet", "eu-1");
    const plain = clusterOf("fleet", "eu-1");
    const annotations = { "rollcall.dev/revoked": "-/a/b" };
    session.clusters.splice(0, 1, { ...plain, metadata: { ...plain.metadata, annotations } });
    await session.publish("fleet", "eu-1");
    expect(session.deleted).toEqual([]);
    session.state.kubeconfig = undefined;
    await session.publish("fleet", "eu-1");
    expect(session.deleted).toEqual(["cluster-fleet-eu-1"]);
  });

  it("reports on the Cluster what is published", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    await session.publish("fleet", "eu-1");
    expect(session.statuses).toMatchObject([
      { status: { conditions: [{ type: "Published", message: "Secret/argocd/cluster-fleet-eu-1." }] } },
    ]);
  });

  it("reports it on the Cluster as it is then, in that version: the work before may have taken long", async () => {
    const plain = clusterOf("fleet", "eu-1");
    const before = { ...plain, metadata: { ...plain.metadata, uid: "one", resourceVersion: "1" } };
    const session = openPublisher([before]);
    session.state.onApply = () => {
      session.clusters.splice(0, 1, { ...before, metadata: { ...before.metadata, resourceVersion: "2" } });
    };
    await session.publish("fleet", "eu-1");
    expect(session.statuses).toMatchObject([{ metadata: { uid: "one", resourceVersion: "2" } }]);
    session.state.access = { server: "https://eu-2.example.com" };
    session.state.onApply = () => {
      session.clusters.splice(0, 1, { ...before, metadata: { ...before.metadata, uid: "two" } });
    };
    await session.publish("fleet", "eu-1");
    expect(session.statuses).toHaveLength(1);
  });
});

describe("a kubeconfig of Cluster API", () => {
  const ofClusterApi: NamedKubeconfig = { text: "kubeconfig", isClusterApis: true };

  it("is not passed on, and the Cluster reports why", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.kubeconfig = ofClusterApi;
    await session.publish("fleet", "eu-1");
    expect(session.secrets).toEqual([]);
    expect(session.statuses).toMatchObject([
      { status: { conditions: [{ type: "Published", status: "False", reason: "KubeconfigOfClusterApi" }] } },
    ]);
  });

  it("is passed on where the file asks for it", async () => {
    const plain = clusterOf("fleet", "eu-1");
    const annotations = { "rollcall.dev/publish-cluster-api-kubeconfig": "true" };
    const session = openPublisher([{ ...plain, metadata: { ...plain.metadata, annotations } }]);
    session.state.kubeconfig = ofClusterApi;
    await session.publish("fleet", "eu-1");
    expect(session.secrets).toHaveLength(1);
  });

  it("leaves a Secret as it is that was made of it before", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    await session.publish("fleet", "eu-1");
    const before = structuredClone(session.secrets);
    session.state.kubeconfig = ofClusterApi;
    await session.publish("fleet", "eu-1");
    expect(session.secrets).toEqual(before);
  });
});

describe("a kubeconfig that is refused", () => {
  const refused = new AppError("E_KUBECONFIG", "the kubeconfig cannot be used: it runs a program");

  it("is not published, and the Cluster reports why", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.refusal = refused;
    await session.publish("fleet", "eu-1");
    expect(session.secrets).toEqual([]);
    expect(session.statuses).toMatchObject([
      { status: { conditions: [{ type: "Published", status: "False", reason: "KubeconfigRefused" }] } },
    ]);
  });

  it("leaves the Secret of the former one, and the Cluster reports that it is not renewed", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    await session.publish("fleet", "eu-1");
    const before = structuredClone(session.secrets);
    session.state.refusal = refused;
    expect(await session.publish("fleet", "eu-1")).toBeUndefined();
    expect(session.secrets).toEqual(before);
    const message =
      "Not published: the kubeconfig cannot be used: it runs a program. " +
      "Secret/argocd/cluster-fleet-eu-1 keeps the former credential until that is corrected, or the kubeconfig's Secret is deleted.";
    expect(session.statuses.at(-1)).toMatchObject({
      status: { conditions: [{ reason: "KubeconfigRefused", message }] },
    });
  });

  it("keeps no other fault from being tried again", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.refusal = new AppError("E_KUBE_UNREACHABLE", "no answer");
    await expect(session.publish("fleet", "eu-1")).rejects.toMatchObject({ code: "E_KUBE_UNREACHABLE" });
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

  it("has the TLS server name of the kubeconfig", async () => {
    const cluster = { server: "https://eu-1.example.com", "tls-server-name": "kubernetes" };
    const read = await readAccess(kubeconfigOf(cluster));
    const secret = argoClusterSecret(clusterOf("fleet", "eu-1"), { namespace: "a", publishedName: "b" }, read);
    const { config = "" } = secret["data"] as Record<string, string>;
    expect(JSON.parse(Buffer.from(config, "base64").toString())).toMatchObject({
      tlsClientConfig: { serverName: "kubernetes" },
    });
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

function leaving(spec: Cluster["spec"], since?: string): Cluster {
  const plain = clusterOf("fleet", "eu-1");
  const annotations = { "rollcall.dev/leave": "0123456" };
  const status = since === undefined ? {} : { leave: { commit: "0123456", phase: "Waiting", since } };
  return { ...plain, metadata: { ...plain.metadata, annotations }, spec, status } as Cluster;
}
