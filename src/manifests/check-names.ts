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
