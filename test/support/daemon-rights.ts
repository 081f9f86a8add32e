import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { DaemonRule as CheckedRule, RightsScope } from "../../src/model/generated/daemon-rights.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";

/** A rule of deploy/rbac.json, with what `rollcall check` does not need. */
export interface DaemonRule extends CheckedRule {
  /** Verbs that are held only in order to be given to an agent's account. */
  readonly given?: readonly string[];
  /** Verbs that only a rare event needs: no ordinary life of a fleet calls them. */
  readonly seldom?: readonly string[];
}

/** The rights of the daemon, from the file that chart and documentation are made of. */
export function readDaemonRights(): Readonly<Record<RightsScope, readonly DaemonRule[]>> {
  const text = readFileSync(resolve(import.meta.dirname, "../../deploy/rbac.json"), "utf8");
  const found = JSON.parse(text) as { scopes: Record<RightsScope, { rules: DaemonRule[] }> };
  const rules = Object.entries(found.scopes).map(([scope, one]) => [scope, one.rules] as const);
  return Object.fromEntries(rules) as unknown as Record<RightsScope, DaemonRule[]>;
}

/** The account of the daemon with its rights, as the chart makes them. */
export function daemonAccount(namespace: string, workspaces: readonly string[], account = "rollcall"): KubeObject[] {
  const pair = pairsFor(namespace, account);
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } },
    ...pair("ClusterRole", { name: `${namespace}.${account}` }, "cluster"),
    ...pair("Role", { name: account, namespace }, "namespace"),
    ...pair("Role", { name: account, namespace: "rollcall-public" }, "public"),
    ...workspaces.flatMap((workspace) =>
      pair("Role", { name: `${account}.${namespace}`, namespace: workspace }, "workspace"),
    ),
  ];
}

/** What the chart gives besides to publish: profiles in these workspaces, Secrets in these namespaces. */
export function publishingRights(
  namespace: string,
  where: { readonly workspaces: readonly string[]; readonly secretNamespaces: readonly string[] },
): KubeObject[] {
  const pair = pairsFor(namespace, "rollcall");
  return [
    ...pair("ClusterRole", { name: `${namespace}.rollcall.profiles` }, "profileReading"),
    ...where.workspaces.flatMap((name) => pair("Role", { name: "rollcall.profiles", namespace: name }, "profiles")),
    ...where.secretNamespaces.flatMap((name) => pair("Role", { name: "rollcall.publish", namespace: name }, "publish")),
    ...pair("ClusterRole", { name: `${namespace}.rollcall.argocdusers` }, "argocdUsers"),
    ...where.secretNamespaces.flatMap((name) =>
      pair("Role", { name: "rollcall.fluxusers", namespace: name }, "fluxUsers"),
    ),
  ];
}

/** What the chart gives besides for an option of the daemon: scopes of the whole hub, and scopes in one namespace. */
export function furtherRights(
  namespace: string,
  where: {
    readonly everywhere?: readonly RightsScope[];
    readonly within?: Readonly<Record<string, readonly RightsScope[]>>;
  },
): KubeObject[] {
  const pair = pairsFor(namespace, "rollcall");
  return [
    ...(where.everywhere ?? []).flatMap((scope) =>
      pair("ClusterRole", { name: `${namespace}.rollcall.${scope.toLowerCase()}` }, scope),
    ),
    ...Object.entries(where.within ?? {}).flatMap(([place, list]) =>
      list.flatMap((scope) => pair("Role", { name: `rollcall.${scope.toLowerCase()}`, namespace: place }, scope)),
    ),
  ];
}

/** Makes a role with the rights of a scope, and its binding to the daemon's account. */
function pairsFor(namespace: string, account: string) {
  const group = "rbac.authorization.k8s.io";
  const rights = readDaemonRights();
  const subjects = [{ kind: "ServiceAccount", name: account, namespace }];
  return (kind: "Role" | "ClusterRole", metadata: KubeObject["metadata"], scope: RightsScope): KubeObject[] => [
    {
      apiVersion: `${group}/v1`,
      kind,
      metadata,
      rules: rights[scope].map(({ why: _, given: __, seldom: ___, ...rule }) => rule),
    },
    {
      apiVersion: `${group}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: group, kind, name: metadata.name },
      subjects,
    },
  ];
}
