import { isJsonObject } from "../core/json.ts";
import { objectAt, textAt, valueAt } from "../core/read-json.ts";
import { kubefleetHeartbeat } from "../model/dialects/kubefleet.ts";
import { listAt, protocolOf, stringAt } from "./cluster-facts.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";
import { refuseUnknownFields, tellOfPlace as tell } from "./foreign-findings.ts";
import { showText } from "./schema-finding.ts";

/** Reports what KubeFleet cannot carry of a Cluster of ours, and what its own hub would refuse of a MemberCluster. */
export function checkKubefleet(documents: readonly FleetDocument[], report: FleetReport): void {
  for (const subject of documents) {
    if (subject.role === "ClusterRegistrationToken" && !subject.isForeign) refuseToken(subject, report);
    if (subject.role !== "Cluster" || protocolOf(subject) !== "kubefleet") continue;
    checkTaints(subject, report);
    checkHeartbeat(subject, report);
    checkIdentity(subject, report);
    if (subject.isForeign) checkMemberCluster(subject, report);
  }
}

/** Its agents never ask to join: there is nothing that a token could let in. */
function refuseToken(subject: FleetDocument, report: FleetReport): void {
  if (stringAt(subject.object, "spec", "protocol") !== "kubefleet") return;
  tell(subject, report, {
    path: ["spec", "protocol"],
    what: "KubeFleet's agents join because their cluster is declared, never by a token",
    fix: "Delete this token; declare the cluster with protocol: kubefleet, or as a MemberCluster.",
  });
}

function checkTaints(subject: FleetDocument, report: FleetReport): void {
  const seen = new Set<string>();
  listAt(subject.object, "spec", "taints").forEach((taint, index) => {
    const path = ["spec", "taints", index];
    if (!isJsonObject(taint)) {
      tell(subject, report, { path, what: "must be a map of key, value and effect", fix: "Write it as a map." });
      return;
    }
    if (taint["effect"] !== "NoSchedule") {
      const isThere = taint["effect"] !== undefined;
      const what = "KubeFleet knows NoSchedule only";
      tell(subject, report, {
        path: isThere ? [...path, "effect"] : path,
        what: isThere ? what : `effect is missing; ${what}`,
        fix: "Write NoSchedule, or remove the taint.",
      });
    }
    if (textAt(taint, "key") === undefined)
      tell(subject, report, { path, what: "key is missing", fix: "Name the taint's key." });
    const key = JSON.stringify([taint["key"], taint["value"], taint["effect"]]);
    if (seen.has(key)) tell(subject, report, { path, what: "stands here twice", fix: "Delete one of them." });
    seen.add(key);
  });
}

function checkHeartbeat(subject: FleetDocument, report: FleetReport): void {
  const path = subject.isForeign ? ["spec", "heartbeatPeriodSeconds"] : ["spec", "heartbeat", "periodSeconds"];
  const seconds = valueAt(subject.object, ...path);
  if (seconds === undefined) return;
  const { maxSeconds } = kubefleetHeartbeat;
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1 && seconds <= maxSeconds) return;
  const fix = `Write a number from 1 to ${maxSeconds}.`;
  tell(subject, report, { path, what: `KubeFleet's agents beat every 1 to ${maxSeconds} seconds`, fix });
}

function checkIdentity(subject: FleetDocument, report: FleetReport): void {
  const path = subject.isForeign ? ["spec", "identity"] : ["spec", "kubefleet", "identity"];
  const identity = objectAt(subject.object, ...path);
  if (identity === undefined) {
    if (!subject.isForeign) return;
    const what = "is missing: it names the account of the hub that the agent uses";
    tell(subject, report, { path, what, fix: "Add spec.identity with kind and name." });
    return;
  }
  const kind = textAt(identity, "kind") ?? "";
  const name = textAt(identity, "name") ?? "";
  if (!["ServiceAccount", "User", "Group"].includes(kind)) {
    const what = `kind ${showText(kind)} is no account`;
    tell(subject, report, { path, what, fix: "Write ServiceAccount, User or Group." });
  }
  if (name === "") tell(subject, report, { path, what: "name is missing", fix: "Name the account." });
  const namespace = textAt(identity, "namespace") ?? "";
  if (kind === "ServiceAccount" && namespace === "") {
    tell(subject, report, { path, what: "a ServiceAccount has a namespace", fix: "Add its namespace." });
  }
  if (valueAt(subject.object, "spec", "kubeConfigSecretRef") !== undefined) {
    const what = "the hub installs agents with an account that it makes itself";
    tell(subject, report, { path, what, fix: "Delete spec.kubefleet.identity, or spec.kubeConfigSecretRef." });
  }
}

/** What a MemberCluster can say in its spec. */
export const memberClusterFields: readonly string[] = ["identity", "heartbeatPeriodSeconds", "taints", "deleteOptions"];

function checkMemberCluster(subject: FleetDocument, report: FleetReport): void {
  refuseUnknownFields(subject, report, memberClusterFields);
  const mode = textAt(subject.object, "spec", "deleteOptions", "validationMode");
  if (mode !== undefined && mode !== "Strict" && mode !== "Skip") {
    const path = ["spec", "deleteOptions", "validationMode"];
    tell(subject, report, { path, what: `${showText(mode)} is not known`, fix: "Write Strict or Skip." });
  }
  if (listAt(subject.object, "spec", "taints").length > 100)
    tell(subject, report, { path: ["spec", "taints"], what: "has more than 100", fix: "Remove some." });
}
