import { describe, expect, it } from "vitest";
import { objectsAt, textsAt } from "../../../src/core/read-json.ts";
import { installerObjects } from "../../../src/install/installer-objects.ts";
import { clusterRights, namespaceRights } from "../../../src/join/rollcall/manifests/agent-rights.ts";
import { renderManifest } from "../../../src/join/rollcall/manifests/agent-manifest.ts";
import { resourceTypeOf } from "../../../src/model/resource-types.ts";

const objects = installerObjects("agents");
const rulesOf = (kind: string) =>
  objectsAt(
    objects.find((object) => object.kind === kind),
    "rules",
  );

describe("the account that installs an agent in a cluster", () => {
  it("comes with both namespaces, its rights and its token, in the order in which they can be made", () => {
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? "-"}/${metadata.name}`)).toEqual([
      "Namespace -/rollcall-installer",
      "Namespace -/agents",
      "ServiceAccount rollcall-installer/rollcall-installer",
      "ClusterRole -/rollcall-installer.agents",
      "ClusterRoleBinding -/rollcall-installer.agents",
      "Role agents/rollcall-installer",
      "RoleBinding agents/rollcall-installer",
      "Secret rollcall-installer/rollcall-installer",
    ]);
  });

  it("may write each object of an installation by its name alone, where the object is", () => {
    const { objects: made } = renderManifest({ namespace: "agents", image: "any", settings: {}, deadlineSeconds: 1 });
    const installing = (kind: string) =>
      rulesOf(kind)
        .filter((rule) => textsAt(rule, "verbs").join() === "get,create,patch,delete")
        .map((rule) => [...textsAt(rule, "resources"), ...textsAt(rule, "resourceNames")].join(" "));
    const expected = (isNamespaced: boolean) =>
      made.flatMap((object) => {
        const type = resourceTypeOf(object);
        return type?.isNamespaced === isNamespaced ? [`${type.plural} ${object.metadata.name}`] : [];
      });
    expect(installing("ClusterRole")).toEqual(expected(false));
    expect(installing("Role")).toEqual([...expected(true), "secrets rollcall-agent-values"]);
  });

  it("holds the agent's own rights, which it could not give otherwise, without what they are for", () => {
    const plain = (rules: readonly { readonly why: string }[]) => rules.map(({ why: _, ...rule }) => rule);
    expect(rulesOf("ClusterRole")).toEqual(expect.arrayContaining(plain(clusterRights("agents"))));
    expect(rulesOf("Role")).toEqual(expect.arrayContaining(plain(namespaceRights())));
    expect(JSON.stringify(objects)).not.toContain('"why"');
  });
});
