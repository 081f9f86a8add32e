import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { installClusternet } from "../../src/install/install-clusternet.ts";
import { installFleet } from "../../src/install/install-fleet.ts";
import { installKubefleet } from "../../src/install/install-kubefleet.ts";
import { applyCrds } from "../../src/install/install-crds.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { dedicatedNamespaceName } from "../../src/model/dialects/clusternet.ts";
import { clusternetCrds } from "../../src/model/generated/clusternet-crds.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { ClusternetAgentClient } from "../support/clusternet-agent-client.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, planeWorkspace as workspace, startDaemonPlane } from "../support/daemon-plane.ts";
import { furtherRights, readDaemonRights } from "../support/daemon-rights.ts";
import type { RightsScope } from "../../src/model/generated/daemon-rights.ts";
import { FleetAgentClient, readFleetValues } from "../support/fleet-agent-client.ts";
import { KubefleetAgentClient } from "../support/kubefleet-agent-client.ts";
import { until } from "../support/until.ts";

const { cluster, fleetRegistrationToken, managedCluster, memberCluster, registrationRequest, secret } = resourceTypes;
const { namespace: namespaceType } = resourceTypes;
const never = new AbortController().signal;

// What the agents of another project need is on the hub, made by the chart; the daemon has the chart's rights and no other.
describe("the daemon's rights on a real kube-apiserver, with --serve-fleet", () => {
  let session: DaemonPlane;

  beforeAll(async () => {
    session = await startDaemonPlane();
    await installFleet(session.admin, never);
    const within = {
      [workspace]: ["fleetClusters", "fleetWorkspace"],
      "cattle-fleet-clusters-system": ["fleetRegistrations"],
    } as const;
    for (const object of furtherRights(daemonNamespace, { everywhere: ["fleet"], within }))
      await session.create(object);
    await session.repository.commit({
      files: {
        "eu-1.yaml": fleetFile("Cluster", "eu-1", { clientID: "eu-1-id" }),
        "door.yaml": fleetFile("ClusterRegistrationToken", "door", {}),
      },
    });
    await session.startDaemon({ args: ["--serve-fleet"] });
  });
  afterAll(async () => session?.close());

  it("let an agent in by a token, to Ready, and out again", async () => {
    const values = await until(
      async () =>
        textAt(await session.admin.get({ type: secret, namespace: workspace, name: "door" }), "data", "values") ?? "",
      (text) => text !== "",
    );
    const bootstrap = readFleetValues(Buffer.from(values, "base64").toString("utf8"));
    const agent = new FleetAgentClient(bootstrap, { clientID: "eu-1-id" });
    expect(await agent.register()).toBe(true);
    expect((await agent.heartbeat()).status).toBe(200);
    await session.untilReady("eu-1");
    const files = { "eu-1.yaml": null, "door.yaml": null, "all.yaml": groupFile };
    await session.repository.commit({ files, message: "Leave\n\nRollcall-Allow-Deletions: 1\n" });
    await until(
      async () => (await agent.listDeployments()).status,
      (status) => status === 401,
    );
    const door = { type: fleetRegistrationToken, namespace: workspace, name: "door" };
    await session.until(door, (object) => object === undefined);
  });

  it("suffice, and hold nothing that is not called", () =>
    expectFit(session, ["fleet", "fleetClusters", "fleetWorkspace", "fleetRegistrations"]));
});

