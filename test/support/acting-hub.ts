import { silentLog } from "../../src/core/log.ts";
import type { Log } from "../../src/core/log.ts";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { createPageActions } from "../../src/daemon/page/page-actions.ts";
import { pageAccess } from "../../src/daemon/page/page-access.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { Cluster } from "../../src/model/generated/cluster.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import type { Access } from "../../src/web/dashboard/access.ts";
import type { PageActions } from "../../src/web/dashboard/page-actions.ts";
import { embeddedHub } from "./hub-under-test.ts";
import { neverAborted } from "./never-aborted.ts";

const manager = { fieldManager: "test" };
const daemonNamespace = "rollcall-system";
const rbac = "rbac.authorization.k8s.io/v1";
export const withheldCommit = "4c1d0a9be7f2".padEnd(40, "0");

/** A hub with a Repository whose removals wait, and clusters; and what the page of a daemon asks of it. */
export interface ActingHub {
  readonly api: KubeApi;
  readonly access: Access;
  readonly actions: PageActions;
  /** Tokens of a viewer who may read and patch, and of one who may read only. */
  readonly tokens: { readonly editor: string; readonly reader: string };
  readRepository(): Promise<KubeObject | undefined>;
  readCluster(name: string): Promise<KubeObject | undefined>;
  stop(): Promise<void>;
}

export async function openActingHub(clusters: readonly Cluster[], log: Log = silentLog): Promise<ActingHub> {
  const hub = await embeddedHub();
  const connection = readKubeconfig(hub.kubeconfig);
  const api = apiOf(connection);
  await installCrds(api, neverAborted());
  const workspaces = [...new Set(clusters.map(({ metadata }) => metadata.namespace ?? ""))];
  for (const name of [daemonNamespace, ...workspaces])
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, manager);
  for (const { apiVersion, kind, metadata } of clusters) {
    const { name, namespace = "", labels } = metadata;
    await api.create(
      { apiVersion, kind, metadata: { name, namespace, ...(labels ? { labels } : {}) }, spec: {} },
      manager,
    );
  }
  const repository = { type: resourceTypes.repository, namespace: daemonNamespace, name: "fleet" };
  await api.create(
    {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { name: "fleet", namespace: daemonNamespace },
      spec: { url: "https://github.com/example/fleet.git" },
    },
    manager,
  );
  const withheld = { count: 2, approvable: 2, commit: withheldCommit, reason: "Budget", objects: ["Cluster/fleet/a"] };
  await api.mergePatch(repository, { status: { withheld } }, { ...manager, subresource: "status" });
  const reads = ["get", "list", "watch"];
  const editor = await createViewer(api, "editor", [...reads, "patch"]);
  const reader = await createViewer(api, "reader", reads);
  const settings = readSettings("run", { given: { "page-access": "Token" }, environment: {} });
  return {
    api,
    access: pageAccess(settings, { host: "127.0.0.1", hubApi: api, daemonNamespace, workspaces: () => workspaces }),
    actions: createPageActions({ connection, repository: { namespace: daemonNamespace, name: "fleet" }, log }),
    tokens: { editor, reader },
    readRepository: () => api.get(repository),
    readCluster: (name) => {
      const namespace = clusters.find(({ metadata }) => metadata.name === name)?.metadata.namespace ?? "";
      return api.get({ type: resourceTypes.cluster, namespace, name });
    },
    stop: async () => {
      await api.close();
      await hub.stop();
    },
  };
}

/** The token of a new account with these verbs on our kinds, in the whole hub. */
async function createViewer(api: KubeApi, name: string, verbs: readonly string[]): Promise<string> {
  const metadata = { name, namespace: daemonNamespace };
  await api.create({ apiVersion: "v1", kind: "ServiceAccount", metadata }, manager);
  const rules = [{ apiGroups: ["rollcall.dev"], resources: ["*"], verbs }];
  await api.create({ apiVersion: rbac, kind: "ClusterRole", metadata: { name }, rules }, manager);
  await api.create(
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
    manager,
  );
  const request = { namespace: daemonNamespace, serviceAccount: name, expirationSeconds: 3600 };
  return (await api.requestToken(request)).token;
}
