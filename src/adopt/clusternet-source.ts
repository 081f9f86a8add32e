import { objectAt, objectsAt, textAt } from "../core/read-json.ts";
import { managedClusterFields } from "../manifests/check-clusternet.ts";
import { isTaintOfClusternet } from "../model/dialects/clusternet.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { adoptedObject, filledFields, refusedFields, unknownFields } from "./adopted-object.ts";
import type { AdoptSource, AdoptResult } from "./adopt-source.ts";

const nothingNew = "what it deployed stays; nothing new comes without Clusternet's controllers";

/** A hub of Clusternet: its ManagedClusters as they are. Its agents keep the accounts that its approver gave them. */
export const clusternetSource: AdoptSource = {
  title: "Clusternet",
  mainTypes: [resourceTypes.managedCluster],
  otherTypes: [resourceTypes.registrationRequest],
  unserved: [
    { type: appsType("Subscription", "subscriptions"), meaning: nothingNew },
    { type: appsType("HelmChart", "helmcharts"), meaning: nothingNew },
    {
      type: appsType("Localization", "localizations"),
      meaning: "overrides are read by Clusternet's controllers alone",
    },
  ],
  evaluate: (live) =>
    resourceTypeOf(live) === resourceTypes.managedCluster ? evaluateManagedCluster(live) : evaluateRequest(live),
};

function evaluateManagedCluster(live: KubeObject): AdoptResult {
  const { taints: _taints, ...spec } = filledFields(objectAt(live, "spec") ?? {});
  const unknown = unknownFields(spec, managedClusterFields);
  if (unknown.length > 0) return refusedFields(unknown);
  const taints = objectsAt(live, "spec", "taints").filter((taint) => !isTaintOfClusternet(taint));
  const declared = taints.length === 0 ? spec : { ...spec, taints };
  return { kind: "file", folder: "clusters", object: adoptedObject(live, declared) };
}

/** A request needs no file: an approved one has its ManagedCluster, and an agent without an answer keeps asking. */
function evaluateRequest(live: KubeObject): AdoptResult {
  const result = textAt(live, "status", "result") ?? "";
  const cluster = textAt(live, "spec", "clusterName") ?? "";
  if (result === "Approved") {
    const place = [textAt(live, "status", "dedicatedNamespace"), textAt(live, "status", "managedClusterName")];
    return { kind: "left", reason: `it was approved; ManagedCluster/${place.join("/")} represents it` };
  }
  const how = result === "" ? "it has no answer" : `the answer was ${result}`;
  return { kind: "left", reason: `${how}, so that there is no cluster${cluster && ` ${cluster}`} yet` };
}

function appsType(kind: string, plural: string): ResourceType {
  return { group: "apps.clusternet.io", version: "v1alpha1", kind, plural, isNamespaced: true };
}
