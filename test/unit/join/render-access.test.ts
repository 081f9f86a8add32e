import { describe, expect, it } from "vitest";
import { renderAccount, renderBinding, renderRole } from "../../../src/join/render-access.ts";

const place = { name: "edge", namespace: "fleet", labels: { a: "b" } };
const subject = { kind: "ServiceAccount", name: "edge", namespace: "fleet" } as const;
const rbac = "rbac.authorization.k8s.io";

describe("renderAccount", () => {
  it("is an account that no Pod gets a token of, and the Secret that gets its token", () => {
    expect(renderAccount(place)).toStrictEqual([
      { apiVersion: "v1", kind: "ServiceAccount", metadata: place, automountServiceAccountToken: false },
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { ...place, name: "edge-token", annotations: { "kubernetes.io/service-account.name": "edge" } },
        type: "kubernetes.io/service-account-token",
      },
    ]);
  });

  it("has its annotations at both", () => {
    const [account, secret] = renderAccount({ ...place, annotations: { c: "d" } });
    expect(account?.metadata.annotations).toEqual({ c: "d" });
    expect(secret?.metadata.annotations).toEqual({ c: "d", "kubernetes.io/service-account.name": "edge" });
  });
});

describe("renderRole", () => {
  it("is a Role and its binding of the same name", () => {
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }];
    expect(renderRole(place, rules, subject)).toStrictEqual([
      { apiVersion: `${rbac}/v1`, kind: "Role", metadata: place, rules },
      {
        apiVersion: `${rbac}/v1`,
        kind: "RoleBinding",
        metadata: place,
        roleRef: { apiGroup: rbac, kind: "Role", name: "edge" },
        subjects: [subject],
      },
    ]);
  });
});

describe("renderBinding", () => {
  it("is for the whole hub where it names no namespace", () => {
    const { namespace: _left, ...wide } = place;
    const role = { kind: "ClusterRole", name: "view" } as const;
    const binding = renderBinding(wide, role, subject);
    expect(binding.kind).toBe("ClusterRoleBinding");
    expect(binding.metadata).toStrictEqual(wide);
    expect(renderBinding(place, role, subject).kind).toBe("RoleBinding");
  });
});
