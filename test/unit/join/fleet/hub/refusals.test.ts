import { describe, expect, it } from "vitest";
import { explainRefusal } from "../../../../../src/join/fleet/hub/refusals.ts";
import type { ExplainedRefusal } from "../../../../../src/join/fleet/hub/registration-request.ts";
import { fleetMemberOf } from "../fleet-scene.ts";

const member = fleetMemberOf("eu-1");
const asked = { tokenName: "edge", name: "eu-9", members: [member] };

describe("explainRefusal: what a Fleet agent's refusal reports", () => {
  it.each<[ExplainedRefusal, readonly string[]]>([
    ["TokenClosed", ["Token edge", "expired or is deleted"]],
    ["TokenAmbiguous", ["Token edge", "shorter name"]],
    ["TokenNameReserved", ["Token edge", "another name"]],
    ["TokenUsedUp", ["Token edge", "maxRegistrations"]],
    ["NameNotAllowed", ["Token edge", "cluster name eu-9", "clusterNames"]],
    ["NameTaken", ["Cluster fleet/eu-1", "clientID"]],
    ["ProtocolMismatch", ["Cluster fleet/eu-1", "protocol fleet", "--client-id"]],
    ["ClusterLeaving", ["Cluster fleet/eu-1", "being removed"]],
    ["ClusterRevoked", ["Cluster fleet/eu-1", "is revoked"]],
    ["ClientIDTaken", ["Cluster fleet/eu-1", "names eu-1 (clusterNames"]],
  ])("%s names what is in the way: %j", (reason, parts) => {
    const message = explainRefusal(reason, asked);
    for (const part of parts) expect(message).toContain(part);
  });

  it("names all the Clusters of one clientID, so that a person sees which to change", () => {
    const members = [member, fleetMemberOf("eu-2")];
    expect(explainRefusal("ClientIDAmbiguous", { members })).toContain("this clientID: fleet/eu-1, fleet/eu-2.");
  });

  it("names the cluster that is asked for where no other is in the way, and no token where none is named", () => {
    expect(explainRefusal("ClusterLeaving", { name: "eu-9" })).toMatch(/^Cluster eu-9 /u);
    expect(explainRefusal("ClientIDTaken", { name: "eu-9" })).toContain("names eu-9 (");
    expect(explainRefusal("TokenUsedUp", {})).toMatch(/^The token /u);
    expect(explainRefusal("ProtocolMismatch", {})).toContain("joins by protocol rollcall.");
  });
});
