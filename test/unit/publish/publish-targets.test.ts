import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { hasPublishedSecret, publishedKinds } from "../../../src/publish/publish.ts";
import type { PublishedIndex } from "../../../src/publish/published-index.ts";
import { clusterOf, openPublisher } from "./publisher.ts";

const { clusterProfile, secret } = resourceTypes;
const conflict = new AppError("E_KUBE_CONFLICT", "another manager has it");

describe("publishedKinds", () => {
  it.each([
    { targets: { clusterProfiles: false }, kinds: [] },
    { targets: { clusterProfiles: true }, kinds: [{ type: clusterProfile }] },
    {
      targets: { clusterProfiles: false, argocd: "a", flux: "b" },
      kinds: [
        { type: secret, namespace: "a" },
        { type: secret, namespace: "b" },
      ],
    },
    { targets: { clusterProfiles: false, argocd: "a", flux: "a" }, kinds: [{ type: secret, namespace: "a" }] },
    { targets: { clusterProfiles: false, flux: "b" }, kinds: [{ type: secret, namespace: "b" }] },
  ])("of $targets watches each kind once in each namespace", ({ targets, kinds }) => {
    expect(publishedKinds(targets)).toEqual(kinds);
  });
});

describe("hasPublishedSecret", () => {
  it.each([
    { types: [], isThere: false },
    { types: [clusterProfile], isThere: false },
    { types: [clusterProfile, secret], isThere: true },
  ])("is $isThere for $types.length objects", ({ types, isThere }) => {
    const object = { apiVersion: "v1", kind: "X", metadata: { name: "x" } };
    const of = () => types.map((type) => ({ ref: { type, name: "x" }, object }));
    expect(hasPublishedSecret({ of } as unknown as PublishedIndex, "fleet/eu-1")).toBe(isThere);
  });
});

describe("publishing for Flux", () => {
  const flux = { clusterProfiles: false, flux: "flux-system" };

  it("makes a Secret with the kubeconfig, and removes it when its kubeconfig is deleted", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")], flux);
    await session.publish("fleet", "eu-1");
    expect(session.secrets.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual([
      "Secret flux-system",
    ]);
    const [name] = session.secrets.map(({ metadata }) => metadata.name);
    session.state.kubeconfig = undefined;
    await session.publish("fleet", "eu-1");
    expect(session.deleted).toEqual([name]);
  });

  it("asks for no address of its own, which Argo CD alone needs", async () => {
    const session = openPublisher([clusterOf("a", "x"), clusterOf("b", "y")], flux);
    await session.publish("a", "x");
    expect(await session.publish("b", "y")).toBeUndefined();
    expect(session.secrets).toHaveLength(2);
  });

  it("makes a Secret for each, Argo CD and Flux, in their namespaces", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")], { ...flux, argocd: "argocd" });
    await session.publish("fleet", "eu-1");
    expect(session.secrets.map(({ metadata }) => metadata.namespace)).toEqual(["argocd", "flux-system"]);
  });
});

describe("publishing a ClusterProfile", () => {
  const profiles = { clusterProfiles: true };

  it("needs no kubeconfig, and writes each part only when it differs", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")], profiles);
    session.state.kubeconfig = undefined;
    await session.publish("fleet", "eu-1");
    expect(session.applied.map(({ kind }) => kind)).toEqual(["ClusterProfile"]);
    expect(session.statuses.map(({ kind }) => kind)).toEqual(["ClusterProfile"]);
    await session.publish("fleet", "eu-1");
    expect([session.applied.length, session.statuses.length]).toEqual([1, 1]);
    const reported = { ...clusterOf("fleet", "eu-1"), status: { kubernetesVersion: "v1.34.0" } } as Cluster;
    session.clusters.splice(0, 1, reported);
    await session.publish("fleet", "eu-1");
    expect([session.applied.length, session.statuses.length]).toEqual([1, 2]);
  });

  it("removes it at once when the Cluster is deleted, whatever uses it", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")], profiles);
    session.state.users = ["Application.argoproj.io/argocd/shop"];
    await session.publish("fleet", "eu-1");
    session.clusters.splice(0);
    expect(await session.publish("fleet", "eu-1")).toBeUndefined();
    expect(session.secrets).toEqual([]);
  });

  it("reports nothing of it on the Cluster: the condition is of Secrets", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")], profiles);
    await session.publish("fleet", "eu-1");
    expect(session.statuses.filter(({ kind }) => kind === "Cluster")).toEqual([]);
  });
});

describe("an object of another program with the name", () => {
  it("stays, is reported, and is tried again after a minute", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.onApply = () => {
      throw conflict;
    };
    expect(await session.publish("fleet", "eu-1")).toBe(60_000);
    expect(session.statuses).toMatchObject([
      {
        status: {
          conditions: [{ reason: "PublishedNameTaken", message: expect.stringContaining("Secret/argocd/") as string }],
        },
      },
    ]);
    expect(session.statuses).toHaveLength(1);
  });

  it("is never taken over: only what this program published is written by force", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    await session.publish("fleet", "eu-1");
    session.state.access = { server: "https://eu-2.example.com" };
    await session.publish("fleet", "eu-1");
    expect(session.forced).toEqual([false, true]);
  });

  it.each([
    { reason: "the Secret is our own", isHeld: true, error: conflict },
    { reason: "the server fails", isHeld: false, error: new AppError("E_KUBE_SERVER", "no") },
  ])("is not the reason of a write that fails when $reason", async ({ isHeld, error }) => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    if (isHeld) await session.publish("fleet", "eu-1");
    session.state.access = { server: "https://eu-2.example.com" };
    session.state.onApply = () => {
      throw error;
    };
    await expect(session.publish("fleet", "eu-1")).rejects.toBe(error);
  });
});