describe("the daemon's rights on a real kube-apiserver, with --serve-kubefleet", () => {
  let session: DaemonPlane;

  beforeAll(async () => {
    session = await startDaemonPlane();
    await installKubefleet(session.admin, never);
    for (const object of furtherRights(daemonNamespace, { everywhere: ["kubefleetMembers", "kubefleet"] }))
      await session.create(object);
    const spec = { protocol: "kubefleet" };
    const file = (name: string) =>
      JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name }, spec });
    await session.repository.commit({ files: { "m-1.yaml": file("m-1"), "m-2.yaml": file("m-2") } });
    await session.startDaemon({ args: ["--serve-kubefleet"] });
  });
  afterAll(async () => session?.close());

  it.each(["v1beta1", "v1"])("take a MemberCluster of KubeFleet's guide as it is, in %s", async (version) => {
    const [name, namespace] = [`guide-${version}`, `fleet-system-${version}`];
    const serviceAccount = `${name}-hub-cluster-access`;
    await session.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await session.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: serviceAccount, namespace } });
    const file = [
      `apiVersion: cluster.kubernetes-fleet.io/${version}`,
      "kind: MemberCluster",
      "metadata:",
      `  name: ${name}`,
      "spec:",
      "  identity:",
      `    name: ${serviceAccount}`,
      "    kind: ServiceAccount",
      `    namespace: ${namespace}`,
      '    apiGroup: ""',
      "  heartbeatPeriodSeconds: 60",
      "",
    ];
    await session.repository.commit({ files: { [`${name}.yaml`]: file.join("\n") } });
    const asked = { namespace, serviceAccount, expirationSeconds: 3600 };
    const { token } = await session.admin.requestToken(asked);
    const { server, caPem: ca } = session.plane;
    const agent = new KubefleetAgentClient({ server, ca, token, clusterName: name });
    await session.until({ type: memberCluster, name }, (object) =>
      objectsAt(object, "status", "conditions").some(({ type, status }) => type === "ReadyToJoin" && status === "True"),
    );
    expect((await agent.heartbeat()).status).toBe(200);
    await session.untilReady(name);
  });

  it("let a member in, to Ready, and out again", async () => {
    await session.until({ type: memberCluster, name: "m-1" }, (object) =>
      objectsAt(object, "status", "conditions").some(({ type, status }) => type === "ReadyToJoin" && status === "True"),
    );
    const ref = { type: secret, namespace: workspace, name: "m-1-hub-cluster-access-token" };
    const encoded = await until(
      async () => textAt(await session.admin.get(ref), "data", "token") ?? "",
      (text) => text !== "",
    );
    const token = Buffer.from(encoded, "base64").toString("utf8");
    const { server, caPem: ca } = session.plane;
    const agent = new KubefleetAgentClient({ server, ca, token, clusterName: "m-1" });
    await agent.start();
    expect((await agent.heartbeat()).status).toBe(200);
    await session.untilReady("m-1");
    await session.repository.commit({ files: { "m-1.yaml": null }, message: "Leave\n\nRollcall-Allow-Deletions: 1\n" });
    await until(
      () => agent.state(),
      (state) => state === "Leave",
    );
    await agent.heartbeat({ joined: "False" });
    await session.until({ type: memberCluster, name: "m-1" }, (object) => object === undefined);
    await session.until({ type: cluster, namespace: workspace, name: "m-1" }, (object) => object === undefined);
  });

  it("suffice, and hold nothing that is not called", () => expectFit(session, ["kubefleetMembers", "kubefleet"]));
});

