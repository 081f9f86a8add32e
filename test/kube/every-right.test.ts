import { randomUUID } from "node:crypto";
import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installerObjects } from "../../src/install/installer-objects.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";
import { clusterRights, namespaceRights } from "../../src/join/rollcall/manifests/agent-rights.ts";
import { readValuesText } from "../../src/join/rollcall/downstream/values.ts";
import { agentAccountName, dedicatedNamespaceName, tokenAccountName } from "../../src/model/dialects/clusternet.ts";
import { importTokenName } from "../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { installAgent } from "../contract/life/install-agent.ts";
import { clusterFile, openLifeSession, tokenFile } from "../contract/life/life-session.ts";
import type { LifeSession } from "../contract/life/life-session.ts";
import { ClusternetAgentClient } from "../support/clusternet-agent-client.ts";
import { daemonAccount, readDaemonRights } from "../support/daemon-rights.ts";
import { FleetAgentClient, readFleetValues } from "../support/fleet-agent-client.ts";
import { realHub } from "../support/hub-under-test.ts";
import type { HeldRight, ServedResource } from "../support/try-every-right.ts";
import { asRights, everyAttempt, isHeld, notForbidden, servedResources } from "../support/try-every-right.ts";

const { clusterReport, internalMemberCluster, namespace: namespaceType, registrationRequest } = resourceTypes;
const { secret, serviceAccount } = resourceTypes;
const readVerbs = ["get", "list", "watch"];
const serves = [
  { name: "fleet", controllers: "Rollcall" },
  { name: "kubefleet", controllers: "Rollcall" },
  { name: "clusternet", controllers: "Rollcall" },
] as const;

interface Holder {
  readonly what: string;
  readonly account: string;
  readonly namespace: () => string;
  /** All that it should have; whatever is not among these is tried. */
  readonly rights: () => readonly HeldRight[];
}

