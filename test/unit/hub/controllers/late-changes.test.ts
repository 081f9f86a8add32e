import { describe, expect, it } from "vitest";
import { reconcileMember } from "../../../../src/hub/controllers/reconcile-member.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { annotationKeys, labelKeys } from "../../../../src/model/well-known.ts";
import { openMemberWorld, workspace } from "../members/member-world.ts";

const ref = { type: resourceTypes.cluster, namespace: workspace, name: "eu-1" };

/** One pass over a cluster that the hub is to install an agent in; an annotation comes while its account is made. */
async function passWith(annotations: Record<string, string>) {
  const world = await openMemberWorld();
  await world.put({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: workspace, name: "kubeconfig" },
    data: { value: Buffer.from("text").toString("base64") },
  });
  await world.addCluster("eu-1", {
    spec: { kubeConfigSecretRef: { name: "kubeconfig" } },
    labels: { [labelKeys.repository]: "rollcall.fleet" },
  });
  world.requests.length = 0;
  const apply = world.ports.hubApi.apply.bind(world.ports.hubApi);
  Object.assign(world.ports.hubApi, {
    apply: async (...[object, options]: Parameters<typeof apply>) => {
      if (object.kind === "ServiceAccount")
        await world.hub.api.mergePatch(ref, { metadata: { annotations } }, { fieldManager: "rollcall-operator" });
      return apply(object, options);
    },
  });
  const connected: string[] = [];
  const connectDownstream: typeof world.ports.connectDownstream = (kubeconfig) => {
    connected.push(kubeconfig);
    return world.ports.connectDownstream(kubeconfig);
  };
  await reconcileMember({ ...world.ports, connectDownstream }, { workspace, name: "eu-1" }, world.signal);
  return { asked: world.asked(), connected };
}

describe("reconcileMember, of a cluster that is changed while its account is made", () => {
  it("issues a credential to it, and installs its agent, where nothing speaks against that", async () => {
    const { asked, connected } = await passWith({ note: "x" });
    expect(asked.filter((request) => request.startsWith("token"))).toHaveLength(1);
    expect(connected).toEqual(["text"]);
  });

  it.each<{ reason: string; annotations: Record<string, string> }>([
    { reason: "it is revoked", annotations: { [annotationKeys.revoked]: "-/eve/2027-01-15T08:00:00Z" } },
    { reason: "its file is deleted", annotations: { [annotationKeys.leave]: "abc" } },
  ])("issues no credential, and installs no agent, when $reason", async ({ annotations }) => {
    const { asked, connected } = await passWith(annotations);
    expect(asked.some((request) => request.startsWith("apply ServiceAccount"))).toBe(true);
    expect(asked.filter((request) => request.startsWith("token"))).toEqual([]);
    expect(connected).toEqual([]);
  });
});
