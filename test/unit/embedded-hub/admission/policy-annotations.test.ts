import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { administrator, configMap, contextOf, refusalOf, startHubWorld } from "../controllers/hub-world.ts";
import type { HubWorld } from "../controllers/hub-world.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };
const matchConstraints = { resourceRules: [rule] };

async function startWith(spec: JsonObject, action: string): Promise<HubWorld> {
  const world = await startHubWorld();
  const kind = "ValidatingAdmissionPolicy";
  await world.create({ apiVersion, kind, metadata: { name: "p" }, spec: { matchConstraints, ...spec } });
  const bound = { policyName: "p", validationActions: [action] };
  await world.create({ apiVersion, kind: `${kind}Binding`, metadata: { name: "b" }, spec: bound });
  return world;
}

/** What a write adds to its audit event, and why a policy denies it. */
async function audited({ operations }: HubWorld) {
  const annotations: Record<string, string> = {};
  const annotate = (key: string, value: string): void => void Object.assign(annotations, { [key]: value });
  const definition = operations.definitionOf("", "configmaps");
  if (definition === undefined) throw new Error("ConfigMaps are not served");
  const context = { ...contextOf(administrator), annotate };
  const object = { ...configMap("a"), data: { a: "" } };
  const refusal = await refusalOf(operations.create(context, { definition, namespace: "shop" }, object));
  return { annotations, denied: refusal?.replace(/^.* denied request: /u, "") };
}

describe("the audit event of a write that a policy is about", () => {
  it("has the first failure of a binding that asks for it, and values of its own", async () => {
    const auditAnnotations = [
      { key: "by", valueExpression: "' by ' + request.userInfo.username" },
      { key: "none", valueExpression: "null" },
      { key: "blank", valueExpression: "' '" },
    ];
    const validations = [{ expression: "true" }, { expression: "false", message: "<one>" }, { expression: "false" }];
    const world = await startWith({ validations, auditAnnotations }, "Audit");
    expect(await audited(world)).toEqual({
      annotations: {
        "p/by": "by admin",
        "validation.policy.admission.k8s.io/validation_failure":
          '[{"message":"\\u003cone\\u003e","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Audit"]}]',
      },
      denied: undefined,
    });
  });

  it.each(["Deny", "Warn", "Audit"])(
    "lacks a value that cannot be computed, and the write is denied, also with the action %s",
    async (action) => {
      const auditAnnotations = [
        { key: "bad", valueExpression: "string(object.data.missing)" },
        { key: "good", valueExpression: "'v'" },
      ];
      const world = await startWith({ auditAnnotations }, action);
      const fault = "expression 'string(object.data.missing)' resulted in error: no such key: missing";
      const annotations = { "p/good": "v" };
      expect(await audited(world)).toEqual({ annotations, denied: fault });
      await world.change("validatingadmissionpolicies", "p", (object) => ({
        ...object,
        spec: { matchConstraints, auditAnnotations, failurePolicy: "Ignore" },
      }));
      expect(await audited(world)).toEqual({ annotations, denied: undefined });
    },
  );
});
