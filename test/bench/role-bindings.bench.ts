// What a call of an agent costs kube-apiserver by the number of RoleBindings in its workspace, of which each cluster has two:
// RBAC reads all of a namespace until one allows the call.
import { it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { mapConcurrently } from "../../src/core/map-concurrently.ts";
import { renderAccess } from "../../src/join/rollcall/hub/access.ts";
import { fixedConnection } from "../../src/kube/connection.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { hasControlPlane, startControlPlane } from "../support/control-plane.ts";
import { until } from "../support/until.ts";
import { cpuSeconds, print, workspace } from "./serving-hub.ts";

const counts = (process.env.ROLLCALL_BENCH_BINDINGS ?? "0,2000,20000").split(",").map(Number);
const calls = 2000;
const options = { fieldManager: "bench" };
const lease = { type: resourceTypes.lease, namespace: workspace, name: "agent" };

it.skipIf(!hasControlPlane())("heartbeats beside many RoleBindings", { timeout: 1_800_000 }, async () => {
  const plane = await startControlPlane();
  const api = apiOf(readKubeconfig(plane.kubeconfig));
  try {
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: workspace } }, options);
    const metadata = { name: lease.name, namespace: workspace };
    await api.create({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata }, options);
    await mayRenew(api, "agent");
    const { token } = await api.requestToken({
      namespace: workspace,
      serviceAccount: "agent",
      expirationSeconds: 3600,
    });
    const agent = apiOf(fixedConnection({ server: plane.server, caPem: plane.caPem, token }));
    await until(
      () =>
        renew(agent).then(
          () => true,
          () => false,
        ),
      (isAllowed) => isAllowed,
    );
    let made = 0;
    for (const count of counts) {
      const more = Array.from({ length: count - made }, (_, index) => `other-${made + index}`);
      await mapConcurrently(more, 20, (name) => bind(api, name));
      made = count;
      const before = await cpuSeconds(plane.pidOf("kube-apiserver"));
      for (let call = 0; call < calls; call++) await renew(agent);
      const cpuMs = ((await cpuSeconds(plane.pidOf("kube-apiserver"))) - before) * 1000;
      print("renewals", { roleBindings: count + 1, calls, apiServerCpuMsEach: (cpuMs / calls).toFixed(2) });
    }
    await agent.close();
  } finally {
    await api.close();
    await plane.stop();
  }
});

/** The rights of an agent, by the objects that the daemon makes for one. */
async function mayRenew(api: KubeApi, name: string): Promise<void> {
  const rule = {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [lease.name],
    verbs: ["patch"],
  };
  for (const object of renderAccess({ name, workspace, labels: {}, rules: [rule] })) await api.create(object, options);
}

/** A binding of another agent, without what it binds: RBAC reads the binding first. */
async function bind(api: KubeApi, name: string): Promise<void> {
  const objects = renderAccess({ name, workspace, labels: {}, rules: [] });
  for (const object of objects) if (object.kind === "RoleBinding") await api.create(object, options);
}

async function renew(agent: KubeApi): Promise<void> {
  await agent.mergePatch(lease, { spec: { holderIdentity: "agent" } }, options);
}
