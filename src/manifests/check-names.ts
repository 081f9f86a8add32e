import { objectAt, textAt } from "../core/read-json.ts";
import { importTokenName } from "../model/dialects/fleet.ts";
import { stringAt } from "./cluster-facts.ts";
import type { Protocol } from "./cluster-facts.ts";
import { protocolOf } from "./cluster-facts.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";

interface NameLimit {
  readonly maxLength: number;
  readonly reason: string;
}

const limits: Readonly<Record<Protocol, NameLimit>> = {
  rollcall: { maxLength: 63, reason: "it becomes the value of a label" },
  fleet: { maxLength: 63, reason: "it becomes the value of a label" },
  kubefleet: { maxLength: 50, reason: "the hub's namespace fleet-member-<name> leaves no more" },
  clusternet: { maxLength: 30, reason: "Clusternet allows no more" },
};

/** Reports E_CLUSTER_NAMES for names that the join protocol cannot carry. */
export function checkNames(documents: readonly FleetDocument[], report: FleetReport): void {
  checkTokenNames(documents, report);
  for (const subject of documents) {
    const { object, role } = subject;
    if (role === "Cluster") {
      checkName(
        subject,
        { path: ["metadata", "name"], name: object.metadata.name, protocol: protocolOf(subject) },
        report,
      );
    } else if (role === "approval") {
      const name = stringAt(object, "spec", "clusterName");
      if (name !== undefined)
        checkName(subject, { path: ["spec", "clusterName"], name, protocol: "clusternet" }, report);
    }
  }
}

function checkName(
  subject: FleetDocument,
  { path, name, protocol }: { path: readonly string[]; name: string; protocol: Protocol },
  report: FleetReport,
): void {
  const { maxLength, reason } = limits[protocol];
  if (name.length > maxLength) {
    const message = `${path.join(".")}: has ${name.length} characters, protocol ${protocol} allows ${maxLength}: ${reason}`;
    const fix = `Choose a name of at most ${maxLength} characters.`;
    report.add(subject, { code: "E_CLUSTER_NAMES", path, part: "value", message, fix });
  } else if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u.test(name)) {
    report.add(subject, {
      code: "E_CLUSTER_NAMES",
      path,
      part: "value",
      message: `${path.join(".")}: has a character that the name of a cluster cannot have`,
      fix: "Use lower-case letters, digits and hyphens.",
    });
  }
}

/** The hub makes a token for each cluster whose Fleet agent it installs: a token of a file cannot have its name. */
function checkTokenNames(documents: readonly FleetDocument[], report: FleetReport): void {
  const reserved = new Map<string, string>();
  for (const subject of documents) {
    const { name } = subject.object.metadata;
    if (isInstalledFleet(subject)) reserved.set(`${subject.workspace ?? ""}/${importTokenName(name)}`, name);
  }
  for (const subject of documents) {
    const { role, object, isForeign, workspace = "" } = subject;
    if (role !== "ClusterRegistrationToken") continue;
    const cluster = reserved.get(`${workspace}/${object.metadata.name}`);
    if (cluster === undefined || !(isForeign || stringAt(object, "spec", "protocol") === "fleet")) continue;
    report.add(subject, {
      code: "E_CLUSTER_NAMES",
      path: ["metadata", "name"],
      part: "value",
      message: `metadata.name: is the name of the token by which the hub installs the agent of cluster ${cluster}`,
      fix: "Choose another name, or delete the token: the hub makes its own.",
    });
  }
}

/** A Cluster with Fleet's agent and a kubeconfig: the hub makes a token for it. */
export function isInstalledFleet(subject: FleetDocument): boolean {
  const { role, object, isForeign } = subject;
  if (role !== "Cluster" || protocolOf(subject) !== "fleet") return false;
  if (isForeign) return (textAt(object, "spec", "kubeConfigSecret") ?? "") !== "";
  return objectAt(object, "spec", "kubeConfigSecretRef") !== undefined;
}
