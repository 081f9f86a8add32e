import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { FieldError } from "../../../../src/embedded-hub/schema/schema.ts";
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
} from "../../../../src/embedded-hub/validation/validate-rbac.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const group = "rbac.authorization.k8s.io";

function made(kind: string, content: JsonObject): KubeObject {
  return { apiVersion: `${group}/v1`, kind, metadata: { name: "a" }, ...content };
}

function binding(roleRef: JsonObject, subjects: readonly JsonObject[] = []): KubeObject {
  return made("RoleBinding", {
    roleRef: { apiGroup: group, kind: "Role", name: "r", ...roleRef },
    subjects: [...subjects],
  });
}

function textsOf(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

describe("rules", () => {
  it("name verbs, groups and resources, or paths", () => {
    const rules = [{}, { verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
    expect(textsOf(validateRole(made("Role", { rules })))).toEqual([
      "rules[0].verbs: Required value: verbs must contain at least one value",
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
    ]);
    const paths = [{ verbs: ["get"], nonResourceURLs: ["/x"] }];
    expect(validateClusterRole(made("ClusterRole", { rules: paths }))).toEqual([]);
    expect(textsOf(validateRole(made("Role", { rules: paths })))).toEqual([
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ]);
    const mixed = [{ verbs: ["get"], nonResourceURLs: ["/x"], resources: ["pods"] }];
    expect(textsOf(validateClusterRole(made("ClusterRole", { rules: mixed })))).toEqual([
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ]);
  });

  it("are put together by selectors that can select", () => {
    const aggregated = (selectors: readonly JsonObject[]) =>
      textsOf(validateClusterRole(made("ClusterRole", { aggregationRule: { clusterRoleSelectors: [...selectors] } })));
    expect(aggregated([{ matchLabels: { a: "b" } }])).toEqual([]);
    expect(aggregated([])).toEqual([
      "aggregationRule.clusterRoleSelectors: Required value: " +
        "at least one clusterRoleSelector required if aggregationRule is non-nil",
    ]);
    expect(aggregated([{ matchExpressions: [{ key: "a", operator: "In" }] }])).toEqual([
      "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: " +
        "must be specified when `operator` is 'In' or 'NotIn'",
      "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.",
    ]);
  });
});

describe("bindings", () => {
  it("keep the role that they are for", () => {
    expect(validateRoleBinding(binding({}, [{ kind: "User", name: "u", apiGroup: group }]), binding({}))).toEqual([]);
    expect(textsOf(validateRoleBinding(binding({ name: "other" }), binding({})))).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
    ]);
  });

  it("refer to a role that their scope allows", () => {
    expect(textsOf(validateClusterRoleBinding(binding({ apiGroup: "x", name: "" }), undefined))).toEqual([
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      "roleRef.name: Required value",
    ]);
  });

  it("name subjects that exist as a kind", () => {
    const subjects = [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", name: "s", apiGroup: "x" },
      { kind: "Robot", name: "" },
    ];
    expect(textsOf(validateClusterRoleBinding(binding({ kind: "ClusterRole" }, subjects), undefined))).toEqual([
      'subjects[0].apiGroup: Unsupported value: "": supported values: "rbac.authorization.k8s.io"',
      'subjects[1].apiGroup: Unsupported value: "x": supported values: ""',
      "subjects[1].namespace: Required value",
      "subjects[2].name: Required value",
      'subjects[2].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    ]);
  });
});
