import { describe, expect, it } from "vitest";
import { expiredRequests } from "../../../../src/join/clusternet/hub/expired-registrations.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../hub-scene.ts";
import { indexMembers } from "../../../../src/planning/member-index.ts";
import { clusternetMemberOf, id, otherId } from "./clusternet-scene.ts";

const minuteMs = 60_000;

/** A request that was decided, unless it has no status. */
function request(name: string, minute: number, spec: object = {}, status?: object): KubeObject {
  const creationTimestamp = new Date(startMs + minute * minuteMs).toISOString();
  const clusterLabels = { "rollcall.dev/workspace": workspace, "rollcall.dev/token": "door" };
  return {
    apiVersion: "clusters.clusternet.io/v1beta1",
    kind: "ClusterRegistrationRequest",
    metadata: { name, uid: `uid-of-${name}`, creationTimestamp },
    spec: { clusterName: "eu-1", clusterLabels, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

const denied = { result: "Denied", errorMessage: "no" };

function collect(requests: readonly KubeObject[], members: readonly Member[] = []): string[] {
  return expiredRequests(requests, indexMembers(members), hubFacts({ nowMs: startMs + 120 * minuteMs })).map(
    ({ name }) => name,
  );
}

describe("expired: requests in vain", () => {
  const oldest = [0, 1, 2, 3, 4];

  it("A7: are at most twenty by which one credential asks again and again with other ids", () => {
    const flood = Array.from({ length: 25 }, (_, index) => request(`made-up-${index}`, index, {}, denied));
    const others = [request("other", 0, { clusterName: "eu-2" }, denied), request("undecided", 0)];
    expect(collect([...others, ...flood])).toEqual(oldest.map((index) => `made-up-${index}`));
  });

  it("A7: are at most twenty that name no workspace, and so any cluster", () => {
    const flood = Array.from({ length: 25 }, (_, index) =>
      request(`placeless-${index}`, index, { clusterLabels: {}, clusterName: `chosen-${index}` }, denied),
    );
    expect(collect(flood)).toEqual(oldest.map((index) => `placeless-${index}`));
  });

  it("A185 do not keep the name that the agent of another cluster needs for its own request", () => {
    const members = [
      clusternetMemberOf({ spec: { clientID: id } }, "eu-2"),
      clusternetMemberOf({ spec: { clientID: otherId } }, "eu-1"),
    ];
    const requests = [
      request("with-id-of-eu-2", 0, { clusterId: id }, denied),
      request("of-eu-2", 1, { clusterId: id, clusterName: "eu-2" }, denied),
      request("not-decided", 2, { clusterId: id }),
      request("of-eu-1", 3, { clusterId: otherId }, denied),
      request("of-none", 4, { clusterId: "another" }, denied),
    ];
    expect(collect(requests, members)).toEqual(["with-id-of-eu-2"]);
  });
});
