import { describe, expect, it } from "vitest";
import type { KubeObject, ResourceType } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { declaredPlaceOf } from "../../../src/planning/declared-place.ts";

const { cluster, clusterRegistrationToken, fleetCluster, fleetRegistrationToken, managedCluster, memberCluster } =
  resourceTypes;

function object(metadata: Partial<KubeObject["metadata"]>): KubeObject {
  return { apiVersion: "v1", kind: "Any", metadata: { name: "eu-1", ...metadata } };
}

describe("declaredPlaceOf", () => {
  it.each<[string, ResourceType, Partial<KubeObject["metadata"]>, object | undefined]>([
    ["an own Cluster is declared itself", cluster, { namespace: "prod" }, { isItself: true, ref: { type: cluster } }],
    [
      "a MemberCluster belongs to the Cluster of its labels",
      memberCluster,
      { labels: { "rollcall.dev/cluster": "first", "rollcall.dev/owner-workspace": "prod" } },
      { workspace: "prod", name: "first", isItself: false, ref: { type: cluster } },
    ],
    [
      "a token of Fleet belongs to the token of its label",
      fleetRegistrationToken,
      { namespace: "prod", labels: { "rollcall.dev/token": "door" } },
      { workspace: "prod", name: "door", isItself: false, ref: { type: clusterRegistrationToken } },
    ],
    ["a Cluster of Fleet without labels belongs to no file", fleetCluster, { namespace: "prod" }, undefined],
    [
      "a ManagedCluster in a namespace of its own has no place",
      managedCluster,
      { namespace: "own", labels: { "rollcall.dev/cluster": "first", "rollcall.dev/owner-workspace": "prod" } },
      undefined,
    ],
  ])("%s", (_what, type, metadata, place) => {
    const found = declaredPlaceOf(object(metadata), type);
    if (place === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(place);
  });
});
