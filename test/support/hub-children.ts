import type { KubeApi } from "../../src/kube/kube.ts";
import type { ObjectChange, PlanReport } from "../../src/model/generated/plan-report.ts";
import type { KubeObject, ResourceType } from "../../src/model/kubernetes.ts";
import { describeKind, describeRef } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { labelKeys } from "../../src/model/well-known.ts";

const inNamespaces = [
  resourceTypes.serviceAccount,
  resourceTypes.role,
  resourceTypes.roleBinding,
  resourceTypes.secret,
  resourceTypes.configMap,
  resourceTypes.lease,
  resourceTypes.clusterReport,
  resourceTypes.fleetCluster,
  resourceTypes.fleetRegistrationToken,
  resourceTypes.internalMemberCluster,
  resourceTypes.managedCluster,
];
const clusterScoped = [
  resourceTypes.namespace,
  resourceTypes.clusterRole,
  resourceTypes.clusterRoleBinding,
  resourceTypes.memberCluster,
];

/** Everything that the hub's controllers keep for the members of a workspace: by name, its content without status. */
export type HubChildren = ReadonlyMap<string, string>;

export async function readHubChildren(api: KubeApi, workspace: string): Promise<HubChildren> {
  const found = new Map<string, string>();
  const labelSelector = `${labelKeys.ownerWorkspace}=${workspace}`;
  const take = async (type: ResourceType, options: Parameters<KubeApi["list"]>[1]): Promise<readonly KubeObject[]> => {
    const { items } = await api.list(type, options);
    for (const item of items) if (isChild(type, item, workspace)) found.set(nameOf(type, item), contentOf(item));
    return items;
  };
  const homes = (await Promise.all(clusterScoped.map((type) => take(type, { labelSelector }))))[0] ?? [];
  const namespaces = [workspace, ...homes.map(({ metadata }) => metadata.name)];
  await Promise.all(namespaces.flatMap((namespace) => inNamespaces.map((type) => take(type, { namespace }))));
  return found;
}

/** Whether something is on its way out. */
export async function isHubAtRest(api: KubeApi, workspace: string): Promise<boolean> {
  const clusters = (await api.list(resourceTypes.cluster, { namespace: workspace })).items;
  const homes = (await api.list(resourceTypes.namespace, { labelSelector: `${labelKeys.ownerWorkspace}=${workspace}` }))
    .items;
  const isEnding = ({ metadata }: KubeObject): boolean =>
    metadata.deletionTimestamp !== undefined || metadata.annotations?.["rollcall.dev/leave"] !== undefined;
  return ![...clusters, ...homes].some(isEnding);
}

/** What is different between two moments. */
export function compareHubChildren(before: HubChildren, after: HubChildren) {
  return {
    created: [...after.keys()].filter((name) => !before.has(name)).sort(),
    updated: [...after]
      .filter(([name, text]) => before.has(name) && before.get(name) !== text)
      .map(([name]) => name)
      .sort(),
    deleted: [...before.keys()].filter((name) => !after.has(name)).sort(),
  };
}

/** The same in the words of a plan. */
export function plannedHubChildren({ changes }: Pick<PlanReport, "changes">) {
  const kinds = new Set([...inNamespaces, ...clusterScoped].map(describeKind));
  const namesIn = (part: "creates" | "updates" | "deletes"): Set<string> =>
    new Set(
      changes
        .flatMap(({ hubWork }: ObjectChange) => hubWork?.[part] ?? [])
        .filter(({ kind }) => kinds.has(kind))
        .map(({ kind, namespace, name }) => [kind, namespace, name].filter((text) => text !== undefined).join("/"))
        .map((text) => text.replace(uuid, "<uid>")),
    );
  const [created, updated, deleted] = [namesIn("creates"), namesIn("updates"), namesIn("deletes")];
  // What one change deletes, another may create again.
  const both = [...created].filter((name) => deleted.has(name));
  for (const name of both) {
    created.delete(name);
    deleted.delete(name);
    updated.add(name);
  }
  return { created: [...created].sort(), updated: [...updated].sort(), deleted: [...deleted].sort() };
}

function isChild(type: ResourceType, { metadata }: KubeObject, workspace: string): boolean {
  const { name } = metadata;
  const labels = metadata.labels ?? {};
  // A hub's own controllers make these in every namespace.
  if (["default", "kube-root-ca.crt"].includes(name)) return false;
  const isLabelled = [labelKeys.cluster, labelKeys.token, labelKeys.ownerWorkspace].some((key) => labels[key]);
  return isLabelled || (metadata.namespace !== undefined && metadata.namespace !== workspace && type.isNamespaced);
}

function nameOf(type: ResourceType, { metadata: { namespace, name } }: KubeObject): string {
  const place = type.isNamespaced && namespace !== undefined ? { namespace } : {};
  // A uid is the hub's to give: a plan cannot know it.
  return describeRef({ type, name: name.replace(uuid, "<uid>"), ...place });
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/u;

/** Some contents have a time; it is no change of its own. */
function contentOf({ metadata, status: _status, ...rest }: KubeObject): string {
  const { name, labels, annotations, finalizers } = metadata;
  return JSON.stringify({ ...rest, metadata: { name, labels, annotations, finalizers } });
}
