import { objectAt, textAt } from "../core/read-json.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../model/resource-types.ts";
import { isReservedLabelKey } from "../model/well-known.ts";
import type { AdoptResult } from "./adopt-source.ts";
import { adoptedObject } from "./adopted-object.ts";
import { clusternetSource } from "./clusternet-source.ts";
import { fleetSource } from "./fleet-source.ts";
import { kubefleetSource } from "./kubefleet-source.ts";
import { renderFile } from "./adopt.ts";

/** The file that declares an object which a person created on the hub: the one that `rollcall import` writes. */
export function fileOfHubObject(live: KubeObject): { readonly folder: string; readonly text: string } | RefusedFile {
  const result = resultOf(live);
  if (result.kind === "file") return { folder: result.folder, text: renderFile(result.object) };
  return { refusal: result.kind === "refused" ? `${result.reason}. ${result.fix}` : result.reason };
}

export interface RefusedFile {
  readonly refusal: string;
}

function resultOf(live: KubeObject): AdoptResult {
  switch (resourceTypeOf(live)) {
    case resourceTypes.cluster:
      return { kind: "file", folder: "clusters", object: ownObject(live) };
    case resourceTypes.clusterRegistrationToken:
      return { kind: "file", folder: "tokens", object: ownObject(live) };
    case resourceTypes.clusterGroup:
      return { kind: "file", folder: "groups", object: ownObject(live) };
    case resourceTypes.fleetCluster:
    case resourceTypes.fleetRegistrationToken:
    case resourceTypes.fleetGroup:
      return fleetSource.evaluate(live);
    case resourceTypes.memberCluster:
      return memberClusterFile(live);
    case resourceTypes.managedCluster:
      return clusternetSource.evaluate(live);
    default:
      return { kind: "left", reason: `No file declares objects of kind ${live.kind}.` };
  }
}

function ownObject(live: KubeObject): KubeObject {
  const labels = Object.entries(live.metadata.labels ?? {}).filter(([key]) => !isReservedLabelKey(key));
  const { labels: _labels, ...metadata } = live.metadata;
  const kept = labels.length === 0 ? metadata : { ...metadata, labels: Object.fromEntries(labels) };
  return adoptedObject({ ...live, metadata: kept }, objectAt(live, "spec") ?? {});
}

/** A MemberCluster gives the account that it names rights on the hub. */
function memberClusterFile(live: KubeObject): AdoptResult {
  const kind = textAt(live, "spec", "identity", "kind") ?? "";
  if (kind === "ServiceAccount") return kubefleetSource.evaluate(live);
  return {
    kind: "refused",
    reason: `spec.identity names a ${kind === "" ? "subject without kind" : kind}, which would get rights on the hub`,
    fix: "Write the file yourself, or name a ServiceAccount.",
  };
}
