import { objectAt } from "../core/read-json.ts";
import { memberClusterFields } from "../manifests/check-kubefleet.ts";
import type { ResourceType } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { adoptedObject, refusedFields, unknownFields } from "./adopted-object.ts";
import type { AdoptSource } from "./adopt-source.ts";

const noPlacement = "what it placed stays; nothing is placed anew without KubeFleet's hub agent";

/** A hub of KubeFleet: its MemberClusters as they are. Their agents go on with the accounts that they have. */
export const kubefleetSource: AdoptSource = {
  title: "KubeFleet",
  mainTypes: [resourceTypes.memberCluster],
  otherTypes: [],
  unserved: [
    { type: placementType("ClusterResourcePlacement", "clusterresourceplacements", false), meaning: noPlacement },
    { type: placementType("ResourcePlacement", "resourceplacements", true), meaning: noPlacement },
    { type: policyType("ClusterPlacementPolicy", "clusterplacementpolicies", false), meaning: noPlacement },
    { type: policyType("PlacementPolicy", "placementpolicies", true), meaning: noPlacement },
    {
      type: placementType("ClusterResourceOverride", "clusterresourceoverrides", false),
      meaning: "overrides are read by KubeFleet's hub agent alone",
    },
  ],
  evaluate: (live) => {
    const spec = objectAt(live, "spec") ?? {};
    const unknown = unknownFields(spec, memberClusterFields);
    if (unknown.length > 0) return refusedFields(unknown);
    return { kind: "file", folder: "clusters", object: adoptedObject(live, spec) };
  },
};

function placementType(kind: string, plural: string, isNamespaced: boolean): ResourceType {
  return { group: "placement.kubernetes-fleet.io", version: "v1beta1", kind, plural, isNamespaced };
}

/** Of the group that is to follow the other one. */
function policyType(kind: string, plural: string, isNamespaced: boolean): ResourceType {
  return { group: "placement.kubefleet.dev", version: "v1alpha1", kind, plural, isNamespaced };
}
