import { describe, expect, it } from "vitest";
import { objectAt, objectsAt, textAt, textsAt } from "../../../src/core/read-json.ts";
import { clusternetCrds } from "../../../src/model/generated/clusternet-crds.ts";

/** Source: clusternet, manifests/crds: what its users' scripts and `kubectl get` show. */
const kinds = [
  {
    plural: "clusterregistrationrequests",
    shortName: "clsrr",
    scope: "Cluster",
    columns: ["CLUSTER ID .spec.clusterId", "STATUS .status.result", "AGE .metadata.creationTimestamp"],
    spec: "clusterId clusterLabels clusterName clusterNamespace clusterType syncMode",
    status: "caCertificate dedicatedNamespace errorMessage managedClusterName result token",
  },
  {
    plural: "managedclusters",
    shortName: "mcls",
    scope: "Namespaced",
    columns: [
      "CLUSTER ID .spec.clusterId",
      "CLUSTER TYPE .spec.clusterType",
      "SYNC MODE .spec.syncMode",
      "KUBERNETES .status.k8sVersion",
      "STATUS .status.conditions[?(@.type=='Ready')].status",
      "AGE .metadata.creationTimestamp",
      "AGENT VERSION .status.agentVersion",
    ],
    spec: "clusterId clusterInitBaseName clusterType syncMode taints",
    status:
      "agentVersion allocatable apiserverURL appPusher capacity clusterCIDR conditions healthz heartbeatFrequencySeconds " +
      "k8sVersion kubeBurst kubeQPS lastObservedTime livez nodeStatistics platform podStatistics predictorAddress " +
      "predictorDirectAccess predictorEnabled readyz resourceUsage serviceCIDR useSocket",
  },
];

describe("Clusternet's definitions", () => {
  it.each(kinds)("$plural have upstream's names, columns and fields", ({ plural, ...wanted }) => {
    const crd = clusternetCrds.find(({ metadata }) => metadata.name === `${plural}.clusters.clusternet.io`);
    const spec = objectAt(crd, "spec");
    const [version] = objectsAt(spec, "versions");
    const fieldsOf = (part: string) =>
      Object.keys(objectAt(version, "schema", "openAPIV3Schema", "properties", part, "properties") ?? {})
        .sort()
        .join(" ");
    expect({
      shortName: textsAt(spec, "names", "shortNames").join(),
      scope: textAt(spec, "scope"),
      columns: objectsAt(version, "additionalPrinterColumns").map(
        (column) => `${textAt(column, "name")} ${textAt(column, "jsonPath")}`,
      ),
      spec: fieldsOf("spec"),
      status: fieldsOf("status"),
    }).toEqual(wanted);
    expect(objectAt(version, "subresources")).toEqual({ status: {} });
  });
});
