import { describe, expect, it } from "vitest";
import { pendingProposals } from "../../../src/hub/pending-proposals.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeAgent, proofKey, registrationOf, startMs } from "../join/hub-scene.ts";
import { openMemberWorld } from "./members/member-world.ts";
import { coreObject } from "./objects.ts";

const labels = { "rollcall.dev/repository": "rollcall.fleet" };
const granted = { decision: "Granted", clusterName: "eu-1", decidedTime: "2027-01-01T00:00:00Z" };

interface Given {
  readonly approval?: string;
  readonly tokenLabels?: Record<string, string>;
  readonly status?: object;
  readonly isDeleted?: boolean;
  /** Names that the token allows. */
  readonly clusterNames?: readonly string[];
}

async function openRequests(names: readonly string[], given: Given = {}) {
  const { approval = "PullRequest", tokenLabels = labels, status, isDeleted = false, clusterNames = ["*"] } = given;
  const world = await openMemberWorld();
  const token = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken" };
  await world.put({
    ...token,
    metadata: { namespace: "fleet", name: "edge", labels: tokenLabels },
    spec: { approval, clusterNames },
  });
  const values = { proofKey: Buffer.from(proofKey).toString("base64"), values: Buffer.from("{}").toString("base64") };
  await world.put(
    coreObject("Secret", "edge", { labels: { "rollcall.dev/token": "edge" } }, { data: values }),
    "rollcall-hub",
  );
  let seconds = names.length;
  for (const clusterName of names) {
    const request = registrationOf(makeAgent(), { tokenName: "edge", proofKey, clientID: clusterName, clusterName });
    // The first of these names is the newest one.
    world.setNow(startMs + 1000 * seconds--);
    const metadata = { ...request.metadata, finalizers: ["x/y"] };
    await world.put({ ...request, metadata, ...(status ? { status } : {}) }, "agent");
    if (isDeleted) await world.hub.api.delete(refOf(resourceTypes.clusterRegistration, request));
  }
  return world;
}

describe("pendingProposals", () => {
  it("proposes each request that waits for a file, oldest first", async () => {
    const { ports } = await openRequests(["eu-2", "eu-1"]);
    const proposals = pendingProposals(ports, "rollcall.fleet");
    expect(proposals.map(({ cluster, token }) => [cluster.metadata.name, token])).toEqual([
      ["eu-1", "edge"],
      ["eu-2", "edge"],
    ]);
    expect(ports.protocols.get("rollcall")).toBe(rollcallProtocol);
  });

  it.each<{ reason: string } & Given>([
    { reason: "a token that approves by itself", approval: "Automatic" },
    { reason: "a token of another Repository", tokenLabels: { "rollcall.dev/repository": "rollcall.other" } },
    { reason: "a token of no Repository", tokenLabels: {} },
    { reason: "a request whose name the token does not allow", clusterNames: ["us-*"] },
    { reason: "a request that is decided", status: granted },
    { reason: "a request that is being deleted", isDeleted: true },
  ])("proposes nothing of $reason", async (given) => {
    const { ports } = await openRequests(["eu-1"], given);
    expect(pendingProposals(ports, "rollcall.fleet")).toEqual([]);
  });
});
