import { describe, expect, it } from "vitest";
import {
  validateClusterRoleBinding,
  validateRoleBinding,
} from "../../../../src/embedded-hub/validation/validate-rbac.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { changed, textsOf } from "./validation-builders.ts";
import type { Change } from "./validation-builders.ts";

const binding: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "a" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "u" }],
};

// The answers of kube-apiserver 1.34.4.

describe("a RoleBinding", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    { changes: [], expected: [] },
    { changes: [["roleRef.name", "a/b"]], expected: ["roleRef.name: Invalid value: \"a/b\": may not contain '/'"] },
    { changes: [["roleRef.name", ""]], expected: ["roleRef.name: Required value"] },
    { changes: [["roleRef.kind", "Role"]], expected: [] },
    {
      changes: [["roleRef.kind", ""]],
      expected: ['roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"'],
    },
    {
      changes: [["subjects", [{ kind: "ServiceAccount", name: "A_", namespace: "n" }]]],
      expected: [
        "subjects[0].name: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    {
      changes: [["subjects", [{ kind: "ServiceAccount", name: "", namespace: "n" }]]],
      expected: ["subjects[0].name: Required value"],
    },
    { changes: [["subjects", [{ kind: "ServiceAccount", name: "s" }]]], expected: [] },
    { changes: [["subjects", [{ kind: "ServiceAccount", name: "s", namespace: "n" }]]], expected: [] },
    {
      changes: [["subjects", [{ kind: "Group", name: "", apiGroup: "odd" }]]],
      expected: [
        "subjects[0].name: Required value",
        'subjects[0].apiGroup: Unsupported value: "odd": supported values: "rbac.authorization.k8s.io"',
      ],
    },
    {
      changes: [["subjects", [{ kind: "", name: "g" }]]],
      expected: ['subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"'],
    },
    {
      changes: [["subjects", [{ kind: "user", name: "g" }]]],
      expected: ['subjects[0].kind: Unsupported value: "user": supported values: "ServiceAccount", "User", "Group"'],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validateRoleBinding(changed(binding, ...changes), undefined))).toEqual(expected);
  });
});

describe("a ClusterRoleBinding", () => {
  it.each<{ changes: readonly Change[]; expected: readonly string[] }>([
    { changes: [], expected: [] },
    { changes: [["roleRef.name", "a/b"]], expected: ["roleRef.name: Invalid value: \"a/b\": may not contain '/'"] },
    { changes: [["roleRef.name", ""]], expected: ["roleRef.name: Required value"] },
    {
      changes: [["roleRef.kind", "Role"]],
      expected: ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    },
    {
      changes: [["roleRef.kind", ""]],
      expected: ['roleRef.kind: Unsupported value: "": supported values: "ClusterRole"'],
    },
    {
      changes: [["subjects", [{ kind: "ServiceAccount", name: "A_", namespace: "n" }]]],
      expected: [
        "subjects[0].name: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    },
    {
      changes: [["subjects", [{ kind: "ServiceAccount", name: "", namespace: "n" }]]],
      expected: ["subjects[0].name: Required value"],
    },
    {
      changes: [["subjects", [{ kind: "ServiceAccount", name: "s" }]]],
      expected: ["subjects[0].namespace: Required value"],
    },
    { changes: [["subjects", [{ kind: "ServiceAccount", name: "s", namespace: "n" }]]], expected: [] },
    {
      changes: [["subjects", [{ kind: "Group", name: "", apiGroup: "odd" }]]],
      expected: [
        "subjects[0].name: Required value",
        'subjects[0].apiGroup: Unsupported value: "odd": supported values: "rbac.authorization.k8s.io"',
      ],
    },
    {
      changes: [["subjects", [{ kind: "", name: "g" }]]],
      expected: ['subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"'],
    },
    {
      changes: [["subjects", [{ kind: "user", name: "g" }]]],
      expected: ['subjects[0].kind: Unsupported value: "user": supported values: "ServiceAccount", "User", "Group"'],
    },
  ])("has $expected with $changes", ({ changes, expected }) => {
    expect(textsOf(validateClusterRoleBinding(changed(binding, ...changes), undefined))).toEqual(expected);
  });
});
