import { ownValue } from "../core/own-value.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { FileKind } from "../model/generated/schemas.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { clusterOfApproval, clusterOfManagedCluster, indexOfTaint } from "./convert-clusternet.ts";
import { clusterOfFleet, groupOfFleet, tokenOfFleet } from "./convert-fleet.ts";
import { clusterOfMemberCluster } from "./convert-kubefleet.ts";
import { readObject } from "./object-shape.ts";
import type { SchemaFinding } from "./schema-finding.ts";
import { describePath } from "./schema-finding.ts";
import type { DocumentValidator } from "./validate-document.ts";
import { validateForeignDocument } from "./validate-document.ts";

/** The object of a document of another project's kind, or what is wrong with it. */
export interface ForeignReading {
  readonly object: KubeObject | undefined;
  readonly findings: readonly SchemaFinding[];
}

export interface ForeignKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

/** A field of our kind, and the field of the other project's kind that it comes from. */
type FieldSource = readonly [own: readonly string[], source: readonly string[]];

interface Conversion {
  readonly ownKind: FileKind;
  readonly convert: (object: KubeObject) => KubeObject;
  readonly sources: readonly FieldSource[];
  /** The index in the file of the taint that our object has at an index, where our object does not have all of them. */
  readonly indexOfTaint?: (object: KubeObject, index: number) => number;
  /** True where labels of our kind come from a field of their own, which no schema of the other project bounds. */
  readonly hasOwnLabels?: boolean;
}

/** The longest own path first: the first one that matches names the source. */
const conversions: Readonly<Record<string, Conversion>> = {
  "fleet.cattle.io Cluster": {
    ownKind: "Cluster",
    convert: clusterOfFleet,
    sources: [
      [path("spec.agent.namespace"), path("spec.agentNamespace")],
      [path("spec.agent.env"), path("spec.agentEnvVars")],
      [path("spec.agent.tolerations"), path("spec.agentTolerations")],
      [path("spec.agent.affinity"), path("spec.agentAffinity")],
      [path("spec.agent.resources"), path("spec.agentResources")],
      [path("spec.agent.imagePullSecrets"), path("spec.agentPullSecrets")],
      [path("spec.agent.redeployGeneration"), path("spec.redeployAgentGeneration")],
      [path("spec.kubeConfigSecretRef.name"), path("spec.kubeConfigSecret")],
      [path("spec.fleet"), path("spec")],
    ],
  },
  "fleet.cattle.io ClusterRegistrationToken": {
    ownKind: "ClusterRegistrationToken",
    convert: tokenOfFleet,
    sources: [
      [path("spec.fleet"), path("spec")],
      [path("spec.clusterNames"), ["metadata", "annotations", "rollcall.dev/cluster-names"]],
    ],
  },
  "fleet.cattle.io ClusterGroup": { ownKind: "ClusterGroup", convert: groupOfFleet, sources: [] },
  "cluster.kubernetes-fleet.io MemberCluster": {
    ownKind: "Cluster",
    convert: clusterOfMemberCluster,
    sources: [
      [path("spec.heartbeat.periodSeconds"), path("spec.heartbeatPeriodSeconds")],
      [path("spec.kubefleet"), path("spec")],
    ],
  },
  "clusters.clusternet.io ManagedCluster": {
    ownKind: "Cluster",
    convert: clusterOfManagedCluster,
    indexOfTaint,
    sources: [
      [path("spec.clusternet.clusterNamespace"), path("metadata.namespace")],
      [path("spec.clusternet"), path("spec")],
      [path("spec.clientID"), path("spec.clusterId")],
    ],
  },
  "clusters.clusternet.io ClusterRegistrationRequest": {
    ownKind: "Cluster",
    convert: clusterOfApproval,
    hasOwnLabels: true,
    sources: [
      [path("metadata.labels"), path("spec.clusterLabels")],
      [path("spec.clusternet"), path("spec")],
      [path("spec.clientID"), path("spec.clusterId")],
    ],
  },
};

/**
 * Reads documents of other projects' kinds. Each one must fit the strict schema of its own project, as the API server
 * checks it, and the object of ours that it maps to must fit ours: the hub refuses anything else at each apply.
 */
export function createForeignReader(
  validateOwn: DocumentValidator,
): (value: JsonObject, kind: ForeignKind) => ForeignReading {
  return (value, foreign) => {
    const { apiVersion, kind } = foreign;
    const findings = validateForeignDocument(`${apiVersion} ${kind}`, value);
    if (findings.length > 0) return { object: undefined, findings: findings.map((one) => withoutPlace(one, foreign)) };
    const reading = readObject(value, foreign);
    if (reading.object === undefined) return reading;
    const conversion = ownValue(conversions, `${apiVersion.split("/")[0] ?? ""} ${kind}`);
    if (conversion === undefined) return reading;
    const converted = findingsOfOwn(reading.object, conversion, validateOwn);
    return converted.length > 0 ? { object: undefined, findings: converted } : reading;
  };
}

function withoutPlace(finding: SchemaFinding, { kind, isNamespaced }: ForeignKind): SchemaFinding {
  const isNamespace = finding.path.length === 2 && finding.path[0] === "metadata" && finding.path[1] === "namespace";
  if (isNamespaced || !isNamespace) return finding;
  const message = `metadata.namespace: ${kind} has no namespace`;
  return { code: "E_SCHEMA", path: finding.path, part: "key", message, fix: "Delete the field." };
}

function findingsOfOwn(object: KubeObject, conversion: Conversion, validate: DocumentValidator): SchemaFinding[] {
  const own = conversion.convert(object);
  const { labels } = own.metadata;
  // Whether a cluster can have its name is checked by protocol, in check-names.ts.
  const name = conversion.ownKind === "Cluster" ? "any" : own.metadata.name;
  const metadata = conversion.hasOwnLabels === true && labels !== undefined ? { name, labels } : { name };
  const findings = validate(conversion.ownKind, toJson({ ...own, metadata }));
  return findings.map((finding) =>
    atSource(finding, [...taintSources(object, conversion, finding), ...conversion.sources]),
  );
}

/** A path has the indices of lists as numbers or as text. */
function taintSources(
  object: KubeObject,
  { indexOfTaint: find }: Conversion,
  { path: at }: SchemaFinding,
): FieldSource[] {
  const [spec, taints, index] = at;
  if (find === undefined || spec !== "spec" || taints !== "taints" || index === undefined) return [];
  return [
    [
      ["spec", "taints", String(index)],
      ["spec", "taints", String(find(object, Number(index)))],
    ],
  ];
}

function atSource(finding: SchemaFinding, sources: readonly FieldSource[]): SchemaFinding {
  const found = sources.find(([own]) => own.every((step, index) => String(finding.path[index]) === step));
  if (found === undefined) return finding;
  const [own, source] = found;
  const rename = (text: string): string => text.replaceAll(describePath(own), describePath(source));
  const { message, fix } = finding;
  return {
    ...finding,
    path: [...source, ...finding.path.slice(own.length)],
    message: rename(message),
    ...(fix === undefined ? {} : { fix: rename(fix) }),
  };
}

/** Without the members that are undefined: they are not written, either. */
function toJson(object: KubeObject): JsonObject {
  const value = JSON.parse(JSON.stringify(object)) as Json;
  return isJsonObject(value) ? value : {};
}

function path(text: string): readonly string[] {
  return text.split(".");
}
