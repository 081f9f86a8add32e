import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { removeFinalizers } from "../../../src/hub/remove-finalizers.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { coreObject } from "./objects.ts";

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };

function objectOf(kind: string, name: string, metadata: Partial<KubeObject["metadata"]>): KubeObject {
  const apiVersion = kind === "Lease" ? "coordination.k8s.io/v1" : "rollcall.dev/v1alpha1";
  return { ...coreObject(kind, name, metadata), apiVersion };
}

async function remove(objects: readonly KubeObject[], error?: AppError) {
  const patched: unknown[] = [];
  const patch = ({ name }: { name: string }, body: unknown) => {
    patched.push([name, body]);
    return error && name === "first" ? Promise.reject(error) : Promise.resolve(true);
  };
  await removeFinalizers({ write: { patch }, log: silentLog } as never, objects);
  return patched;
}

const cleared = (name: string) => [name, { metadata: { uid: `uid-${name}`, finalizers: null, ownerReferences: null } }];

describe("removeFinalizers", () => {
  it.each([
    { reason: "a finalizer of a report", object: objectOf("ClusterReport", "a", { finalizers: ["x/y"] }) },
    {
      reason: "an owner of a registration",
      object: objectOf("ClusterRegistration", "a", { ownerReferences: [owner] }),
    },
    {
      reason: "as many finalizers as owners",
      object: objectOf("ClusterReport", "a", { finalizers: ["x/y"], ownerReferences: [owner] }),
    },
    { reason: "a finalizer of a Lease", object: objectOf("Lease", "a", { finalizers: ["x/y"] }) },
  ])("takes away $reason, by its uid", async ({ object }) => {
    expect(await remove([object])).toEqual([cleared("a")]);
  });

  it.each([
    { reason: "an object without any", object: objectOf("ClusterReport", "a", {}) },
    { reason: "a Cluster, which no agent writes", object: objectOf("Cluster", "a", { finalizers: ["x/y"] }) },
    { reason: "a kind that is not known", object: objectOf("Strange", "a", { finalizers: ["x/y"] }) },
  ])("patches nothing of $reason", async ({ object }) => {
    expect(await remove([object])).toEqual([]);
  });

  const both = ["first", "second"].map((name) => objectOf("ClusterReport", name, { finalizers: ["x/y"] }));

  it.each(["E_KUBE_NOT_FOUND", "E_KUBE_CONFLICT"] as const)("continues with the next object after %s", async (code) => {
    expect(await remove(both, new AppError(code, "patch"))).toEqual([cleared("first"), cleared("second")]);
  });

  it("fails with any other error", async () => {
    await expect(remove(both, new AppError("E_KUBE_FORBIDDEN", "patch"))).rejects.toThrow("patch");
  });
});
