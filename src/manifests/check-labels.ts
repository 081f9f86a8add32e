import { clusternetTokenLabels } from "../model/dialects/clusternet.ts";
import { annotationKeys, isReservedLabelKey } from "../model/well-known.ts";
import { listAt, textsAt } from "./cluster-facts.ts";
import type { FleetDocument, FleetReport } from "./fleet-document.ts";

/** Annotations of ours that a file may set; all others are written by the hub or by commands. */
const annotationsOfFiles: readonly string[] = [
  annotationKeys.adopt,
  annotationKeys.publishClusterApi,
  "rollcall.dev/cluster-names",
];

/** Reports E_LABEL_RESERVED for keys that files, or the agents they admit, may not set. */
export function checkLabels(documents: readonly FleetDocument[], report: FleetReport): void {
  for (const subject of documents) {
    const { role } = subject;
    checkKeys(subject, ["metadata", "labels"], report);
    checkAnnotations(subject, ["metadata", "annotations"], report);
    if (role === "ClusterLabels") {
      checkKeys(subject, ["spec", "labels"], report);
      checkAnnotations(subject, ["spec", "annotations"], report);
    } else if (role === "ClusterRegistrationToken") {
      checkKeys(subject, ["spec", "clusterLabels"], report);
      checkAgentLabels(subject, report);
    } else if (role === "approval") {
      // A request as the hub has it names the token of its agent by two labels of ours, which the cluster does not get.
      checkKeys(subject, ["spec", "clusterLabels"], report, Object.values(clusternetTokenLabels));
    }
  }
}

function checkKeys(
  subject: FleetDocument,
  path: readonly string[],
  report: FleetReport,
  allowed: readonly string[] = [],
): void {
  for (const key of Object.keys(textsAt(subject.object, ...path))) {
    const reason = allowed.includes(key) ? undefined : reasonAgainst(key);
    if (reason === undefined) continue;
    const message = `${path.join(".")}: ${key} cannot be set here: ${reason}`;
    report.add(subject, { code: "E_LABEL_RESERVED", path: [...path, key], part: "key", message, fix });
  }
}

const fix = "Delete it, or use a prefix of your own.";

function reasonAgainst(key: string): string | undefined {
  const prefix = key.slice(0, Math.max(0, key.indexOf("/")));
  if (isWithin(prefix, "rollcall.dev")) return "labels of rollcall.dev/ are written by the hub";
  // A namespace with this label has its admission rules changed; no label of a file may ever end up there.
  if (isWithin(prefix, "pod-security.kubernetes.io")) return "it changes the security rules of a namespace";
  return undefined;
}

function checkAnnotations(subject: FleetDocument, path: readonly string[], report: FleetReport): void {
  for (const key of Object.keys(textsAt(subject.object, ...path))) {
    if (!isWithin(key.slice(0, Math.max(0, key.indexOf("/"))), "rollcall.dev")) continue;
    if (path[0] === "metadata" && annotationsOfFiles.includes(key)) continue;
    const message = `${path.join(".")}: ${key} cannot be set here: it is written by the hub or by a command`;
    report.add(subject, { code: "E_LABEL_RESERVED", path: [...path, key], part: "key", message, fix });
  }
}

function checkAgentLabels(subject: FleetDocument, report: FleetReport): void {
  listAt(subject.object, "spec", "agentLabels").forEach((key, index) => {
    if (typeof key !== "string" || !isReservedLabelKey(key)) return;
    report.add(subject, {
      code: "E_LABEL_RESERVED",
      path: ["spec", "agentLabels", index],
      part: "value",
      message: `spec.agentLabels[${index}]: no agent may set ${key}`,
      fix: "Remove it from the list; set the label in the Cluster's file or by a rule.",
    });
  });
}

function isWithin(prefix: string, domain: string): boolean {
  return prefix === domain || prefix.endsWith(`.${domain}`);
}
