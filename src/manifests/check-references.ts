import { indexNearNames } from "../core/near-names.ts";
import { isGlob } from "../core/name-glob.ts";
import { fleetKeys } from "../model/dialects/fleet.ts";
import { readPreviousName } from "../model/previous-name.ts";
import type { WorkspaceRules } from "./check-workspaces.ts";
import { refusalOfWorkspace } from "./check-workspaces.ts";
import { listAt, protocolOf, stringAt } from "./cluster-facts.ts";
import { clustersNamedBy } from "./convert-fleet.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { describePath, showText } from "./schema-finding.ts";

export interface ReferenceInputs {
  readonly rules: WorkspaceRules;
  /** Objects that documents with errors declare: they exist, whatever is wrong with them. */
  readonly brokenObjects: Iterable<string>;
}

/**
 * Reports invalid references: E_REFERENCE for a previous name that is still taken, as a warning for tokens and
 * selectors that name no existing cluster; E_REFERENCE_OUTSIDE for a previous name in a workspace of another
 * repository.
 */
export function checkReferences(
  documents: readonly FleetDocument[],
  { rules, brokenObjects }: ReferenceInputs,
  report: FleetReport,
): void {
  const clusters = documents.filter(({ role }) => role === "Cluster");
  const byWorkspace = new Map<string, KnownNames>();
  const everyName = new KnownNames();
  const addName = (workspace: string, name: string): void => {
    byWorkspace.set(workspace, (byWorkspace.get(workspace) ?? new KnownNames()).add(name));
    everyName.add(name);
  };
  for (const { workspace = "", object } of clusters) addName(workspace, object.metadata.name);
  for (const key of brokenObjects) {
    const [kind, workspace = "", name = ""] = key.split("/");
    if (kind === "Cluster") addName(workspace, name);
  }
  checkPreviousNames(clusters, { rules, byWorkspace, report });
  for (const subject of clusters.filter(({ isForeign }) => isForeign)) checkKubeconfigPlace(subject, report);
  for (const subject of documents) {
    const { role, workspace } = subject;
    const names = workspace === undefined ? everyName : (byWorkspace.get(workspace) ?? new KnownNames());
    // With Clusternet a token writes out the names of new clusters too.
    const isNaming = stringAt(subject.object, "spec", "protocol") !== "clusternet";
    if (role === "ClusterRegistrationToken" && subject.isForeign) checkAnnotation(subject, names, report);
    else if (role === "ClusterRegistrationToken" && isNaming)
      checkNames(subject, ["spec", "clusterNames"], { names, report });
    else if (role === "ClusterLabels" || role === "ClusterDefaults" || role === "ClusterGroup") {
      checkNames(subject, ["spec", "selector", "names"], { names, report });
    }
  }
}

/** Fleet lets a Cluster use a kubeconfig of certain other namespaces; here a reference stays in its workspace. */
function checkKubeconfigPlace(subject: FleetDocument, report: FleetReport): void {
  const namespace = stringAt(subject.object, "spec", "kubeConfigSecretNamespace");
  if (namespace === undefined || namespace === "" || namespace === subject.workspace) return;
  report.add(subject, {
    code: "E_REFERENCE_OUTSIDE",
    path: ["spec", "kubeConfigSecretNamespace"],
    part: "value",
    message: `spec.kubeConfigSecretNamespace: ${namespace} is not the cluster's own workspace`,
    fix: "Put the Secret into the cluster's workspace, and delete the field.",
  });
}

/** Names that are written out, without wildcards, should be those of clusters. */
function checkNames(
  subject: FleetDocument,
  path: readonly string[],
  { names, report }: { readonly names: KnownNames; readonly report: FleetReport },
): void {
  listAt(subject.object, ...path).forEach((name, index) => {
    if (typeof name !== "string" || isGlob(name) || names.has(name)) return;
    report.add(subject, {
      code: "E_REFERENCE",
      severity: "warning",
      path: [...path, index],
      part: "value",
      message: `${path.join(".")}[${index}]: ${describeMissing(name, names)}`,
      fix: "Declare the cluster, or correct the name; leave it when an agent is to bring the cluster in.",
    });
  });
}

