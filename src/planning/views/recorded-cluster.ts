import { compact } from "../../core/compact.ts";
import { sha256Hex } from "../../core/digest.ts";
import type { JsonObject } from "../../core/json.ts";
import { numberAt, objectAt, objectsAt, isTrueAt, textAt } from "../../core/read-json.ts";
import type { ClusterState } from "../../model/generated/page-api.ts";
import type { Condition } from "../../model/kubernetes.ts";
import { recordedState } from "../cluster-phase.ts";
import { signOfState } from "./cluster-row.ts";

/**
 * What a ClusterRecord of the status branch contains, as far as a history shows it. Every field is checked: any user may write
 * the branch.
 */
export interface RecordedCluster {
  /** In the terms of docs/cluster-states.md: `Ready`, or `Ready,Suspended`. */
  readonly state: string;
  readonly sign: ClusterState;
  /** Reason and message of the condition Ready; the message is absent while the cluster is ready. */
  readonly reason?: string;
  readonly message?: string;
  readonly joined?: string;
  readonly token?: string;
  readonly credential?: number;
  readonly agent?: string;
  readonly kubernetes?: string;
  readonly spec?: string;
  /** Digest of its agents' keys. */
  readonly keys?: string;
  readonly labels: ReadonlyMap<string, string>;
}

const mostLabels = 100;

/** Reads a record; undefined when it is no ClusterRecord. */
export function readRecordedCluster(record: JsonObject): RecordedCluster | undefined {
  if (record["kind"] !== "ClusterRecord") return undefined;
  const conditions = objectsAt(record, "conditions").map(readCondition);
  const leave = objectAt(record, "leave") === undefined ? {} : { leave: {} };
  const state = recordedState({ conditions, ...leave, suspended: isTrueAt(record, "suspended") });
  const ready = conditions.find(({ type }) => type === "Ready");
  const digests = objectsAt(record, "keys").map((key) => textAt(key, "digest") ?? "");
  return compact({
    state,
    sign: signOfState(state),
    reason: ready?.reason,
    message: ready?.status === "True" ? undefined : ready?.message,
    joined: textAt(record, "join", "time"),
    token: textAt(record, "join", "token"),
    credential: numberAt(record, "credentialNumber"),
    agent: textAt(record, "agent", "version"),
    kubernetes: textAt(record, "kubernetesVersion"),
    spec: textAt(record, "specDigest"),
    keys: digests.length === 0 ? undefined : sha256Hex(digests.join()),
    labels: readLabels(record),
  });
}

function readCondition(condition: JsonObject): Condition {
  const status = textAt(condition, "status");
  return {
    type: textAt(condition, "type") ?? "",
    status: status === "True" || status === "False" ? status : "Unknown",
    reason: textAt(condition, "reason") ?? "",
    message: textAt(condition, "message") ?? "",
    lastTransitionTime: textAt(condition, "lastTransitionTime") ?? "",
  };
}

function readLabels(record: JsonObject): ReadonlyMap<string, string> {
  const entries = Object.keys(objectAt(record, "labels") ?? {}).slice(0, mostLabels);
  return new Map(entries.map((key) => [key, textAt(record, "labels", key, "value") ?? ""]));
}
