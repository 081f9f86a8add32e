import { describe, expect, it } from "vitest";
import { checkRoleEscalation } from "../../../../src/embedded-hub/admission/role-escalation.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { AdmissionRequest } from "../../../../src/embedded-hub/operations/admission.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { authorizerWith, binding, role, user } from "../auth/auth-builders.ts";

const definitions = new Map(builtInResources().map((definition) => [definition.kind, definition]));
const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
/** Rights on roles of one name. */
const named = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], resourceNames: ["a"] };
const authorizer = authorizerWith(
  role({ name: "reader", rules: [secrets] }),
  role({ name: "viewer", rules: [pods, { ...named, verbs: ["escalate"] }] }),
  binding("viewers", "ClusterRole/viewer", ["User/anna"]),
);

function isRefused(object: KubeObject, request: Partial<AdmissionRequest> = {}): boolean {
  const definition = definitions.get(object.kind);
  if (definition === undefined) throw new Error(`${object.kind} is not served`);
  const options = { isDryRun: false, options: {}, warnings: [], user: user("anna", "system:authenticated") };
  const whole = { operation: "CREATE" as const, definition, name: object.metadata.name, object, ...request };
  try {
    checkRoleEscalation({ ...options, ...whole }, authorizer);
    return false;
  } catch (error) {
    if (isApiFailure(error)) return error.status.code === 403;
    throw error;
  }
}

describe("a write of a role or a binding", () => {
  const held = role({ name: "b", namespace: "shop", rules: [pods] });
  const more = role({ name: "b", namespace: "shop", rules: [pods, secrets] });

  it("is refused where it grants what its author does not hold", () => {
    expect(isRefused(held)).toBe(false);
    expect(isRefused(more)).toBe(true);
    expect(isRefused(more, { operation: "UPDATE", oldObject: held })).toBe(true);
    expect(isRefused(binding("readers", "ClusterRole/reader", ["User/anna"]))).toBe(true);
  });

  it("is refused for nothing that the role granted before, nor when the role is deleted", () => {
    expect(isRefused(more, { operation: "UPDATE", oldObject: more })).toBe(false);
    expect(isRefused(more, { operation: "DELETE", oldObject: more })).toBe(false);
    expect(isRefused(more, { operation: "UPDATE", object: undefined })).toBe(false);
  });

  it("is allowed by a right on the role's name, unless it creates the role", () => {
    const own = role({ name: "a", namespace: "shop", rules: [secrets] });
    expect(isRefused(own, { operation: "UPDATE", oldObject: { ...own, rules: [] } })).toBe(false);
    expect(isRefused(own)).toBe(true);
  });

  it("is another matter than one of another kind", () => {
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, rules: [secrets] };
    expect(isRefused(configMap)).toBe(false);
  });
});
