import { isJsonObject } from "../core/json.ts";
import { matchesGlob } from "../core/name-glob.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";
import { isOfDefaultWorkspace } from "./stands-for.ts";

export interface WorkspaceRules {
  /** Workspace of documents that name none; without it such documents are refused. */
  readonly defaultWorkspace?: string;
  /** Globs of namespaces that the repository may write to. Unset: every namespace that is no system one. */
  readonly workspaces?: readonly string[];
  /** Globs of namespaces that bound the daemon for every Repository. Unset: no limit. */
  readonly limit?: readonly string[];
  /** The daemon's own namespace: never a workspace. */
  readonly daemonNamespace?: string;
}

/** Namespaces of Kubernetes, of this program and of the accepted projects: writing there would mean more than a fleet. */
const systemNamespaces = [
  "kube-*",
  "rollcall-system",
  "rollcall-public",
  "cattle-*system",
  "fleet-system",
  "fleet-member-*",
  "clusternet-system",
];

/** Why a namespace cannot be a workspace, or undefined when it can. */
export function refusalOfWorkspace(namespace: string, rules: WorkspaceRules): string | undefined {
  const refusal = refusalOfHome(namespace, rules);
  if (refusal !== undefined) return refusal;
  const { workspaces, limit } = rules;
  for (const [globs, whose] of [
    [workspaces, "repository"],
    [limit, "daemon"],
  ] as const) {
    if (globs === undefined || globs.some((pattern) => matchesGlob(pattern, namespace))) continue;
    return `${namespace} is not a workspace of this ${whose} (it has ${globs.join(", ") || "none"})`;
  }
  return undefined;
}

/** Why the hub may not keep objects of a cluster in a namespace, whatever the workspaces are: it may go with the cluster. */
export function refusalOfHome(
  namespace: string,
  { daemonNamespace }: Pick<WorkspaceRules, "daemonNamespace">,
): string | undefined {
  const isSystem = systemNamespaces.some((pattern) => matchesGlob(pattern, namespace));
  return isSystem || namespace === daemonNamespace
    ? `${namespace} is a system namespace, never a workspace`
    : undefined;
}

/** Reports E_NAMESPACE for documents outside the repository's workspaces. */
export function checkWorkspaces(documents: readonly FleetDocument[], rules: WorkspaceRules, report: FleetReport): void {
  const results = new Map<string, string | undefined>();
  for (const subject of documents) {
    const { workspace, role, object } = subject;
    if (workspace === undefined) {
      if (role !== "ClusterLabels" && role !== "ClusterDefaults" && role !== "Policy") reportNone(subject, report);
      continue;
    }
    if (!results.has(workspace)) results.set(workspace, refusalOfWorkspace(workspace, rules));
    const refusal = results.get(workspace);
    if (refusal !== undefined) {
      const path = object.metadata.namespace === undefined ? ["metadata"] : ["metadata", "namespace"];
      report.add(subject, { code: "E_NAMESPACE", path, part: "value", message: `metadata.namespace: ${refusal}` });
    }
    if (role === "Cluster") checkDedicatedNamespace(subject, rules, report);
  }
}

function reportNone(subject: FleetDocument, report: FleetReport): void {
  const { kind } = subject.object;
  const finding = isOfDefaultWorkspace(kind)
    ? {
        message: `${kind} belongs to the default workspace, and the repository has none`,
        fix: "Set defaultWorkspace on the Repository.",
      }
    : {
        message: "metadata.namespace: is missing, and the repository has no default workspace",
        fix: "Add metadata.namespace, or set defaultWorkspace on the Repository.",
      };
  report.add(subject, { code: "E_NAMESPACE", path: ["metadata"], part: "key", ...finding });
}

function checkDedicatedNamespace(subject: FleetDocument, rules: WorkspaceRules, report: FleetReport): void {
  const { spec } = subject.object;
  const clusternet = isJsonObject(spec) ? spec["clusternet"] : undefined;
  const namespace = isJsonObject(clusternet) ? clusternet["clusterNamespace"] : undefined;
  const refusal = typeof namespace === "string" ? refusalOfHome(namespace, rules) : undefined;
  if (refusal === undefined) return;
  const path = ["spec", "clusternet", "clusterNamespace"];
  report.add(subject, { code: "E_NAMESPACE", path, part: "value", message: `${path.join(".")}: ${refusal}` });
}