// A1, A4, A5, A6: from the holder's side, against the API server itself.
describe("every account that the program creates", () => {
  let session: LifeSession;
  let resources: readonly ServedResource[];
  let agentNamespace = "";
  const id = randomUUID().slice(0, 6);
  const member = `kube-${id}`;
  const home = `fleet-member-${member}`;
  const clusterId = randomUUID();
  const request = `clusternet-${clusterId}`;
  const clusternetHome = () => dedicatedNamespaceName(session.workspace, "net");
  /** Requests have no namespace; the answer is for the caller. */
  const requests = (verbs: readonly string[], resourceNames?: readonly string[]): HeldRight => ({
    apiGroups: ["clusters.clusternet.io"],
    resources: ["clusterregistrationrequests"],
    verbs,
    ...(resourceNames === undefined ? {} : { resourceNames }),
  });
  const found = new Map<string, string>();
  const inWorkspace = () => ({ namespace: session.workspace });
  const report = (verbs: readonly string[]): HeldRight => ({
    ...inWorkspace(),
    apiGroups: ["rollcall.dev"],
    resources: ["clusterreports"],
    resourceNames: ["one"],
    verbs,
  });
  const asking = (): HeldRight => ({
    ...inWorkspace(),
    apiGroups: ["rollcall.dev"],
    resources: ["clusterregistrations"],
    verbs: ["create", "get"],
  });

  const askingFleet = (): HeldRight => ({
    ...inWorkspace(),
    apiGroups: ["fleet.cattle.io"],
    resources: ["clusterregistrations"],
    verbs: ["create"],
  });
  const managedCluster = (resource: string, verbs: readonly string[]): HeldRight => ({
    namespace: clusternetHome(),
    apiGroups: ["clusters.clusternet.io"],
    resources: [resource],
    verbs,
  });

  const holders: readonly Holder[] = [
    {
      what: "a token's account",
      account: "rollcall.token.door",
      namespace: () => session.workspace,
      rights: () => [asking()],
    },
    {
      what: "the account by which the hub lets one cluster in",
      account: "rollcall-waiting.bootstrap",
      namespace: () => session.workspace,
      rights: () => [asking()],
    },
    {
      what: "a cluster's working account",
      account: "rollcall-one",
      namespace: () => session.workspace,
      rights: () => [
        report([...readVerbs, "patch"]),
        {
          ...inWorkspace(),
          apiGroups: ["coordination.k8s.io"],
          resources: ["leases"],
          resourceNames: ["rollcall-one"],
          verbs: [...readVerbs, "patch"],
        },
        {
          ...inWorkspace(),
          apiGroups: [""],
          resources: ["configmaps"],
          resourceNames: ["rollcall-agent-one"],
          verbs: readVerbs,
        },
      ],
    },
    {
      what: "a cluster's recovery account",
      account: "rollcall-one.recovery",
      namespace: () => session.workspace,
      rights: () => [report(["get", "patch"])],
    },
    {
      what: "the agent in its own cluster",
      account: "rollcall-agent",
      namespace: () => agentNamespace,
      rights: () => [
        ...asRights(clusterRights(agentNamespace)),
        // A namespace is in itself, for RBAC.
        ...asRights(namespaceRights(), agentNamespace),
      ],
    },
    {
      what: "the account of a kubeconfig that `add cluster` makes",
      account: "rollcall-installer",
      namespace: () => "rollcall-installer",
      rights: () =>
        installerObjects(agentNamespace).flatMap((object) =>
          object.kind === "ClusterRole" || object.kind === "Role"
            ? asRights(objectsAt(object, "rules"), object.metadata.namespace)
            : [],
        ),
    },
    {
      what: "the daemon",
      account: "rollcall",
      namespace: () => session.namespace,
      rights: () => {
        const rights = readDaemonRights();
        const held = (scope: keyof typeof rights, place?: string) =>
          asRights(
            rights[scope].map(({ verbs, given = [], ...rule }) => ({ ...rule, verbs: [...verbs, ...given] })),
            place,
          );
        return [
          ...held("cluster"),
          ...held("namespace", session.namespace),
          ...held("workspace", session.workspace),
          ...held("public", "rollcall-public"),
        ];
      },
    },
    {
      what: "a token of Rancher Fleet's protocol",
      account: "fleet-token",
      namespace: () => session.workspace,
      rights: () => [askingFleet()],
    },
    {
      what: "the account by which the hub installs Rancher Fleet's agent",
      account: importTokenName("fleet-waiting"),
      namespace: () => session.workspace,
      rights: () => [askingFleet()],
    },
    {
      what: "an agent of Rancher Fleet's protocol",
      account: "fleet-agent",
      namespace: () => session.workspace,
      rights: () => [
        {
          ...inWorkspace(),
          apiGroups: ["fleet.cattle.io"],
          resources: ["clusters/status"],
          resourceNames: ["fleeting"],
          verbs: ["patch"],
        },
        { apiGroups: ["fleet.cattle.io"], resources: ["contents"], verbs: ["get"] },
        {
          namespace: found.get("fleet-home") ?? "",
          apiGroups: ["fleet.cattle.io"],
          resources: ["bundledeployments"],
          verbs: readVerbs,
        },
        {
          namespace: found.get("fleet-home") ?? "",
          apiGroups: ["fleet.cattle.io"],
          resources: ["bundledeployments/status"],
          verbs: ["update", "patch"],
        },
      ],
    },
    {
      what: "an agent of KubeFleet's protocol",
      account: `${member}-hub-cluster-access`,
      namespace: () => session.workspace,
      rights: () => [
        {
          namespace: home,
          apiGroups: ["cluster.kubernetes-fleet.io"],
          resources: ["internalmemberclusters"],
          verbs: readVerbs,
        },
        {
          namespace: home,
          apiGroups: ["cluster.kubernetes-fleet.io"],
          resources: ["internalmemberclusters/status"],
          resourceNames: [member],
          verbs: ["update"],
        },
        {
          namespace: home,
          apiGroups: ["placement.kubernetes-fleet.io"],
          resources: ["works"],
          verbs: [...readVerbs, "update"],
        },
        {
          namespace: home,
          apiGroups: ["placement.kubernetes-fleet.io"],
          resources: ["works/status"],
          verbs: ["update"],
        },
        { namespace: home, apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      ],
    },
    {
      what: "a token of Clusternet's protocol, for one cluster",
      account: "clusternet-token",
      namespace: () => session.workspace,
      rights: () => [requests(["create"]), requests(["get"], [request])],
    },
    {
      what: "the account by which the hub installs Clusternet's agent",
      account: tokenAccountName("net-waiting"),
      namespace: () => session.workspace,
      rights: () => [requests(["create"])],
    },
    {
      what: "an agent of Clusternet's protocol",
      account: agentAccountName(clusterId),
      namespace: () => session.workspace,
      rights: () => [
        requests(["create"]),
        requests(["get"], [request]),
        managedCluster("managedclusters", ["get", "list", "patch"]),
        managedCluster("managedclusters/status", ["update"]),
      ],
    },
  ];

  beforeAll(async () => {
    session = await openLifeSession(await realHub());
    const { api, workspace } = session;
    agentNamespace = session.agentNamespace();
    const neighbour = session.agentNamespace();
    await session.kubeconfigSecret("kubeconfig");
    await session.startDaemon({ serves });
    await session.commit({
      "clusters/one.yaml": clusterFile("one", [
        "clientID: one",
        "kubeConfigSecretRef: { name: kubeconfig }",
        `agent: { namespace: ${agentNamespace} }`,
      ]),
      "clusters/two.yaml": clusterFile("two", ["clientID: two"]),
      "clusters/waiting.yaml": clusterFile("waiting", [
        "kubeConfigSecretRef: { name: kubeconfig }",
        `agent: { namespace: ${session.agentNamespace()} }`,
      ]),
      "clusters/fleeting.yaml": clusterFile("fleeting", ["protocol: fleet", "clientID: fleeting"]),
      "clusters/kube.yaml": clusterFile(member, ["protocol: kubefleet"]),
      "clusters/fleet-waiting.yaml": clusterFile("fleet-waiting", [
        "protocol: fleet",
        "kubeConfigSecretRef: { name: not-there }",
      ]),
      "clusters/net.yaml": clusterFile("net-waiting", [
        "protocol: clusternet",
        "kubeConfigSecretRef: { name: not-there }",
      ]),
      "tokens/door.yaml": tokenFile("door", ["ttl: 1h", "clusterNames: [two]"]),
      "tokens/fleet.yaml": tokenFile("fleet-door", ["protocol: fleet", "ttl: 1h"]),
      "tokens/clusternet.yaml": tokenFile("net-door", ["protocol: clusternet", "ttl: 1h", "clusterNames: [net]"]),
    });
    await session.startInstalledAgent(agentNamespace);
    await session.untilReady("one");
    const valuesOf = async (token: string, key = "values") => {
      const isFilled = (seen: unknown) => textAt(seen, "data", key) !== undefined;
      const filled = await session.until(secret, token, isFilled);
      return Buffer.from(textAt(filled, "data", key) ?? "", "base64").toString("utf8");
    };
    const finding = readValuesText(await valuesOf("door"));
    if (finding.kind !== "values") throw new Error("the token's values are not complete");
    await installAgent(api, neighbour, { ...finding.values, cluster: { name: "two", clientID: "two" } });
    await session.startAgent(neighbour);
    await session.untilReady("two");
    const fleetAgent = new FleetAgentClient(readFleetValues(await valuesOf("fleet-door")), { clientID: "fleeting" });
    expect(await fleetAgent.register()).toBe(true);
    found.set("fleet-home", fleetAgent.credential?.deploymentNamespace ?? "");
    found.set("fleet-agent", accountOf(fleetAgent.credential?.token));
    found.set("fleet-token", accountOf(readFleetValues(await valuesOf("fleet-door")).token));
    const clusternetToken = textAt(parse(await valuesOf("net-door", "net")), "registrationToken") ?? "";
    found.set("clusternet-token", accountOf(clusternetToken));
    const clusternetAgent = new ClusternetAgentClient({
      server: session.endpoint.url,
      ca: session.endpoint.caBundle,
      token: clusternetToken,
      clusterId,
      clusterName: "net",
      labels: { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "net-door" },
    });
    expect((await clusternetAgent.ask()).status).toBe(201);
    const isAnswered = (seen: unknown) => textAt(seen, "status", "result") === "Approved";
    await session.until(registrationRequest, request, isAnswered);
    for (const account of [tokenAccountName("net-waiting"), importTokenName("fleet-waiting")])
      await session.until(serviceAccount, account, (seen) => seen !== undefined);
    await session.until(internalMemberCluster, member, (seen) => seen !== undefined, home);
    await session.until(serviceAccount, "rollcall-waiting.bootstrap", (seen) => seen !== undefined);
    const publicMetadata = { name: "rollcall-public" };
    await api.apply({ apiVersion: "v1", kind: "Namespace", metadata: publicMetadata }, { fieldManager: "test" });
    for (const object of [...daemonAccount(session.namespace, [workspace]), ...installerObjects(agentNamespace)])
      await api.apply(object, { fieldManager: "test" });
    resources = await servedResources(api);
  });
  afterAll(async () => {
    const { workspace } = session;
    const homes = [home, ...["net", "net-waiting"].map((name) => dedicatedNamespaceName(workspace, name))];
    await session.api.delete({ type: registrationRequest, name: request });
    for (const name of ["rollcall-installer", ...homes]) await session.api.delete({ type: namespaceType, name });
    await session.api.delete({ type: resourceTypes.memberCluster, name: member });
    await session.close();
  });

  it.each(holders)(
    "A4, A5, A6: $what gets no verb on any resource that it should not have",
    { timeout: 600_000 },
    async (holder) => {
      const { api, workspace, endpoint } = session;
      const account = found.get(holder.account) ?? holder.account;
      const place = { namespace: holder.namespace(), serviceAccount: account };
      const issued = await api.requestToken({ ...place, expirationSeconds: 3600 });
      const names = new Map([
        ["clusterreports", ["one", "two"]],
        ["clusters", ["one", "fleeting", "two"]],
        ["leases", ["rollcall-one", "rollcall-two", "rollcall-hub"]],
        ["configmaps", ["rollcall-agent-one", "rollcall-agent-two", "rollcall-cluster-one"]],
        ["secrets", ["door", "kubeconfig", "rollcall-trust-key", "rollcall-agent-identity"]],
        ["serviceaccounts", [account, "rollcall-two", "default"]],
        ["roles", [account, "rollcall-two"]],
        ["namespaces", [workspace, agentNamespace, "kube-system"]],
        ["internalmemberclusters", [member, "other"]],
        ["clusterregistrationrequests", [request, "clusternet-other"]],
      ]);
      const attempts = everyAttempt(resources, {
        namespaces: [
          ...new Set([workspace, holder.namespace(), agentNamespace, home, clusternetHome(), "kube-system"]),
        ],
        names: (resource) => names.get(resource) ?? ["any"],
      });
      const rights = holder.rights();
      const tried = attempts.filter((attempt) => !isHeld(attempt, rights));
      expect(tried.length).toBeGreaterThan(2000);
      const { url, caBundle } = endpoint;
      expect(await notForbidden({ server: url, ca: caBundle, token: issued.token }, tried)).toEqual([]);
      // The statement of its rights is no wish: what it should be able to read it can.
      const readable = attempts.filter((attempt) => isHeld(attempt, rights) && ["get", "list"].includes(attempt.verb));
      const read = await notForbidden({ server: url, ca: caBundle, token: issued.token }, readable);
      expect(read).toHaveLength(readable.length);
      expect(await session.get(clusterReport, "one")).toBeDefined();
    },
  );

  it("is among these: the program makes no other", async () => {
    const tried = new Set(holders.map(({ account }) => found.get(account) ?? account));
    const made = (await session.api.list(serviceAccount, { namespace: session.workspace })).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== "default");
    // Of each form one.
    const forms = (name: string) =>
      name.replace(/-(one|two|waiting)\b/u, "-*").replace(/^rollcall\.token\..*$/u, "rollcall.token.*");
    const known = new Set([...tried].map(forms));
    expect(made.filter((name) => !known.has(forms(name)))).toEqual([]);
  });
});

/** Whose token it is: `system:serviceaccount:<namespace>:<name>`. */
function accountOf(token = ""): string {
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as { sub?: string };
  return claims.sub?.split(":").at(-1) ?? "";
}
