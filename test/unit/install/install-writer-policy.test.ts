import { describe, expect, it } from "vitest";
import { installWriterPolicy } from "../../../src/install/install-writer-policy.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { neverAborted } from "../../support/never-aborted.ts";

async function installedWith(served: Readonly<Record<string, readonly string[]>>): Promise<readonly string[]> {
  const applied: KubeObject[] = [];
  const hubApi: Pick<KubeApi, "getRaw" | "get" | "apply"> = {
    getRaw: (path) => {
      const resources = served[path.split("/").at(-1) ?? ""];
      if (resources === undefined) return Promise.resolve({ status: 404, text: "404 page not found" });
      return Promise.resolve({ status: 200, text: JSON.stringify({ resources: resources.map((name) => ({ name })) }) });
    },
    get: () => Promise.resolve(undefined),
    apply: (object) => {
      applied.push(object);
      return Promise.resolve(object);
    },
  };
  await installWriterPolicy(hubApi as KubeApi, neverAborted());
  return applied.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
}

const policies = ["validatingadmissionpolicies", "mutatingadmissionpolicies"];
const group = "admissionregistration.k8s.io";

describe("installWriterPolicy", () => {
  it.each([
    { reason: "both versions", served: { v1: policies, v1beta1: policies }, version: "v1" },
    { reason: "the beta", served: { v1: policies.slice(0, 1), v1beta1: policies }, version: "v1beta1" },
  ])("installs the policy in $version where the API server serves $reason", async ({ served, version }) => {
    expect(await installedWith(served)).toEqual([
      `${group}/${version} MutatingAdmissionPolicy`,
      `${group}/${version} MutatingAdmissionPolicyBinding`,
    ]);
  });

  it("installs nothing where the API server does not serve the kind", async () => {
    expect(await installedWith({ v1: policies.slice(0, 1) })).toEqual([]);
  });
});
