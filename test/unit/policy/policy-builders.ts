import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { Policy, PolicyRule, PolicyScope } from "../../../src/model/generated/policy.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { PolicySubject } from "../../../src/policy/policy-subject.ts";

/** One of the policies in examples/. */
export function examplePolicy(name: string): Declared<Policy> {
  const file = `policies/${name}.yaml`;
  const text = readFileSync(join(import.meta.dirname, "examples", `${name}.yaml`), "utf8");
  return { object: parse(text) as Policy, position: { file, line: 1, column: 1 }, blobId: "1" };
}

export function policyOf(
  rule: string | Partial<PolicyRule>,
  { scope, namespace }: { readonly scope?: PolicyScope; readonly namespace?: string } = {},
): Declared<Policy> {
  const partial = typeof rule === "string" ? { expression: rule } : rule;
  const object: Policy = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Policy",
    metadata: { name: "house", ...(namespace === undefined ? {} : { namespace }) },
    spec: { ...(scope === undefined ? {} : { scope }), rules: [{ expression: "true", message: "no", ...partial }] },
  };
  return { object, position: { file: "policies/house.yaml", line: 3, column: 1 }, blobId: "1" };
}

export function clusterOf(name: string, labels?: Record<string, string>): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: "fleet", ...(labels === undefined ? {} : { labels }) },
  };
}

export function tokenOf(name: string, spec: Record<string, unknown>): KubeObject {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name, namespace: "fleet" },
    spec,
  };
}

export function subjectOf(object: KubeObject, more: Partial<PolicySubject> = {}): PolicySubject {
  const file = `clusters/${object.metadata.name}.yaml`;
  return { object, position: { file, line: 1, column: 1 }, ...more };
}
