import { describe, expect, it } from "vitest";
import { objectsAt, textsAt } from "../../../src/core/read-json.ts";
import { desiredMemberObjects } from "../../../src/join/fleet/hub/desired-objects.ts";
import { desiredTokenObjects } from "../../../src/join/fleet/hub/desired-token-objects.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { clusternetHubObjects } from "../../../src/model/dialects/clusternet-hub-objects.ts";
import { fleetHubObjects } from "../../../src/model/dialects/fleet-hub-objects.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { granted, objectsOf as clusternetObjects } from "./clusternet/clusternet-scene.ts";
import { fleetMemberOf, fleetTokenOf, grantedMemory } from "./fleet/fleet-scene.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, tokenSubject } from "./hub-scene.ts";
import { objectsOf as kubefleetObjects } from "./kubefleet/kubefleet-scene.ts";

/** `group/resource` of each kind of which the rights among these objects allow to make new objects. */
function created(objects: readonly KubeObject[]): string[] {
  const rules = objects.flatMap((object) => objectsAt(object, "rules"));
  const creating = rules.filter((rule) => textsAt(rule, "verbs").some((verb) => ["*", "create"].includes(verb)));
  return [...new Set(creating.flatMap((rule) => [`${textsAt(rule, "apiGroups")}/${textsAt(rule, "resources")}`]))];
}

describe("what agents and tokens may create on the hub", () => {
  it.each<[protocol: string, objects: () => readonly KubeObject[], requests: readonly string[]]>([
    [
      "Rollcall's",
      () => [
        ...rollcallProtocol.desiredObjects(memberOf("eu-1", { state: memberStateOf(makeAgent()) }), hubFacts()),
        ...rollcallProtocol.desiredTokenObjects({ ...tokenSubject("edge", {}), children: [] }, hubFacts()),
      ],
      ["rollcall.dev/clusterregistrations"],
    ],
    [
      "Fleet's",
      () => [
        ...desiredMemberObjects(fleetMemberOf("eu-1", { state: grantedMemory() }), hubFacts()),
        ...desiredTokenObjects(fleetTokenOf("edge"), hubFacts()),
        ...fleetHubObjects,
      ],
      ["fleet.cattle.io/clusterregistrations"],
    ],
    [
      "Clusternet's",
      () => [...clusternetObjects({ state: granted() }), ...clusternetHubObjects],
      ["clusters.clusternet.io/clusterregistrationrequests"],
    ],
    ["KubeFleet's", () => kubefleetObjects(), ["/events"]],
  ])(
    "A181 with %s protocol: requests to join, of which the hub keeps a few, or Events, which it deletes",
    (_, objects, requests) => {
      expect(created(objects())).toEqual(requests);
    },
  );
});
