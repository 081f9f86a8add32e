import { describe, expect, it } from "vitest";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { ResourceRegistry } from "../../../../src/embedded-hub/resources/registry.ts";
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

describe("kinds that definitions declare", () => {
  const [pods] = builtInResources().filter(({ plural, group }) => plural === "pods" && group === "");
  if (pods === undefined) throw new Error("Pods are not served");
  const thing = (group: string, version: string): ResourceDefinition => ({
    ...{ ...pods, group, version, kind: "Thing", plural: "things", isCustom: true },
  });

  it("are served in groups of their own, by name, their preferred version first", () => {
    const registry = new ResourceRegistry([pods]);
    const before = registry.version;
    registry.setCustom("things.b.org", [thing("b.org", "v1beta1"), thing("b.org", "v2"), thing("b.org", "v1")]);
    registry.setCustom("things.a.org", [thing("a.org", "v1")]);
    expect(registry.groups()).toEqual([
      { name: "", versions: ["v1"] },
      { name: "a.org", versions: ["v1"] },
      { name: "b.org", versions: ["v2", "v1", "v1beta1"] },
    ]);
    expect([registry.definitionOf("b.org", "things")?.version, registry.version - before]).toEqual(["v2", 2]);
    expect(registry.definitionOf("b.org", "things", "v1beta1")?.version).toBe("v1beta1");
    expect(registry.definitionOfKind("b.org/v1", "Thing")?.version).toBe("v1");
    expect(registry.definitions().map(({ group, version }) => `${group}/${version}`)).toEqual(
      "/v1 a.org/v1 b.org/v1beta1 b.org/v2 b.org/v1".split(" "),
    );
    registry.setCustom("things.b.org", []);
    expect([registry.groups().length, registry.definitionOf("b.org", "things")]).toEqual([2, undefined]);
  });

  it("end the watches of those who read them when they are replaced, once", () => {
    const registry = new ResourceRegistry([pods]);
    const ended: string[] = [];
    const wait = (of: ResourceDefinition, name: string) => registry.whenReplaced(of, () => ended.push(name));
    const [first, cancel] = [thing("a.org", "v1"), wait(thing("a.org", "v1"), "cancelled")];
    wait(first, "first");
    wait(thing("a.org", "v2"), "of another version");
    wait(thing("b.org", "v1"), "of another group");
    wait(pods, "of a built-in kind");
    cancel();
    registry.setCustom("things.a.org", [first]);
    registry.replaceCustom("pods.", [first]);
    expect(ended).toEqual([]);
    registry.replaceCustom("things.a.org", [first]);
    registry.replaceCustom("things.a.org", [first]);
    expect(ended).toEqual(["first", "of another version"]);
    const again = wait(first, "again");
    cancel();
    registry.replaceCustom("things.a.org", [first]);
    again();
    expect(ended.at(-1)).toBe("again");
  });
});
