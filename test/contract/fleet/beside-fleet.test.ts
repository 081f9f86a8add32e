import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { installBesideExternal, installProtocols } from "../../../src/daemon/foreign-protocols.ts";
import { applyCrds } from "../../../src/install/install-crds.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { fleetCrds } from "../../../src/model/generated/fleet-crds.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubCall } from "../../support/call-hub.ts";
import { callHub } from "../../support/call-hub.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";

const rbac = "rbac.authorization.k8s.io";
const manager = { fieldManager: "fleet-controller" };
const metadata = { name: "sly", namespace: "fleet" };
const account = "request-b2x7f-0b7c1d2e-3f40-4a5b-8c6d-7e8f90a1b2c3";

/** What Fleet's own controllers give the agent of a cluster: no more of it matters here. */
const ofFleet: readonly KubeObject[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet" } },
  { apiVersion: "fleet.cattle.io/v1alpha1", kind: "Cluster", metadata, spec: { clientID: "sly" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace: "fleet" } },
  {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    metadata,
    rules: [
      { apiGroups: ["fleet.cattle.io"], resources: ["clusters/status"], resourceNames: ["sly"], verbs: ["patch"] },
    ],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name: "sly" },
    subjects: [{ kind: "ServiceAccount", name: account, namespace: "fleet" }],
  },
];

describe("the agent of a cluster that Fleet's own controllers serve", () => {
  let hub: HubUnderTest;
  let api: KubeApi;
  let report: (path: string, value: unknown) => Promise<HubCall>;

  beforeAll(async () => {
    hub = await readyHub();
    const connection = readKubeconfig(hub.kubeconfig);
    api = apiOf(connection);
    const { signal } = new AbortController();
    await applyCrds(api, fleetCrds, { isForeignKept: true, signal });
    for (const object of ofFleet) await api.create(object, manager);
    const ref = { type: resourceTypes.fleetCluster, ...metadata };
    await api.mergePatch(ref, { status: { namespace: "cluster-fleet-sly" } }, { ...manager, subresource: "status" });
    const served = [{ name: "fleet", controllers: "External" }] as const;
    await installProtocols(api, served, signal);
    await installBesideExternal(api, served, signal);
    const { token } = await api.requestToken({ namespace: "fleet", serviceAccount: account, expirationSeconds: 600 });
    const ca = (await connection.getTls()).caPem ?? "";
    const path = "/apis/fleet.cattle.io/v1alpha1/namespaces/fleet/clusters/sly/status";
    report = (field, value) =>
      callHub({
        ...{ server: api.server, ca, token, method: "PATCH", path, type: "application/json-patch+json" },
        body: [{ op: "add", path: field, value }],
      });
  });
  afterAll(async () => {
    await api.close();
    await hub.stop();
  });

  it("A176 cannot name the namespace of another cluster as its own", async () => {
    const place = () => api.get({ type: resourceTypes.fleetCluster, ...metadata });
    await until(
      async () => (await report("/status/namespace", "cluster-of-another")).status,
      (status) => [403, 422].includes(status),
    );
    const agent = { lastSeen: "2026-01-01T00:00:00Z", namespace: "cattle-fleet-system" };
    expect((await report("/status/agent", agent)).status).toBe(200);
    expect(textAt(await place(), "status", "agent", "lastSeen")).toBe("2026-01-01T00:00:00Z");
  });

  it("has of Rollcall that policy alone: what Fleet's controllers need is theirs", async () => {
    const names = async (type: (typeof resourceTypes)[keyof typeof resourceTypes]) =>
      (await api.list(type)).items.map((object) => object.metadata.name).filter((name) => name.includes("fleet"));
    expect(await names(resourceTypes.validatingAdmissionPolicy)).toEqual(["rollcall-fleet-clusters"]);
    expect(await names(resourceTypes.clusterRole)).toEqual([]);
  });
});
