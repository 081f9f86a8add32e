import { describe, expect, it } from "vitest";
import type { DeleteBody, Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import { evictPod } from "../../../../src/embedded-hub/reviews/evict-pod.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";

const nowMs = Date.parse("2026-01-02T03:04:05Z");
const place = { namespace: "a", name: "p" };

/** Evicts a Pod of revision 7, whose status has revision 8 afterwards. */
async function evict(deleteOptions: object): Promise<{ deletes: DeleteBody[]; writes: KubeObject[] }> {
  const pod: KubeObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...place, uid: "u", resourceVersion: "7" },
    status: { phase: "Pending", conditions: [{ type: "DisruptionTarget", status: "False" }, { type: "Ready" }] },
  };
  const deletes: DeleteBody[] = [];
  const writes: KubeObject[] = [];
  const operations = {
    definitionOf: () => ({ group: "", plural: "pods" }),
    get: () => pod,
    update: (_context: unknown, _target: unknown, object: KubeObject) => {
      writes.push(object);
      return Promise.resolve({ ...object, metadata: { ...object.metadata, resourceVersion: "8" } });
    },
    delete: (_context: unknown, _target: unknown, body: DeleteBody) => {
      deletes.push(body);
      return Promise.resolve({ object: pod, isGone: true });
    },
  } as unknown as Operations;
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: place, deleteOptions };
  await evictPod(operations, contextOf(administrator), { place, eviction, nowMs });
  return { deletes, writes };
}

describe("evictPod", () => {
  it("deletes the Pod that has the reason in its status, as the eviction asks", async () => {
    const options = { gracePeriodSeconds: 5, propagationPolicy: "Foreground", preconditions: { resourceVersion: "7" } };
    const { deletes, writes } = await evict(options);
    expect(deletes).toEqual([{ ...options, preconditions: { resourceVersion: "8" } }]);
    expect(writes.map(({ status }) => status)).toMatchObject([
      {
        conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }, { type: "Ready" }],
      },
    ]);
  });

  it("refuses a policy that is none", async () => {
    await expect(evict({ propagationPolicy: "Sideways" })).rejects.toThrow("Unsupported value");
  });

  it.each([
    [{ uid: "other" }, "the UID in the precondition (other) does not match the UID in record (u)"],
    [{ resourceVersion: "6" }, "the ResourceVersion in the precondition (6) does not match"],
  ])("refuses another Pod than %j before it writes", async (preconditions, message) => {
    await expect(evict({ preconditions })).rejects.toThrow(message);
  });
});
