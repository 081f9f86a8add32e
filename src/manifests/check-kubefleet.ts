import { objectAt, textAt, valueAt } from "../core/read-json.ts";
import { kubefleetHeartbeat } from "../model/dialects/kubefleet.ts";
import { listAt, protocolOf, stringAt } from "./cluster-facts.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";
import { reportPlace } from "./foreign-findings.ts";

/** Reports what KubeFleet cannot carry of a Cluster of ours. */
export function checkKubefleet(documents: readonly FleetDocument[], report: FleetReport): void {
  for (const subject of documents) {
    if (subject.role === "ClusterRegistrationToken" && !subject.isForeign) refuseToken(subject, report);
    if (subject.role !== "Cluster" || protocolOf(subject) !== "kubefleet") continue;
    checkTaints(subject, report);
    checkHeartbeat(subject, report);
    checkIdentity(subject, report);
  }
}

/** Its agents never ask to join: there is nothing that a token could admit. */
function refuseToken(subject: FleetDocument, report: FleetReport): void {
  if (stringAt(subject.object, "spec", "protocol") !== "kubefleet") return;
  reportPlace(subject, report, {
    path: ["spec", "protocol"],
    what: "KubeFleet's agents join because their cluster is declared, never by a token",
    fix: "Delete this token; declare the cluster with protocol: kubefleet, or as a MemberCluster.",
  });
}

function checkTaints(subject: FleetDocument, report: FleetReport): void {
  listAt(subject.object, "spec", "taints").forEach((taint, index) => {
    if (textAt(taint, "effect") === "NoSchedule") return;
    const path = ["spec", "taints", index, "effect"];
    reportPlace(subject, report, {
      path,
      what: "KubeFleet knows NoSchedule only",
      fix: "Write NoSchedule, or remove the taint.",
    });
  });
}

function checkHeartbeat(subject: FleetDocument, report: FleetReport): void {
  const path = ["spec", "heartbeat", "periodSeconds"];
  const seconds = valueAt(subject.object, ...path);
  if (seconds === undefined) return;
  const { maxSeconds } = kubefleetHeartbeat;
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1 && seconds <= maxSeconds) return;
  const fix = `Write a number from 1 to ${maxSeconds}.`;
  reportPlace(subject, report, {
    path,
    what: `KubeFleet's agents send heartbeats every 1 to ${maxSeconds} seconds`,
    fix,
  });
}

function checkIdentity(subject: FleetDocument, report: FleetReport): void {
  const path = subject.isForeign ? ["spec", "identity"] : ["spec", "kubefleet", "identity"];
  const identity = objectAt(subject.object, ...path);
  if (identity === undefined) return;
  if (textAt(identity, "kind") === "ServiceAccount" && (textAt(identity, "namespace") ?? "") === "") {
    reportPlace(subject, report, { path, what: "a ServiceAccount has a namespace", fix: "Add its namespace." });
  }
  if (valueAt(subject.object, "spec", "kubeConfigSecretRef") !== undefined) {
    const what = "the hub installs agents with an account that it makes itself";
    reportPlace(subject, report, { path, what, fix: "Delete spec.kubefleet.identity, or spec.kubeConfigSecretRef." });
  }
}

/** The fields that the spec of a MemberCluster can have. */
export const memberClusterFields: readonly string[] = ["identity", "heartbeatPeriodSeconds", "taints", "deleteOptions"];
