import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestHub } from "./hub-client.ts";
import { startTestHub } from "./hub-client.ts";

describe("a body that kube-apiserver refuses", () => {
  let hub: TestHub;
  beforeAll(async () => void (hub = await startTestHub()));
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
