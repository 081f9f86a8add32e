import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { DeleteBody, OperationContext, Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import { evictPod } from "../../../../src/embedded-hub/reviews/evict-pod.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";

const nowMs = Date.parse("2026-01-02T03:04:05Z");
const place = { namespace: "a", name: "p" };

interface Setting {
  readonly deleteOptions?: object;
  readonly name?: string;
  readonly isDryRun?: boolean;
  /** Of the Pod. Default: it has ended. */
  readonly phase?: string;
  /** Of the Pod; null: there is none. */
  readonly conditions?: readonly JsonObject[] | null;
}

const falseConditions = [{ type: "DisruptionTarget", status: "False" }, { type: "Ready" }];

/** Evicts a Pod of revision 7, whose status has revision 8 afterwards. */
async function evict(setting: Setting) {
  const {
    deleteOptions = {},
    name = place.name,
    isDryRun = false,
    conditions = falseConditions,
    phase = "Failed",
  } = setting;
  const pod: KubeObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...place, uid: "u", resourceVersion: "7" },
    status: { phase, conditions },
  };
  const deletes: DeleteBody[] = [];
  const writes: KubeObject[] = [];
  const contexts: OperationContext[] = [];
  const operations = {
    definitionOf: () => ({ group: "", plural: "pods" }),
    get: () => (conditions === null ? undefined : pod),
    update: (context: OperationContext, _target: unknown, object: KubeObject) => {
      contexts.push(context);
      writes.push(object);
      return Promise.resolve({ ...object, metadata: { ...object.metadata, resourceVersion: "8" } });
    },
    delete: (context: OperationContext, _target: unknown, body: DeleteBody) => {
      contexts.push(context);
      deletes.push(body);
      return Promise.resolve({ object: pod, isGone: true });
    },
  } as unknown as Operations;
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { ...place, name }, deleteOptions };
  await evictPod(operations, { ...contextOf(administrator), isDryRun }, { place, eviction, nowMs });
  return { deletes, writes, contexts };
}

describe("evictPod", () => {
  it("deletes the Pod that has the reason in its status, as the eviction asks", async () => {
    const options = { gracePeriodSeconds: 5, propagationPolicy: "Foreground", preconditions: { resourceVersion: "7" } };
    const { deletes, writes } = await evict({ deleteOptions: options });
    expect(deletes).toEqual([{ ...options, preconditions: { resourceVersion: "8" } }]);
    expect(writes.map(({ status }) => status)).toMatchObject([
      {
        conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }, { type: "Ready" }],
      },
    ]);
  });

  it("refuses a policy that is none", async () => {
    await expect(evict({ deleteOptions: { propagationPolicy: "Sideways" } })).rejects.toThrow("Unsupported value");
  });

  it.each([
    [{ uid: "other" }, "the UID in the precondition (other) does not match the UID in record (u)"],
    [{ resourceVersion: "6" }, "the ResourceVersion in the precondition (6) does not match"],
  ])("refuses another Pod than %j before it writes", async (preconditions, message) => {
    await expect(evict({ deleteOptions: { preconditions } })).rejects.toThrow(message);
  });

  it.each<Setting>([{ isDryRun: true }, { deleteOptions: { dryRun: ["All"] } }])(
    "only tries where the request or its options ask for that: %j",
    async (setting) => {
      const { deletes, writes, contexts } = await evict(setting);
      expect([deletes, writes]).toEqual([[{}], []]);
      expect(contexts.map(({ isDryRun }) => isDryRun)).toEqual([true]);
    },
  );

  it("writes the status on behalf of the hub: no client manages it", async () => {
    const { contexts } = await evict({});
    expect(contexts.map(({ isUntracked = false, isDryRun }) => [isUntracked, isDryRun])).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  const reason = { status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
  const evicted = { type: "DisruptionTarget", ...reason, lastProbeTime: null };
  const now = "2026-01-02T03:04:05Z";
  it.each<readonly [string, readonly JsonObject[], readonly JsonObject[]]>([
    ["had no reason to end", [{ type: "Ready" }], [{ type: "Ready" }, { ...evicted, lastTransitionTime: now }]],
    [
      "had to end for another reason",
      [{ type: "DisruptionTarget", status: "True", reason: "Other", lastTransitionTime: "t" }],
      [{ ...evicted, lastTransitionTime: "t" }],
    ],
    ["was evicted before", [{ ...evicted, lastTransitionTime: "t" }], [{ ...evicted, lastTransitionTime: "t" }]],
  ])("of a Pod that %s has the reason in the status", async (_what, conditions, expected) => {
    const { writes } = await evict({ conditions });
    expect(writes.map(({ status }) => status)).toEqual([{ phase: "Failed", conditions: expected }]);
  });

  it("deletes a Pod of any revision where none is asked for and it has ended", async () => {
    const preconditions = { uid: "u" };
    expect((await evict({ deleteOptions: { preconditions } })).deletes).toEqual([{ preconditions }]);
  });

  it.each([
    [{ uid: "u" }, { uid: "u", resourceVersion: "8" }],
    [undefined, { resourceVersion: "8" }],
    [{ resourceVersion: "" }, { resourceVersion: "8" }],
  ])(
    "deletes a Pod that waits only as it was when no budget counted it, asked with %j",
    async (asked, preconditions) => {
      const deleteOptions = asked === undefined ? {} : { preconditions: asked };
      expect((await evict({ phase: "Pending", deleteOptions })).deletes).toEqual([{ preconditions }]);
    },
  );

  it.each<readonly [Setting, string]>([
    [{ name: "q" }, "name in URL does not match name in Eviction object"],
    [{ conditions: null }, 'pods "p" not found'],
  ])("refuses %j", async (setting, message) => {
    await expect(evict(setting)).rejects.toThrow(message);
  });
});
