import { textAt, textMapAt } from "../../../core/read-json.ts";
import {
  clusternetTokenLabels,
  isClusterId,
  isClusternetName,
  registrationRequestName,
} from "../../../model/dialects/clusternet.ts";
import type { KubeObject } from "../../../model/kubernetes.ts";

/** Why an agent is not admitted: a reason for events, and a sentence for `status.errorMessage`. */
export interface ClusternetRefusal {
  readonly reason: string;
  readonly message: string;
}

export interface ClusternetRequest {
  readonly name: string;
  readonly uid: string;
  readonly clusterId: string;
  readonly clusterName: string;
  readonly clusterType: string;
  readonly syncMode: string;
  /** What the agent proposes, without what names its token. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * What a ManagedCluster holds, and so the hub, of what the request chooses. Clusternet's own definitions bound no type: one that
 * is longer than a ConfigMap may be could never be remembered, and so never be decided.
 */
const longestType = 63;
const syncModes: readonly string[] = ["Push", "Pull", "Dual"];

/** The workspace that a request names; an admission policy ties it to the account that asks. Empty: it names none. */
export function workspaceOfRequest(request: KubeObject): string {
  return textMapAt(request, "spec", "clusterLabels")[clusternetTokenLabels.workspace] ?? "";
}

/** The token that a request names; undefined where the hub itself installed the agent. */
export function tokenOfRequest(request: KubeObject): string | undefined {
  return textMapAt(request, "spec", "clusterLabels")[clusternetTokenLabels.token];
}

/** Reads Clusternet's ClusterRegistrationRequest, or returns why it is not valid. */
export function readRequest(request: KubeObject): ClusternetRequest | string {
  const { name, uid = "" } = request.metadata;
  const clusterId = textAt(request, "spec", "clusterId") ?? "";
  const clusterName = textAt(request, "spec", "clusterName") ?? "";
  if (!isClusterId(clusterId)) return "spec.clusterId is no id of a cluster";
  if (name !== registrationRequestName(clusterId)) return `the request is not named clusternet-${clusterId}`;
  if (!isClusternetName(clusterName))
    return "spec.clusterName is no name of a cluster: start the agent with --cluster-reg-name";
  if (workspaceOfRequest(request) === "")
    return `it does not declare its workspace: start the agent with --cluster-labels=${clusternetTokenLabels.workspace}=<workspace>`;
  const clusterType = textAt(request, "spec", "clusterType") ?? "";
  if (clusterType.length > longestType) return `spec.clusterType has more than ${longestType} characters`;
  const syncMode = textAt(request, "spec", "syncMode") ?? "Pull";
  if (!syncModes.includes(syncMode)) return "spec.syncMode is none of Push, Pull, Dual";
  const {
    [clusternetTokenLabels.workspace]: _workspace,
    [clusternetTokenLabels.token]: _token,
    ...labels
  } = textMapAt(request, "spec", "clusterLabels");
  return {
    name,
    uid,
    clusterId,
    clusterName,
    clusterType,
    syncMode,
    labels,
  };
}