describe("the daemon's rights on a real kube-apiserver, with --serve-clusternet", () => {
  let session: DaemonPlane;

  beforeAll(async () => {
    session = await startDaemonPlane();
    await installClusternet(session.admin, never);
    const within = { "kube-system": ["clusternetBootstrap"] } as const;
    for (const object of furtherRights(daemonNamespace, { everywhere: ["clusternetClusters", "clusternet"], within }))
      await session.create(object);
    const spec = { protocol: "clusternet", clusterNames: ["c-1"] };
    const door = ownFile("ClusterRegistrationToken", "door", spec);
    const clusterFile = ownFile("Cluster", "c-1", { protocol: "clusternet" });
    await session.repository.commit({ files: { "door.yaml": door, "c-1.yaml": clusterFile } });
    await session.startDaemon({ args: ["--serve-clusternet", "--clusternet-bootstrap-tokens"] });
  });
  afterAll(async () => session?.close());

  it("let an agent in by a token, to Ready, and out again", async () => {
    const values = await until(
      async () =>
        textAt(await session.admin.get({ type: secret, namespace: workspace, name: "door" }), "data", "c-1") ?? "",
      (text) => text !== "",
    );
    const said: unknown = parse(Buffer.from(values, "base64").toString("utf8"));
    const { server, caPem: ca } = session.plane;
    const agent = new ClusternetAgentClient({
      server,
      ca,
      token: textAt(said, "registrationToken") ?? "",
      clusterId: "dc91021d-2361-4f6d-a404-7c33b9e01118",
      clusterName: "c-1",
      labels: { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "door" },
    });
    expect((await agent.ask()).status).toBe(201);
    await until(
      () => agent.look(),
      (isIn) => isIn,
    );
    expect((await agent.heartbeat()).status).toBe(200);
    await session.untilReady("c-1");
    await session.admin.delete({ type: registrationRequest, name: agent.requestName });
    expect((await agent.ask(agent.answer?.token)).status).toBe(201);
    await until(
      () => agent.look(agent.answer?.token),
      (isIn) => isIn,
    );
    const files = { "c-1.yaml": null, "door.yaml": null, "all.yaml": groupFile };
    await session.repository.commit({ files, message: "Leave\n\nRollcall-Allow-Deletions: 1\n" });
    await session.until({ type: cluster, namespace: workspace, name: "c-1" }, (object) => object === undefined);
    await session.until({ type: registrationRequest, name: agent.requestName }, (object) => object === undefined);
    const bootstrap = { namespace: "kube-system", labelSelector: "rollcall.dev/owner-workspace" };
    await until(
      async () => (await session.admin.list(secret, bootstrap)).items.length,
      (count) => count === 0,
    );
  });

  it("suffice, and hold nothing that is not called", () =>
    expectFit(session, ["clusternetClusters", "clusternet", "clusternetBootstrap"]));
});

describe("the daemon's rights on a real kube-apiserver, with --clusternet-controllers External", () => {
  let session: DaemonPlane;
  const clientID = "5c1b2a30-8e14-4a55-9d0f-0b8f4cf2a001";
  const home = dedicatedNamespaceName(workspace, "c-1");
  const managed = { type: managedCluster, namespace: home, name: "c-1" };

  beforeAll(async () => {
    session = await startDaemonPlane();
    await applyCrds(session.admin, clusternetCrds, { isForeignKept: true, signal: never });
    for (const object of furtherRights(daemonNamespace, { everywhere: ["clusternetClusters"] }))
      await session.create(object);
    const clusterFile = ownFile("Cluster", "c-1", { protocol: "clusternet", clientID });
    await session.repository.commit({ files: { "c-1.yaml": clusterFile } });
    await session.startDaemon({ args: ["--serve-clusternet", "--clusternet-controllers", "External"] });
  });
  afterAll(async () => session?.close());

  it("keep a ManagedCluster, read its status, follow its file, and delete it", async () => {
    await session.until(managed, (object) => textAt(object, "spec", "clusterId") === clientID);
    // As the agent does with the rights that Clusternet's approver gives it.
    const status = { lastObservedTime: new Date().toISOString(), healthz: true, livez: true, readyz: true };
    const heartbeat = { ...status, k8sVersion: "v1.34.4", heartbeatFrequencySeconds: 180 };
    const by = { fieldManager: "clusternet-agent", subresource: "status" } as const;
    await session.admin.mergePatch(managed, { status: heartbeat }, by);
    await session.untilReady("c-1");
    const dual = { protocol: "clusternet", clientID, clusternet: { syncMode: "Dual" } };
    await session.repository.commit({ files: { "c-1.yaml": ownFile("Cluster", "c-1", dual) } });
    await session.until(managed, (object) => textAt(object, "spec", "syncMode") === "Dual");
    const files = { "c-1.yaml": null, "all.yaml": groupFile };
    await session.repository.commit({ files, message: "Leave\n\nRollcall-Allow-Deletions: 1\n" });
    await session.until({ type: cluster, namespace: workspace, name: "c-1" }, (object) => object === undefined);
    await session.until(managed, (object) => object === undefined);
    await session.until({ type: namespaceType, name: home }, (object) => object === undefined);
  });

  it("suffice, and hold nothing that is not called", () => expectFit(session, ["clusternetClusters"]));
});

