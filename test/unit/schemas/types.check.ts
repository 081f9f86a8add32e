// No test runs this file: `npm run types` fails when one of its lines is wrong.
import type { JsonObject } from "../../../src/core/json.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { ClusterDefaults } from "../../../src/model/generated/cluster-defaults.ts";
import type { ClusterGroup } from "../../../src/model/generated/cluster-group.ts";
import type { ClusterLabels } from "../../../src/model/generated/cluster-labels.ts";
import type { ClusterRecord } from "../../../src/model/generated/cluster-record.ts";
import type { ClusterRegistration } from "../../../src/model/generated/cluster-registration.ts";
import type { ClusterRegistrationToken } from "../../../src/model/generated/cluster-registration-token.ts";
import type { ClusterReport } from "../../../src/model/generated/cluster-report.ts";
import type { Cluster, ClusterSpec } from "../../../src/model/generated/cluster.ts";
import type { FleetSummary } from "../../../src/model/generated/fleet-summary.ts";
import type { Policy } from "../../../src/model/generated/policy.ts";
import type { ProblemList } from "../../../src/model/generated/problem-list.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import type { StatusSignature } from "../../../src/model/generated/status-signature.ts";
import type { TokenRecord } from "../../../src/model/generated/token-record.ts";

type FileObject = Cluster | ClusterRegistrationToken | ClusterLabels | ClusterDefaults | ClusterGroup | Policy;
type HubObject = Repository | ClusterRegistration | ClusterReport;
type RecordObject = ClusterRecord | TokenRecord | ProblemList | FleetSummary | StatusSignature;

/** Ports take KubeObject: every generated type must be one. */
export function asKubeObject(object: FileObject | HubObject | RecordObject): KubeObject {
  return object;
}

/** Digests and comparisons take JSON: a spec must be that. */
export function asJson(spec: ClusterSpec): JsonObject {
  return spec;
}

// @ts-expect-error a field that the schema does not know is refused
export const misspelt: ClusterSpec = { protocl: "fleet" };
