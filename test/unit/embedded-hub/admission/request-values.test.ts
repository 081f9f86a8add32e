import { describe, expect, it } from "vitest";
import type { CelValue } from "../../../../src/cel/cel-value.ts";
import { compilePolicy } from "../../../../src/embedded-hub/admission/compile-policy.ts";
import { readPolicy } from "../../../../src/embedded-hub/admission/admission-policy.ts";
import type { ValueScope } from "../../../../src/embedded-hub/admission/request-values.ts";
import { requestValues } from "../../../../src/embedded-hub/admission/request-values.ts";
import type { AdmissionRequest } from "../../../../src/embedded-hub/operations/admission.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const pods = builtInResources().find(({ kind }) => kind === "Pod");
if (pods === undefined) throw new Error("Pods are not served");
const object: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "shop" } };
const namespace: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", labels: { team: "a" }, ownerReferences: [] },
};
const user = { username: "jane", uid: "7", groups: ["devs"], extra: { scope: ["x", "y"] } };
const usual: AdmissionRequest = {
  operation: "CREATE",
  definition: pods,
  namespace: "shop",
  name: "",
  user,
  object,
  isDryRun: true,
  options: { fieldManager: "kubectl", dryRun: ["All"] },
  warnings: [],
};
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } };

/** What an expression gets of a request. */
function evaluate(expression: string, request: Partial<AdmissionRequest>, more: Partial<ValueScope> = {}): CelValue {
  const header = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy" };
  const spec = { validations: [{ expression }] };
  const [validation] = compilePolicy(readPolicy({ ...header, metadata: { name: "p" }, spec })).validations;
  if (validation?.program.kind !== "program") throw new Error(`${expression} does not compile`);
  const authorizer = { authorize: () => ({ isAllowed: false, reason: "" }) };
  const scope = { matched: usual.definition, namespace, params: undefined, authorizer, ...more };
  const values = requestValues({ request: { ...usual, ...request }, ...scope });
  const outcome = validation.program.run(values, 1_000_000);
  return outcome.kind === "value" ? outcome.value : outcome.message;
}

describe("an expression of a policy", () => {
  it.each<readonly [string, Partial<AdmissionRequest>]>([
    ["request.userInfo.username == 'jane' && request.userInfo.uid == '7'", {}],
    ["request.userInfo.groups == ['devs'] && request.userInfo.extra == {'scope': ['x', 'y']}", {}],
    ["!has(request.userInfo.uid) && !has(request.userInfo.groups)", { user: { username: "a", groups: [], uid: "" } }],
    ["request.dryRun && request.options.fieldManager == 'kubectl'", {}],
    ["!request.dryRun", { isDryRun: false }],
    ["request.name == 'a' && request.namespace == 'shop' && request.operation == 'CREATE'", {}],
    ["!has(request.name)", { operation: "DELETE" }],
    ["!has(request.subResource) && !has(request.requestSubResource)", {}],
    ["request.kind.kind == 'Pod' && request.resource.resource == 'pods' && request.resource.version == 'v1'", {}],
    [
      "request.subResource == 'eviction' && request.kind.kind == 'Eviction' && request.kind.group == 'policy'",
      { subresource: "eviction", object: eviction },
    ],
    ["request.requestKind.kind == 'Eviction'", { subresource: "eviction", object: eviction }],
    ["namespaceObject.metadata.labels.team == 'a'", {}],
    ["oldObject == null && object.metadata.name == 'a'", {}],
  ])("gets of the request what %s needs", (expression, request) => {
    expect(evaluate(expression, request)).toBe(true);
  });

  it("gets the object in the version that the policy is about, and what was asked for in the other one", () => {
    const matched = { ...usual.definition, group: "example.org", version: "v2" };
    const isSeen = "object.apiVersion == 'example.org/v2' && request.kind.version == 'v2'";
    expect(evaluate(`${isSeen} && request.requestKind.version == 'v1'`, {}, { matched })).toBe(true);
    expect(
      evaluate("object.apiVersion == 'policy/v1'", { object: eviction, subresource: "eviction" }, { matched }),
    ).toBe(true);
  });

  it("gets no namespace where there is none", () => {
    expect(evaluate("namespaceObject == null", {}, { namespace: undefined })).toBe(true);
  });
});
