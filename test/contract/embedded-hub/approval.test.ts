import { expect, it, onTestFinished } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { until } from "../../support/until.ts";
import { startTestHub } from "./hub-client.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const annotation = "api-approved.kubernetes.io";

it("a definition in a group of Kubernetes reports whether its API was approved, and follows the annotation", async () => {
  const { call, stop } = await startTestHub();
  onTestFinished(stop);
  const approval = async () => {
    const { json } = await call({ path: `${crds}/approved.x.k8s.io` });
    const conditions = objectsAt(json, "status", "conditions");
    return conditions.find((one) => textAt(one, "type") === "KubernetesAPIApprovalPolicyConformant");
  };
  const created = await call({
    method: "POST",
    path: crds,
    body: {
      metadata: {
        name: "approved.x.k8s.io",
        annotations: { [annotation]: "https://github.com/kubernetes/kubernetes/pull/1" },
      },
      spec: {
        group: "x.k8s.io",
        scope: "Namespaced",
        names: { plural: "approved", kind: "Approved" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
  });
  expect(created.statusCode).toBe(201);
  expect(await until(approval, (found) => found !== undefined)).toMatchObject({
    status: "True",
    reason: "ApprovedAnnotation",
    message: "approved in https://github.com/kubernetes/kubernetes/pull/1",
  });
  await call({
    method: "PATCH",
    path: `${crds}/approved.x.k8s.io`,
    headers: { "content-type": "application/merge-patch+json" },
    body: { metadata: { annotations: { [annotation]: "unapproved, a trial" } } },
  });
  expect(await until(approval, (found) => textAt(found, "status") === "False")).toMatchObject({
    reason: "UnapprovedAnnotation",
    message: 'not approved: "unapproved, a trial"',
  });
});
