import { textAt, valueAt } from "../core/read-json.ts";
import { isClusterId, isClusternetName, registrationRequestName } from "../model/dialects/clusternet.ts";
import { isGlob } from "../core/name-glob.ts";
import type { WorkspaceRules } from "./check-workspaces.ts";
import { refusalOfHome } from "./check-workspaces.ts";
import { listAt, protocolOf, stringAt } from "./cluster-facts.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";
import { reportPlace } from "./foreign-findings.ts";
import { showText } from "./schema-finding.ts";

/** The fields that the spec of a ManagedCluster can have. */
export const managedClusterFields: readonly string[] = [
  "clusterId",
  "clusterType",
  "syncMode",
  "clusterInitBaseName",
  "taints",
];

/** Reports what Clusternet cannot carry, and approvals that contradict another file. */
export function checkClusternet(documents: readonly FleetDocument[], rules: WorkspaceRules, report: FleetReport): void {
  const clusters = new Map<string, FleetDocument>();
  for (const subject of documents)
    if (subject.role === "Cluster") clusters.set(`${subject.workspace ?? ""}/${subject.object.metadata.name}`, subject);
  for (const subject of documents) {
    const { role, isForeign, object } = subject;
    if (role === "ClusterRegistrationToken" && !isForeign) checkToken(subject, report);
    else if (role === "approval") {
      checkId(subject, report, ["spec", "clusterId"]);
      checkApproval(subject, clusters, report);
    } else if (role === "Cluster" && protocolOf(subject) === "clusternet") {
      if (isForeign && object.kind === "ManagedCluster") {
        checkId(subject, report, ["spec", "clusterId"]);
        checkHome(subject, rules, report);
      } else checkId(subject, report, ["spec", "clientID"]);
    }
  }
}

/** The holder of a credential that may ask as two clusters could read the answers of both. */
function checkToken(subject: FleetDocument, report: FleetReport): void {
  if (stringAt(subject.object, "spec", "protocol") !== "clusternet") return;
  const names = listAt(subject.object, "spec", "clusterNames");
  if (names.length === 0) {
    const what = "is missing: with Clusternet each cluster has a credential of its own to ask with";
    reportPlace(subject, report, { path: ["spec", "clusterNames"], what, fix: "Write out the name of each cluster." });
  }
  names.forEach((name, index) => {
    const path = ["spec", "clusterNames", index];
    if (typeof name !== "string" || isClusternetName(name)) return;
    const what = isGlob(name)
      ? `${showText(name)} is a pattern for many clusters; with Clusternet each cluster joins with a credential of its own`
      : `${showText(name)} is no name that Clusternet allows: at most 30 lower-case letters, digits and hyphens`;
    reportPlace(subject, report, { path, what, fix: "Write out the name of each cluster." });
  });
}

function checkId(subject: FleetDocument, report: FleetReport, path: readonly string[]): void {
  const id = valueAt(subject.object, ...path);
  if (id === undefined || (typeof id === "string" && isClusterId(id))) return;
  const what = "is no id of a Clusternet agent, which is a UUID: the uid of its Lease downstream";
  reportPlace(subject, report, { path, what, fix: "Write the uid, as the request on the hub has it." });
}

/** The namespace of a ManagedCluster is one that the hub makes for it alone. */
function checkHome(subject: FleetDocument, rules: WorkspaceRules, report: FleetReport): void {
  const { namespace } = subject.object.metadata;
  const refusal = namespace === undefined ? undefined : refusalOfHome(namespace, rules);
  if (refusal === undefined) return;
  const path = ["metadata", "namespace"];
  report.add(subject, { code: "E_NAMESPACE", path, part: "value", message: `metadata.namespace: ${refusal}` });
}

function checkApproval(
  subject: FleetDocument,
  clusters: ReadonlyMap<string, FleetDocument>,
  report: FleetReport,
): void {
  const { object, workspace = "" } = subject;
  const clusterId = textAt(object, "spec", "clusterId") ?? "";
  const name = textAt(object, "spec", "clusterName");
  const reportName = (path: readonly string[], what: string, fix: string): void =>
    reportPlace(subject, report, { path, what, fix });
  if (isClusterId(clusterId) && object.metadata.name !== registrationRequestName(clusterId))
    reportName(["metadata", "name"], "is not that of the request", "Write clusternet-<spec.clusterId>.");
  if (name === undefined) {
    reportName(["spec", "clusterName"], "is missing: it names the cluster that is admitted", "Name the cluster.");
    return;
  }
  const declared = clusters.get(`${workspace}/${name}`);
  if (declared === undefined) return;
  const { file, line } = report.positionOf(declared, { path: ["metadata", "name"], part: "value" });
  if (protocolOf(declared) !== "clusternet")
    reportName(
      ["spec", "clusterName"],
      `${name} is declared with another protocol in ${file}:${line}`,
      "Delete one of them.",
    );
  const path = declared.object.kind === "ManagedCluster" ? ["spec", "clusterId"] : ["spec", "clientID"];
  const other = textAt(declared.object, ...path);
  if (other !== undefined && other !== clusterId)
    reportName(
      ["spec", "clusterId"],
      `${name} has another id in ${file}:${line}`,
      "Write the same id in both files, or delete one.",
    );
}
