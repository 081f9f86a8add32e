import { expect, it } from "vitest";
import { demoIdentity, endDemoLeases } from "../../../src/demo/up-prepare-hub.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { describeRef } from "../../../src/model/kubernetes.ts";

it("ends the Leases of a demo that was killed, and none of another process", async () => {
  const holders: Readonly<Record<string, string | undefined>> = {
    "rollcall-hub": demoIdentity(),
    "rollcall-repository": "uninstall-1234",
  };
  const deleted: string[] = [];
  const hubApi: Pick<KubeApi, "get" | "delete"> = {
    get: async ({ name }) => {
      const holderIdentity = holders[name];
      const spec = holderIdentity === undefined ? {} : { holderIdentity };
      return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec };
    },
    delete: async (ref) => void deleted.push(describeRef(ref)),
  };
  await endDemoLeases(hubApi as KubeApi, "rollcall-system", new AbortController().signal);
  expect(deleted).toEqual(["Lease/rollcall-system/rollcall-hub"]);
});

it("names each process that runs a demo", () => {
  expect(demoIdentity()).not.toBe(demoIdentity());
});
