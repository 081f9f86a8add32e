import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { HubWorld } from "../controllers/hub-world.ts";
import { administrator, configMap, contextOf, startHubWorld } from "../controllers/hub-world.ts";

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

function configuration(changes: JsonObject = {}, name = "guard"): KubeObject {
  const webhook = {
    name: "a.example.org",
    clientConfig: { service: { namespace: "shop", name: "guard" } },
    rules: [rule],
    failurePolicy: "Fail",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...changes,
  };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [webhook],
  };
}

/** The warnings of a create. */
async function warningsOf({ operations }: HubWorld, object: KubeObject): Promise<readonly string[]> {
  const context = contextOf(administrator);
  const definition = operations.definitionOfKind(object.apiVersion, object.kind);
  if (definition === undefined) throw new Error(`${object.kind} is not served`);
  const { namespace } = object.metadata;
  await operations.create(context, { definition, ...(namespace ? { namespace } : {}) }, object);
  return context.warnings;
}

describe("a webhook configuration", () => {
  it("is stored with its defaults, and warns that it is not in force", async () => {
    const world = await startHubWorld();
    expect(await warningsOf(world, configuration())).toEqual([
      'ValidatingWebhookConfiguration "guard" is stored but not in force: this hub calls no admission webhooks; ' +
        "use a ValidatingAdmissionPolicy to refuse requests",
    ]);
    expect(world.get("validatingwebhookconfigurations", "guard")).toMatchObject({
      metadata: { generation: 1 },
      webhooks: [{ matchPolicy: "Equivalent", timeoutSeconds: 10, clientConfig: { service: { port: 443 } } }],
    });
  });

  it("returns no warning without webhooks", async () => {
    expect(await warningsOf(await startHubWorld(), { ...configuration(), webhooks: [] })).toEqual([]);
  });
});

describe("a write that a webhook selects", () => {
  it("is accepted with a warning that no webhook saw it", async () => {
    const world = await startHubWorld();
    await world.create(configuration());
    const text = (which: string) =>
      `admission webhook ${which} did not see this request: this hub calls no admission webhooks`;
    const first = '"a.example.org" of ValidatingWebhookConfiguration "guard"';
    expect(await warningsOf(world, configMap("a"))).toEqual([text(first)]);
    await world.create(configuration({}, "second"));
    expect(await warningsOf(world, configMap("b"))).toEqual([text(`${first} and 1 more`)]);
  });

  it.each([
    ["ignores failures", { failurePolicy: "Ignore" }],
    ["has no rules", { rules: [] }],
    ["selects another operation", { rules: [{ ...rule, operations: ["DELETE"] }] }],
    ["selects other namespaces", { namespaceSelector: { matchLabels: { none: "such" } } }],
  ])("has no warning when the webhook %s", async (_, changes: JsonObject) => {
    const world = await startHubWorld();
    await world.create(configuration(changes));
    expect(await warningsOf(world, configMap("a"))).toEqual([]);
  });
});
