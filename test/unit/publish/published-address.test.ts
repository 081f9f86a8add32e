import { describe, expect, it } from "vitest";
import { readConditions } from "../../../src/planning/conditions.ts";
import type { Session } from "./publisher.ts";
import { clusterOf, openPublisher } from "./publisher.ts";

describe("the address of a cluster at Argo CD", () => {
  const conditionOf = ({ statuses }: Session): unknown => {
    const [condition] = readConditions(statuses.at(-1));
    return condition && { reason: condition.reason, message: condition.message };
  };

  it.each([
    "https://kubernetes.default.svc",
    "https://kubernetes.default.svc/",
    "https://KUBERNETES.default.svc:443",
    "https://kubernetes",
    "https://kubernetes.default.svc.cluster.local.",
  ])("A126 a kubeconfig for %s, which to Argo CD is the cluster that it runs in, is not published", async (server) => {
    const session = openPublisher([clusterOf("fleet", "eu-1")]);
    session.state.access = { server };
    await session.publish("fleet", "eu-1");
    expect(session.secrets).toEqual([]);
    expect(conditionOf(session)).toMatchObject({
      reason: "KubeconfigRefused",
      message: expect.stringMatching(
        /^Not published: its server is kubernetes\S*, which means Argo CD's own cluster/u,
      ) as string,
    });
  });

  it.each(["https://kubernetes.example.com", "https://kubernetes-default.svc", "https://my-kubernetes"])(
    "may be %s",
    async (server) => {
      const session = openPublisher([clusterOf("fleet", "eu-1")]);
      session.state.access = { server };
      await session.publish("fleet", "eu-1");
      expect(session.secrets).toHaveLength(1);
    },
  );

  it.each(["https://eu-1.example.com", "https://eu-1.example.com/", "https://EU-1.example.com:443"])(
    "A126 a kubeconfig with the address of another workspace's cluster (%s) does not replace that one at Argo CD",
    async (server) => {
      const session = openPublisher([clusterOf("fleet", "eu-1"), clusterOf("labs", "mine")]);
      await session.publish("fleet", "eu-1");
      session.state.access = { server };
      expect(await session.publish("labs", "mine")).toBe(60_000);
      expect(session.secrets.map(({ metadata }) => metadata.name)).toEqual(["cluster-fleet-eu-1"]);
      expect(conditionOf(session)).toEqual({
        reason: "KubeconfigRefused",
        message:
          "Not published: its server is that of fleet/eu-1, of another workspace, by which Argo CD knows that cluster.",
      });
      // The other one is published further, and its address is free when it has left.
      session.state.access = { server: "https://eu-1.example.com", token: "new" };
      await session.publish("fleet", "eu-1");
      expect(session.applied.at(-1)?.metadata.name).toBe("cluster-fleet-eu-1");
      session.clusters.shift();
      await session.publish("fleet", "eu-1");
      expect(await session.publish("labs", "mine")).toBeUndefined();
      expect(session.secrets.map(({ metadata }) => metadata.name)).toEqual(["cluster-labs-mine"]);
    },
  );

  it("A126 clusters of two workspaces that are first published in one moment do not both get one address", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1"), clusterOf("labs", "mine")]);
    const publishBoth = () => Promise.all([session.publish("fleet", "eu-1"), session.publish("labs", "mine")]);
    expect(await publishBoth()).toEqual([undefined, 60_000]);
    expect(session.secrets.map(({ metadata }) => metadata.name)).toEqual(["cluster-fleet-eu-1"]);
  });

  it.each<[string, (session: Session) => void]>([
    ["has left", ({ clusters }) => void clusters.shift()],
    ["has no kubeconfig any more", ({ state }) => (state.kubeconfig = undefined)],
    ["has another address", ({ state }) => (state.access = { server: "https://eu-1.example.net" })],
  ])("A126 is free again when the cluster that has it %s", async (_, change) => {
    const session = openPublisher([clusterOf("fleet", "eu-1"), clusterOf("labs", "mine")]);
    const { kubeconfig, access: before } = session.state;
    await session.publish("fleet", "eu-1");
    change(session);
    await session.publish("fleet", "eu-1");
    Object.assign(session.state, { kubeconfig, access: before });
    expect(await session.publish("labs", "mine")).toBeUndefined();
    expect(session.secrets.map(({ metadata }) => metadata.name)).toContain("cluster-labs-mine");
  });

  it("A126 a published cluster whose kubeconfig takes another workspace's address keeps the one that it had", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1"), clusterOf("labs", "mine")]);
    await session.publish("fleet", "eu-1");
    session.state.access = { server: "https://mine.example.com" };
    await session.publish("labs", "mine");
    const before = structuredClone(session.secrets);
    session.state.access = { server: "https://eu-1.example.com", proxyUrl: "http://proxy.example.com" };
    await session.publish("labs", "mine");
    expect(session.secrets).toEqual(before);
  });

  it("may be shared within a workspace", async () => {
    const session = openPublisher([clusterOf("fleet", "eu-1"), clusterOf("fleet", "eu-2")]);
    await session.publish("fleet", "eu-1");
    await session.publish("fleet", "eu-2");
    expect(session.secrets).toHaveLength(2);
  });

  it.each([
    { to: "labs/eu-1", isPublished: true },
    { to: "labs/eu-2", isPublished: false },
  ])(
    "is taken along ($isPublished) by a cluster to labs/eu-1 from one that moves to $to",
    async ({ to, isPublished }) => {
      const plain = clusterOf("fleet", "eu-1");
      const moving = { ...plain, metadata: { ...plain.metadata, annotations: { "rollcall.dev/moved-to": to } } };
      const session = openPublisher([moving, clusterOf("labs", "eu-1")]);
      await session.publish("fleet", "eu-1");
      await session.publish("labs", "eu-1");
      expect(session.secrets).toHaveLength(isPublished ? 2 : 1);
    },
  );

  it("A126 a cluster does not get the name by which Argo CD calls the cluster that it runs in", async () => {
    const session = openPublisher([clusterOf("in", "cluster")]);
    await session.publish("in", "cluster");
    expect(session.secrets.map(({ metadata }) => metadata.name)).toEqual(["cluster-in.cluster"]);
  });
});
