import { describe, expect, it } from "vitest";
import { installBesideFleet } from "../../../src/install/install-fleet.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

/** A hub that has these resources of admission policies and no object. */
function hubWith(resources: readonly string[]) {
  const applied: string[] = [];
  const hubApi = {
    getRaw: () =>
      Promise.resolve({ status: 200, text: JSON.stringify({ resources: resources.map((name) => ({ name })) }) }),
    get: () => Promise.resolve(undefined),
    apply: (object: KubeObject) => {
      applied.push(`${object.kind}/${object.metadata.name}`);
      return Promise.resolve(object);
    },
  } as unknown as KubeApi;
  return { hubApi, applied };
}

describe("installBesideFleet", () => {
  const { signal } = new AbortController();

  it("makes one policy and its binding", async () => {
    const { hubApi, applied } = hubWith(["validatingadmissionpolicies"]);
    await installBesideFleet(hubApi, signal);
    expect(applied).toEqual([
      "ValidatingAdmissionPolicy/rollcall-fleet-clusters",
      "ValidatingAdmissionPolicyBinding/rollcall-fleet-clusters",
    ]);
  });

  it("makes nothing on a hub without such policies, which is served without them", async () => {
    const { hubApi, applied } = hubWith([]);
    await installBesideFleet(hubApi, signal);
    expect(applied).toEqual([]);
  });
});