describe("the daemon's rights on a real kube-apiserver, with --page-address", () => {
  let session: DaemonPlane;

  beforeAll(async () => {
    session = await startDaemonPlane();
    for (const object of furtherRights(daemonNamespace, { everywhere: ["page"] })) await session.create(object);
    for (const name of ["viewer", "stranger"])
      await session.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: workspace } });
  });
  afterAll(async () => session?.close());

  it("show the fleet to users whom the hub knows and allows, and to no other", async () => {
    const daemon = await session.startDaemon({ args: ["--page-address", "127.0.0.1:0"] });
    const line = await daemon.untilLine((printed) => printed.includes("serving the page"));
    const url = `http://127.0.0.1:${/"port":(\d+)/u.exec(line)?.[1]}/api/v1/clusters`;
    const ask = async (bearer: string): Promise<number> =>
      (await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })).status;
    const tokenOf = async (account: string): Promise<string> =>
      (await session.admin.requestToken({ namespace: workspace, serviceAccount: account, expirationSeconds: 600 }))
        .token;
    const group = "rbac.authorization.k8s.io";
    await session.create({
      apiVersion: `${group}/v1`,
      kind: "RoleBinding",
      metadata: { name: "viewer", namespace: workspace },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name: "viewer", namespace: workspace }],
    });
    expect(await ask("nobody")).toBe(401);
    expect(await ask(await tokenOf("stranger"))).toBe(403);
    expect(await ask(await tokenOf("viewer"))).toBe(200);
  });

  it("suffice, and hold nothing that is not called", () => expectFit(session, ["page"]));
});

/** No call was forbidden, and each verb of these scopes was needed unless the table declares when it is. */
async function expectFit(session: DaemonPlane, scopes: readonly RightsScope[]): Promise<void> {
  const calls = await session.calls();
  const forbidden = calls.filter(({ status }) => status === 403);
  expect(forbidden.map(({ verb, resource, apiGroup, path }) => `${verb} ${resource}.${apiGroup} ${path}`)).toEqual([]);
  const made = new Set(
    calls.flatMap(({ verb, apiGroup, resource, status }) => [
      `${verb} ${resource}.${apiGroup}`,
      ...(verb === "patch" && status === 201 ? [`create ${resource}.${apiGroup}`] : []),
    ]),
  );
  const rights = readDaemonRights();
  const unused = scopes.flatMap((scope) =>
    rights[scope].flatMap(({ apiGroups, resources, verbs, given = [], seldom = [] }) =>
      resources.flatMap((resource) =>
        verbs
          .filter((verb) => !given.includes(verb) && !seldom.includes(verb))
          .map((verb) => `${verb} ${resource}.${apiGroups[0]}`)
          .filter((right) => !made.has(right)),
      ),
    ),
  );
  expect(unused).toEqual([]);
}

/** A tree that declares nothing at all would remove nothing. */
const groupFile = JSON.stringify({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ClusterGroup",
  metadata: { name: "all" },
  spec: { selector: { names: ["*"] } },
});

function ownFile(kind: string, name: string, spec: object): string {
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name }, spec });
}

function fleetFile(kind: string, name: string, spec: object): string {
  return JSON.stringify({
    apiVersion: "fleet.cattle.io/v1alpha1",
    kind,
    metadata: { name, namespace: workspace },
    spec,
  });
}
