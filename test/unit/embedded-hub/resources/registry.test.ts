import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { namesOf, startHubWorld } from "../controllers/hub-world.ts";

const group = "rbac.authorization.k8s.io";

function definitionOf(plural: string, kind: string, version = "v1"): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, annotations: { "api-approved.kubernetes.io": "unapproved, a trial" } },
    spec: {
      group,
      scope: "Cluster",
      names: { plural, kind },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
}

describe("a CRD with the name of a built-in kind", () => {
  it.each([
    ["of its version", definitionOf("clusterroles", "ClusterRole")],
    ["of another version", definitionOf("clusterroles", "Other", "v2")],
    ["of its kind alone", definitionOf("others", "ClusterRole")],
  ])("A242 takes no object of it, neither while it is there nor when it is deleted: %s", async (_, crd) => {
    const world = await startHubWorld();
    const roles = [...namesOf(world.list("clusterroles")), "mine"].sort();
    const { name } = crd.metadata;
    const isEnded = async (isMet: () => boolean): Promise<void> => {
      while (!isMet()) await world.clock.advance(250);
    };
    await world.create(crd);
    await isEnded(() => JSON.stringify(world.get("customresourcedefinitions", name)).includes("InitialNamesAccepted"));
    await world.create({ apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name: "mine" }, rules: [] });
    expect(namesOf(world.list("clusterroles"))).toEqual(roles);
    await world.remove("customresourcedefinitions", name);
    await isEnded(() => world.get("customresourcedefinitions", name) === undefined);
    expect(namesOf(world.list("clusterroles"))).toEqual(roles);
  });
});
