import { objectAt } from "../core/read-json.ts";
import { fleetClusterFields } from "../manifests/convert-fleet.ts";
import { fleetKeys } from "../model/dialects/fleet.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { adoptedObject, filledFields, refusedFields, unknownFields } from "./adopted-object.ts";
import type { AdoptSource, AdoptResult } from "./adopt-source.ts";

const nothingNew = "what it deployed stays; nothing new comes without Fleet's controllers";

/** A hub of Rancher Fleet: its Clusters, ClusterRegistrationTokens and ClusterGroups as they are. */
export const fleetSource: AdoptSource = {
  title: "Rancher Fleet",
  mainTypes: [resourceTypes.fleetCluster],
  otherTypes: [resourceTypes.fleetRegistrationToken, resourceTypes.fleetGroup],
  unserved: [
    { type: fleetType("GitRepo", "gitrepos"), meaning: nothingNew },
    { type: fleetType("HelmOp", "helmops"), meaning: nothingNew },
    { type: fleetType("Bundle", "bundles"), meaning: nothingNew },
    { type: fleetType("ImageScan", "imagescans"), meaning: "images are scanned by Fleet's controllers alone" },
  ],
  evaluate: (live) => {
    switch (resourceTypeOf(live)) {
      case resourceTypes.fleetCluster:
        return evaluateCluster(live);
      case resourceTypes.fleetRegistrationToken:
        return evaluateToken(live);
      default:
        return evaluateGroup(live);
    }
  },
};

function evaluateCluster(live: KubeObject): AdoptResult {
  const managed = live.metadata.labels?.[fleetKeys.clusterManagement] ?? "";
  if (managed !== "")
    return {
      kind: "refused",
      reason: `Rancher manages it (label ${fleetKeys.clusterManagement}) and would revert the fields of a file`,
      fix: "Leave it to Rancher, or take the label away where Rancher no longer manages it.",
    };
  const spec = filledFields(objectAt(live, "spec") ?? {});
  const unknown = unknownFields(spec, fleetClusterFields);
  if (unknown.length > 0) return refusedFields(unknown);
  // It names what is the default anyway.
  const { kubeConfigSecretNamespace, ...rest } = spec;
  const isOwn = kubeConfigSecretNamespace === undefined || kubeConfigSecretNamespace === live.metadata.namespace;
  return { kind: "file", folder: "clusters", object: adoptedObject(live, isOwn ? rest : spec) };
}

function evaluateToken(live: KubeObject): AdoptResult {
  const isForOne = (live.metadata.ownerReferences ?? []).some(({ kind }) => kind === "Cluster");
  if (isForOne) return { kind: "left", reason: "Fleet's controllers made it to install one agent" };
  const spec = filledFields(objectAt(live, "spec") ?? {});
  const unknown = unknownFields(spec, ["ttl"]);
  if (unknown.length > 0) return refusedFields(unknown);
  return { kind: "file", folder: "tokens", object: adoptedObject(live, spec) };
}

function evaluateGroup(live: KubeObject): AdoptResult {
  const spec = filledFields(objectAt(live, "spec") ?? {});
  const unknown = unknownFields(spec, ["selector"]);
  if (unknown.length > 0) return refusedFields(unknown);
  return { kind: "file", folder: "groups", object: adoptedObject(live, spec) };
}

function fleetType(kind: string, plural: string): ResourceType {
  return { group: "fleet.cattle.io", version: "v1alpha1", kind, plural, isNamespaced: true };
}
