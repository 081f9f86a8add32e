import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const definition = {
  metadata: { name: "things.a.io" },
  spec: {
    group: "a.io",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
  },
};

describe("a body that kube-apiserver refuses", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startTestHub();
    await hub.call({ method: "POST", path: configMaps, body: { metadata: { name: "a" } } });
    await hub.call({
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      body: definition,
    });
    const path = "/apis/a.io/v1/namespaces/default/things";
    const body = { apiVersion: "a.io/v1", kind: "Thing", metadata: { name: "a" } };
    await until(
      async () => (await hub.call({ method: "POST", path, body })).statusCode,
      (code) => code === 201,
    );
  });
  afterAll(() => hub.stop());

  it.each([
    ["/apis/authentication.k8s.io/v1/tokenreviews", "TokenReview"],
    ["/apis/authorization.k8s.io/v1/subjectaccessreviews", "SubjectAccessReview"],
    ["/api/v1/namespaces/default/configmaps", "ConfigMap"],
  ])("is refused by %s: metadata that is a text", async (path, kind) => {
    const { statusCode, json } = await hub.call({ method: "POST", path, body: { metadata: "a" } });
    expect({ statusCode, message: json["message"] }).toEqual({
      statusCode: 400,
      message: `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal string into Go struct field ${kind}.metadata of type v1.ObjectMeta`,
    });
  });

  it.each([
    ["a number", 7, "number"],
    ["an object", { a: "b" }, "object"],
    ["a list", ["x"], "array"],
    ["a truth value", true, "bool"],
  ])("A58 is refused with 422 when a patch makes its apiVersion or its kind %s", async (_name, value, type) => {
    const things = "/apis/a.io/v1/namespaces/default/things";
    for (const path of [`${configMaps}/a`, `${things}/a`])
      for (const field of ["apiVersion", "kind"]) {
        const merge = { body: { [field]: value }, headers: { "content-type": "application/merge-patch+json" } };
        const operations = [{ op: "replace", path: `/${field}`, value }];
        const json = { body: operations, headers: { "content-type": "application/json-patch+json" } };
        for (const patch of [merge, json]) {
          const { statusCode, text } = await hub.call({ method: "PATCH", path, ...patch });
          expect(statusCode, path).toBe(422);
          // As kube-apiserver 1.34 has it.
          expect(text).toContain(
            `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${field} of type string`,
          );
        }
      }
  });

  it("is refused when it is applied: metadata that is a list", async () => {
    const { statusCode } = await hub.call({
      method: "PATCH",
      path: "/api/v1/namespaces/default/configmaps/a?fieldManager=test",
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: [] },
    });
    expect(statusCode).toBe(500);
  });

  it("is refused: an admission policy with an empty reason", async () => {
    const { statusCode, text } = await hub.call({
      method: "POST",
      path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
      body: {
        metadata: { name: "a" },
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
          },
          validations: [{ expression: "true", reason: "" }],
        },
      },
    });
    expect(statusCode).toBe(422);
    expect(text).toContain("spec.validations[0].reason: Unsupported value");
  });
});
