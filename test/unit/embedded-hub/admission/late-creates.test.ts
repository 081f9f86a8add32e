import { describe, expect, it } from "vitest";
import { createAdmission } from "../../../../src/embedded-hub/admission/admission.ts";
import { createRbacAuthorizer } from "../../../../src/embedded-hub/auth/rbac-authorizer.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realRandom } from "../../../support/real-time.ts";
import { administrator, configMap, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";
import type { MemoryHub } from "../verbs/memory-hub.ts";
import { startMemoryHub } from "../verbs/memory-hub.ts";

const context = contextOf(administrator);
const shop: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };

/** A hub whose admission lets time pass, after it let a write through and before that is stored: another one does its deed. */
async function startSlowHub(deed: (hub: MemoryHub) => Promise<unknown>, crds: readonly KubeObject[] = []) {
  const authorizer = createRbacAuthorizer();
  const ruled = createAdmission({
    operations: () => hub.operations,
    authorizer,
    clock: createManualClock(),
    random: realRandom,
  });
  const charge = async ({ definition }: { readonly definition: { readonly plural: string } }): Promise<undefined> => {
    if (definition.plural !== "namespaces") await deed(hub);
  };
  const hub: MemoryHub = await startMemoryHub(crds, { ...ruled, charge });
  await hub.operations.create(context, { definition: hub.definitionOf("v1", "Namespace") }, shop);
  return hub;
}

function beginEnd({ operations, definitionOf }: MemoryHub): Promise<{ readonly object: KubeObject }> {
  return operations.delete(context, { definition: definitionOf("v1", "Namespace"), name: "shop" }, {});
}

async function end(hub: MemoryHub): Promise<void> {
  const { object } = await beginEnd(hub);
  const target = { definition: hub.definitionOf("v1", "Namespace"), name: "shop", subresource: "finalize" };
  await hub.operations.update(context, target, { ...object, spec: {} });
}

describe("a create that was admitted before its namespace ended", () => {
  it.each([
    [
      "is being deleted",
      beginEnd,
      'configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated',
    ],
    ["was deleted", end, 'namespaces "shop" not found'],
  ])("A271 leaves nothing behind when the namespace %s meanwhile", async (_, deed, refusal) => {
    const hub = await startSlowHub(deed);
    const definition = hub.definitionOf("v1", "ConfigMap");
    const target = { definition, namespace: "shop" };
    expect(await refusalOf(hub.operations.create(context, target, configMap("a")))).toBe(refusal);
    expect(hub.operations.list({ definition }).items).toEqual([]);
  });

  it("A271 leaves nothing for those who get the name later, however many come at once", async () => {
    const world = await startHubWorld();
    await world.create({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "all", namespace: "shop" },
      spec: { hard: { configmaps: "1000" } },
    });
    await world.settle();
    const sent = Array.from({ length: 200 }, (_, index) => refusalOf(world.create(configMap(`late-${index}`))));
    await world.remove("namespaces", "shop");
    await Promise.all(sent);
    await world.settle();
    expect([world.get("namespaces", "shop"), world.list("configmaps")]).toEqual([undefined, []]);
  });
});

describe("a create of a custom kind that was admitted before its definition ended", () => {
  const widgets = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.org" },
    spec: {
      group: "example.org",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
  const status = { conditions: [{ type: "Terminating", status: "True" }] };

  it.each<readonly [string, (hub: MemoryHub) => void, string]>([
    ["is being deleted", ({ serve }) => serve({ ...widgets, status }), "custom resource definition is terminating"],
    [
      "was deleted",
      ({ registry }) => registry.replaceCustom(widgets.metadata.name, []),
      "the server could not find the requested resource",
    ],
  ])("A271 leaves nothing behind when the definition %s meanwhile", async (_, deed, refusal) => {
    const hub = await startSlowHub(async (slow) => deed(slow), [widgets]);
    const target = { definition: hub.definitionOf("example.org/v1", "Widget"), namespace: "shop" };
    const object = { apiVersion: "example.org/v1", kind: "Widget", metadata: { name: "a", namespace: "shop" } };
    expect(await refusalOf(hub.operations.create(context, target, object))).toContain(refusal);
    expect(hub.store.list("/example.org/").items).toEqual([]);
  });
});