/** A Fleet token admits any new cluster: its annotation serves those alone that are declared, each by its name. */
function checkAnnotation(subject: FleetDocument, names: KnownNames, report: FleetReport): void {
  const path = ["metadata", "annotations", fleetKeys.namedClusters];
  for (const name of clustersNamedBy(subject.object)) {
    if (names.has(name)) continue;
    const what = isGlob(name)
      ? `${showText(name)} admits no cluster again: only a name that is written out does`
      : describeMissing(name, names);
    report.add(subject, {
      code: "E_REFERENCE",
      severity: "warning",
      path,
      part: "value",
      message: `${describePath(path)}: ${what}`,
      fix: "Write out the names of clusters that are declared, with commas between; a new cluster needs none.",
    });
  }
}

function describeMissing(name: string, names: KnownNames): string {
  const nearest = names.nearest(name);
  const hint = nearest === undefined ? "" : `, did you mean ${nearest}?`;
  return `no file declares a cluster ${name}${hint}`;
}

/** Of more names, none is suggested. */
const mostSuggested = 2000;

/** The clusters that are declared. Files may name a thousand times as many that are not: each costs what its name is long. */
class KnownNames {
  readonly #names = new Set<string>();
  #nearest: ((name: string) => string | undefined) | undefined;

  add(name: string): this {
    this.#names.add(name);
    return this;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Asked for when all names are there. */
  nearest(name: string): string | undefined {
    this.#nearest ??= indexNearNames([...this.#names].slice(0, mostSuggested));
    return this.#nearest(name);
  }
}

interface Clusters {
  readonly rules: WorkspaceRules;
  readonly byWorkspace: ReadonlyMap<string, KnownNames>;
  readonly report: FleetReport;
}

function checkPreviousNames(clusters: readonly FleetDocument[], { rules, byWorkspace, report }: Clusters): void {
  const successors = new Map<string, FleetDocument>();
  for (const subject of clusters) {
    const previous = stringAt(subject.object, "spec", "previousName");
    if (subject.isForeign || previous === undefined) continue;
    const { workspace, name } = readPreviousName(previous, subject.workspace ?? "");
    const add = (finding: Pick<SchemaFinding, "code" | "message" | "fix">) =>
      report.add(subject, { path: ["spec", "previousName"], part: "value", ...finding });
    const refusal = refusalOfWorkspace(workspace, rules);
    const successor = successors.get(`${workspace}/${name}`);
    successors.set(`${workspace}/${name}`, subject);
    if (protocolOf(subject) !== "rollcall") {
      add({
        code: "E_REFERENCE",
        message: `spec.previousName: clusters of protocol ${protocolOf(subject)} cannot be renamed or moved`,
        fix: "Delete the field: the cluster leaves under its old name and joins under the new one.",
      });
    } else if (refusal !== undefined) {
      add({ code: "E_REFERENCE_OUTSIDE", message: `spec.previousName: ${refusal}` });
    } else if (byWorkspace.get(workspace)?.has(name) === true) {
      const isSelf = workspace === subject.workspace && name === subject.object.metadata.name;
      add({
        code: "E_REFERENCE",
        message: `spec.previousName: ${workspace}/${name} ${isSelf ? "is this cluster itself" : "is still declared"}`,
        fix: isSelf ? "Delete the field." : "Delete the file of the former name, or the field.",
      });
    } else if (successor !== undefined) {
      const { file, line } = report.positionOf(successor, { path: ["spec", "previousName"], part: "value" });
      add({
        code: "E_REFERENCE",
        message: `spec.previousName: ${workspace}/${name} is the former name of another cluster too (${file}:${line})`,
        fix: "One cluster can have one successor: delete the field in one of the two.",
      });
    }
  }
}