describe("the condition Published of a Cluster", () => {
  it("is written once, for its generation, and removed when nothing is published any more", async () => {
    const plain = clusterOf("fleet", "eu-1");
    const cluster = { ...plain, metadata: { ...plain.metadata, generation: 3 } };
    const session = openPublisher([cluster]);
    await session.publish("fleet", "eu-1");
    const [written] = session.statuses;
    expect(written).toMatchObject({ status: { conditions: [{ type: "Published", observedGeneration: 3 }] } });
    const managedFields = [
      {
        manager: "rollcall-publisher",
        operation: "Apply",
        subresource: "status",
        fieldsV1: { "f:status": { "f:conditions": { 'k:{"type":"Published"}': {} } } },
      },
    ];
    const reported = { ...cluster, metadata: { ...cluster.metadata, managedFields }, status: written?.["status"] };
    session.clusters.splice(0, 1, reported as unknown as Cluster);
    await session.publish("fleet", "eu-1");
    expect(session.statuses).toHaveLength(1);
    session.state.kubeconfig = undefined;
    await session.publish("fleet", "eu-1");
    expect(session.statuses.slice(1)).toEqual([
      {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Cluster",
        metadata: { namespace: "fleet", name: "eu-1" },
        status: {},
      },
    ]);
  });

  it("is not written on a Cluster that never had a Secret", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.kubeconfig = undefined;
    await session.publish("fleet", "eu-1");
    expect(session.statuses).toEqual([]);
  });
});

describe("an address of Argo CD", () => {
  it("A126 is free for another workspace once the kubeconfig that named it is deleted", async () => {
    const session = openPublisher([clusterOf("a", "x"), clusterOf("b", "y")]);
    session.state.onApply = () => {
      throw conflict;
    };
    await session.publish("a", "x");
    expect(await session.publish("b", "y")).toBe(60_000);
    // Nothing of the first one is there yet: the claim alone keeps the second one from the address.
    expect(session.statuses.at(-1)).toMatchObject({ status: { conditions: [{ reason: "KubeconfigRefused" }] } });
    const { kubeconfig } = session.state;
    session.state.kubeconfig = undefined;
    await session.publish("a", "x");
    session.state.kubeconfig = kubeconfig;
    delete session.state.onApply;
    expect(await session.publish("b", "y")).toBeUndefined();
    expect(session.secrets).toHaveLength(1);
  });
});

describe("the name of a Secret", () => {
  const long = ["cluster-a.b-c"];

  it("is the long one where another Cluster could have the short one", async () => {
    const session = openPublisher([clusterOf("a-b", "c"), clusterOf("a", "b-c")]);
    await session.publish("a", "b-c");
    expect(session.secrets.map(({ metadata }) => metadata.name)).toEqual(long);
  });

  it("is the long one where the Secret of a Cluster that is not there any more has the short one", async () => {
    const session = openPublisher([clusterOf("a-b", "c")]);
    await session.publish("a-b", "c");
    session.clusters.splice(0, 1, clusterOf("a", "b-c"));
    session.state.access = { server: "https://b-c.example.com" };
    await session.publish("a", "b-c");
    expect(session.secrets.map(({ metadata }) => metadata.name).slice(1)).toEqual(long);
  });
});

describe("a Secret that is wanted again", () => {
  it("waits for its whole time anew when it is wanted no more for the second time", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    const { kubeconfig } = session.state;
    session.state.users = ["Application.argoproj.io/argocd/shop"];
    await session.publish("fleet", "eu-1");
    session.state.kubeconfig = undefined;
    expect(await session.publish("fleet", "eu-1")).toBe(1000);
    session.state.kubeconfig = kubeconfig;
    await session.publish("fleet", "eu-1");
    session.state.nowMs += 3_600_000;
    session.state.kubeconfig = undefined;
    expect(await session.publish("fleet", "eu-1")).toBe(1000);
    expect(session.deleted).toEqual([]);
  });
});

describe("the grace period of a Cluster that leaves", () => {
  it("ends at its last millisecond", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    await session.publish("fleet", "eu-1");
    const plain = clusterOf("fleet", "eu-1");
    const leaving = (since: string): Cluster => ({
      ...plain,
      metadata: { ...plain.metadata, annotations: { "rollcall.dev/leave": "true" } },
      spec: { ...plain.spec, deletionGracePeriod: "1h" },
      status: { leave: { since } },
    });
    session.clusters.splice(0, 1, leaving("2026-12-31T23:00:01Z"));
    expect(await session.publish("fleet", "eu-1")).toBe(1000);
    expect(session.deleted).toEqual([]);
    session.clusters.splice(0, 1, leaving("2026-12-31T23:00:00Z"));
    await session.publish("fleet", "eu-1");
    expect(session.deleted).toHaveLength(1);
  });
});
