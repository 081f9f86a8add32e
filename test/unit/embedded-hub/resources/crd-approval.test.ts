import { expect, it } from "vitest";
import { approvalOf } from "../../../../src/embedded-hub/resources/crd-approval.ts";

function crd(group: string, approval?: string) {
  const annotations: Record<string, string> = approval === undefined ? {} : { "api-approved.kubernetes.io": approval };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `a.${group}`, annotations },
    spec: { group },
  };
}

it.each([
  ["example.org", undefined, undefined],
  ["notk8s.io", undefined, undefined],
  ["k8s.io", undefined, ["False", "MissingAnnotation"]],
  ["x.kubernetes.io", "abc", ["False", "InvalidAnnotation"]],
  ["k8s.io", "", ["False", "MissingAnnotation"]],
  ["x.k8s.io", "mailto:a@example.org", ["False", "InvalidAnnotation"]],
  ["x.k8s.io", "file:///a", ["False", "InvalidAnnotation"]],
  ["x.k8s.io", "unapproved, testing", ["False", "UnapprovedAnnotation", 'not approved: "unapproved, testing"']],
  ["x.k8s.io", "https://example.org/1", ["True", "ApprovedAnnotation", "approved in https://example.org/1"]],
])("approvalOf: %s with the annotation %s", (group, approval, wanted) => {
  const found = approvalOf(crd(group, approval));
  expect(found && [found.status, found.reason, found.message].slice(0, wanted?.length)).toEqual(wanted);
});
